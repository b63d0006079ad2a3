#!/usr/bin/env python3
"""Searches learnings: govmem search learnings."""

import os
import sys

run = os.path.join(os.path.dirname(os.path.realpath(__file__)), "lib", "run.sh")
os.execv(run, [run, "govmem", "search", "learnings", *sys.argv[1:]])
