#!/usr/bin/env python3
"""tests/bench/gpu/bandwidth_table.py - TB/s of a bandwidth campaign

    bandwidth_table.py CASES.json RUN.csv

CASES.json comes from bandwidth_roots.py, RUN.csv from `opsweep report`.
"""
import collections
import csv
import json
import sys

GOAL = 90  # per cent of the copy

what = {(c["name"], c["case"]): c for c in json.load(open(sys.argv[1]))}
lines = []
for r in csv.DictReader(open(sys.argv[2], newline="")):
    case = what.get((r["op"], r["case"].replace(" ", "")))
    if case is None:  # one of the small ones, to compile and judge
        continue
    ns = float(r["t_median_ns"] or "nan")
    lines.append(dict(case, impl=r["impl"], ns=ns, status=r["status"],
                      why=r["reason"], rate=case["bytes"] / ns / 1e3))

if len({(x["name"], x["case"]) for x in lines}) != len(what):
    sys.exit("the file does not hold all cases, or names them otherwise")
copies = [x["rate"] for x in lines
          if (x["op"], x["what"], x["impl"]) == ("clone", "flat", "memcpy")
          and x["rate"] == x["rate"]]
copy = max(copies, default=float("nan"))
print("copy by the runtime: %.2f TB/s read and written" % copy)
print("%-27s %-18s %-5s %-9s %10s %9s %7s %6s" % (
    "op", "case", "type", "impl", "time", "bytes", "TB/s", "copy"))
best = collections.defaultdict(list)
low = 0
for x in lines:
    share = 100 * x["rate"] / copy
    if x["rate"] != x["rate"]:
        print("%-27s %-18s %-5s %-9s %s: %s" % (
            x["op"], x["what"], x["dtype"], x["impl"], x["status"], x["why"]))
        continue
    is_low = x["impl"] == "fast" and share < GOAL
    low += is_low
    print("%-27s %-18s %-5s %-9s %7.1f us %5d MiB %7.2f %4.0f %%%s%s" % (
        x["op"], x["what"], x["dtype"], x["impl"], x["ns"] / 1e3,
        x["bytes"] >> 20, x["rate"], share, " <" if is_low else "",
        "" if x["status"] == "pass" else "  " + x["status"]))
    best[x["op"], x["what"], x["dtype"]].append((x["rate"], x["impl"]))
fast = [x for x in lines if x["impl"] == "fast"]
print("%d of %d cases by fast pass, %d of those timed are below %d %% of the "
      "copy" % (sum(x["status"] == "pass" for x in fast), len(fast), low, GOAL))
for (op, case, dtype), rates in best.items():
    mine = next((r for r, impl in rates if impl == "fast"), None)
    rate, impl = max(rates)
    if mine and impl != "fast" and rate > 1.02 * mine:
        print("  faster than fast: %-27s %-18s %-5s %s %.2f against %.2f TB/s"
              % (op, case, dtype, impl, rate, mine))
