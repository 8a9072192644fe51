#!/usr/bin/env python3
"""Runs the tests of this folder, or those named, and ends with the line that ./test sums up."""
import os
import sys
import unittest

os.chdir(os.path.dirname(os.path.abspath(__file__)))
names = sys.argv[1:]
loader = unittest.defaultTestLoader
suite = loader.loadTestsFromNames(names) if names else loader.discover(".")
result = unittest.TextTestRunner(verbosity=2, stream=sys.stdout).run(suite)
bad = len(result.failures) + len(result.errors)
passed = max(result.testsRun - bad - len(result.skipped), 0)
verdict = "ok" if result.wasSuccessful() else "FAILED"
print("test result: %s. %d passed; %d failed; %d ignored; 0 measured; 0 filtered out" % (verdict, passed, bad, len(result.skipped)))
sys.exit(not result.wasSuccessful())
