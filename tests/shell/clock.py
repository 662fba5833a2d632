#!/usr/bin/env python3
"""tests/shell/clock.py - were forged clocks noticed, and honest ones believed?

    clock.py TABLE.csv [CELLS]

CELLS at least are expected, by default 10.

`implausible__<how>` must have ended as implausible, `pass__<how>` as pass;
`bounded__<how>` in any state, but with no better speedup than pass__plain has.
Other processes may use the machine while tests run: either may be skipped
then, with that reason.
"""
import csv
import sys

BOUND = 1.4  # times the speedup of pass__plain: that differs by a few percent

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
wrong = 0
plain = {r["op"]: float(r["speedup"]) for r in rows
         if r["impl"] == "pass__plain" and r["speedup"]}
for r in rows:
    if r["impl"].startswith("bounded__"):
        limit = BOUND * plain.get(r["op"], float("inf"))
        if r["speedup"] and float(r["speedup"]) > limit:
            wrong += 1
            print("%s/%s: speedup %s, pass__plain %g" % (
                r["op"], r["impl"], r["speedup"], plain[r["op"]]))
        continue
    want = r["impl"].split("__")[0]
    busy = r["status"] == "skipped" and "machine too busy" in r["reason"]
    if r["status"] != want and not busy:
        wrong += 1
        print("%s/%s: expected %s, found %s (%s), speedup %s" % (
            r["op"], r["impl"], want, r["status"], r["reason"], r["speedup"]))
    if busy and r["speedup"] not in ("", "nan"):
        wrong += 1
        print("%s/%s: skipped, with a speedup" % (r["op"], r["impl"]))
found = sorted({r["status"] for r in rows})
print(len(rows), "cells,", wrong, "wrong:", found)
least = int(sys.argv[2]) if len(sys.argv) > 2 else 10
sys.exit(1 if wrong or len(rows) < least else 0)
