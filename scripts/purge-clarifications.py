#!/usr/bin/env python3
"""Purges expired clarifications: govmem purge clarifications."""

import os
import sys

run = os.path.join(os.path.dirname(os.path.realpath(__file__)), "lib", "run.sh")
os.execv(run, [run, "govmem", "purge", "clarifications", *sys.argv[1:]])
