#!/usr/bin/env python3
"""Searches clarifications: govmem search clarifications."""

import os
import sys

run = os.path.join(os.path.dirname(os.path.realpath(__file__)), "lib", "run.sh")
os.execv(run, [run, "govmem", "search", "clarifications", *sys.argv[1:]])
