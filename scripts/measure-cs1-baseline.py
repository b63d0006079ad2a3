#!/usr/bin/env python3
"""Freezes the baseline of CS-1: govmem kpi cs1 --freeze."""

import os
import sys

run = os.path.join(os.path.dirname(os.path.realpath(__file__)), "lib", "run.sh")
os.execv(run, [run, "govmem", "kpi", "cs1", "--freeze", *sys.argv[1:]])
