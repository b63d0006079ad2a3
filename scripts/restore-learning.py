#!/usr/bin/env python3
"""Restores an archived learning: govmem restore --id ID."""

import os
import sys

run = os.path.join(os.path.dirname(os.path.realpath(__file__)), "lib", "run.sh")
os.execv(run, [run, "govmem", "restore", *sys.argv[1:]])
