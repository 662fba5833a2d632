#!/usr/bin/env python3
"""tests/shell/fixtures.py - did files whose names are their verdicts get them?

    fixtures.py TABLE.csv LEAST

`<state>__<how>` must have ended as <state> in every cell; and there must be
LEAST states in all, for without the fixtures a test would prove nothing.
"""
import collections
import csv
import sys

path, least = sys.argv[1], int(sys.argv[2])
rows = list(csv.DictReader(open(path, newline="")))
wrong = [r for r in rows if r["impl"].split("__")[0] != r["status"]]
for r in wrong:
    print("%s/%s: expected %s, found %s (%s) on %s" % (
        r["op"], r["impl"], r["impl"].split("__")[0], r["status"], r["reason"],
        r["case"]))
states = collections.Counter(r["status"] for r in rows)
print(len(rows), "cells,", len(wrong), "wrong:", dict(states))
sys.exit(1 if wrong or len(states) < least else 0)
