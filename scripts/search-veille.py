#!/usr/bin/env python3
"""Searches watch notes: govmem search veille."""

import os
import sys

run = os.path.join(os.path.dirname(os.path.realpath(__file__)), "lib", "run.sh")
os.execv(run, [run, "govmem", "search", "veille", *sys.argv[1:]])
