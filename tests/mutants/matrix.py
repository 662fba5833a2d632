#!/usr/bin/env python3
# matrix.py - what a verifier made of the mutants: a confusion matrix
#
#   opsweep report FILE --format csv -o cells.csv
#   tests/mutants/matrix.py cells.csv [--twin cuda.csv] [--json OUT]
#
# The first part of an implementation's name is the state that it must end in:
# "value__last_k_dropped" is wrong, "pass__kahan" is right.
#
#   caught   a bad one with a cell that failed, or ended in an error
#   exact    a bad one with a cell in the very state of its name
#   near     none, but in one that says the same with less detail (NEAR)
#   failed   a right one with a cell that failed, or ended in an error
#
# Exit 0 when every bad one is exact or near and no right one failed; 1
# otherwise; 2 when the input is of no use.  Beside it, checks.py: which check
# of the verifier it is that catches them.
import argparse
import collections
import csv
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
STATES = os.path.join(HERE, "..", "..", "ops", "record", "state.h")

# An implementation too imprecise for the tolerance itself is "value"; wrong
# elements may first show where NaN is expected.  One that takes all memory may be
# stopped before it ends; the driver may crash in a device that was reset.  One
# that is late may end before it is looked at, with inputs that it read late.
NEAR = {"precision": {"value"}, "value": {"nan"}, "unwritten": {"nan"},
        "returned": {"oom"}, "cuda": {"crash"}, "async": {"stale"}}
RIGHT = {"pass", "unsupported"}


def read_states(path=STATES):
    """Groups by the name of the state, from the one table there is."""
    row = re.compile(r'X\(\s*\d+,\s*\w+,\s*"(\w+)",\s*(\w+),\s*\w+\)')
    with open(path) as f:
        states = dict(row.findall(f.read()))
    if "pass" not in states:
        raise SystemExit("%s: no table of states" % path)
    return states


class Mutant:
    """One implementation: the state of its name, the states of its cells."""

    def __init__(self, op, impl):
        self.op, self.impl = op, impl
        self.want = impl.split("__")[0]
        self.found = collections.Counter()
        self.cells = []

    def add(self, row):
        self.found[row["status"]] += 1
        self.cells.append(row)

    def name(self):
        return "%s/%s" % (self.op, self.impl)

    def bad(self):
        return self.want not in RIGHT

    def judged(self):
        return any(state != "skipped" for state in self.found)

    def failing(self, states):
        return {s for s in self.found if states.get(s) in ("FAIL", "ERROR")}

    def caught(self, states):
        # A weak cell did not pass either: the check could not have failed.
        return bool(self.failing(states)) or self.want in self.found

    def exact(self):
        return self.want in self.found

    def near(self):
        return not self.exact() and any(
            s in self.found for s in NEAR.get(self.want, ()))

    def fault(self, states):
        """Why this one disagrees with its name, or None."""
        failing = self.failing(states)
        if self.bad():
            if self.exact() or self.near():
                return None
            return "other" if failing else "missed"
        if failing:
            return "refused"
        return None if self.exact() else "never " + self.want


def short_op(name):
    return name[:-len(".default")] if name.endswith(".default") else name


def read_cells(path, states):
    with open(path, newline="") as f:
        rows = list(csv.DictReader(f))
    if not rows or not {"op", "impl", "status"} <= set(rows[0]):
        raise SystemExit("%s: no cells in it" % path)
    mutants = {}
    for row in rows:
        if not row["impl"]: # of an op that has none for this device
            continue
        op = short_op(row["op"])
        key = op, row["impl"]
        if key not in mutants:
            mutants[key] = Mutant(*key)
        mutants[key].add(row)
    for m in mutants.values():
        if m.want not in states:
            raise SystemExit("%s: '%s' is no state" % (m.name(), m.want))
    return mutants


def ratio(n, of):
    return "%d of %d (%.1f %%)" % (n, of, 100.0 * n / of if of else 0.0)


def summary(mutants, states):
    judged = [m for m in mutants.values() if m.judged()]
    bad = [m for m in judged if m.bad()]
    right = [m for m in judged if not m.bad()]
    return {
        "implementations": len(mutants),
        "not_run": len(mutants) - len(judged),
        "bad": len(bad),
        "caught": sum(m.caught(states) for m in bad),
        "exact": sum(m.exact() for m in bad),
        "near": sum(m.near() for m in bad),
        "right": len(right),
        "failed": sum(bool(m.failing(states)) for m in right),
        "cells_of_bad": sum(sum(m.found.values()) for m in bad),
        "cells_of_right": sum(sum(m.found.values()) for m in right),
    }


def print_summary(s):
    print("%d implementations, %d not run here" %
          (s["implementations"], s["not_run"]))
    print("             caught  passed")
    print("  bad        %6d  %6d   of %d" %
          (s["caught"], s["bad"] - s["caught"], s["bad"]))
    print("  right      %6d  %6d   of %d" %
          (s["failed"], s["right"] - s["failed"], s["right"]))
    print("bad ones caught: %s; in the state of their name: %s, near it: %d" %
          (ratio(s["caught"], s["bad"]), ratio(s["exact"], s["bad"]),
           s["near"]))
    print("right ones refused: %s" % ratio(s["failed"], s["right"]))


def by_state(mutants, states):
    """Bad implementations by the state of their name and what became of them:
    that state where they have it, else what failed first, else 'pass'."""
    table = collections.defaultdict(collections.Counter)
    for m in mutants.values():
        if not m.judged():
            continue
        failing = sorted(m.failing(states), key=lambda s: -m.found[s])
        found = m.want if m.exact() else (failing or ["no failure"])[0]
        table[m.want][found] += 1
    return table


def print_table(table, states):
    order = list(states) + ["no failure"]
    print("\nimplementations by the state of their name, and where they ended")
    for want in sorted(table, key=order.index):
        of = sum(table[want].values())
        print("  %-17s %3d of %3d" % (want, table[want][want], of), end="")
        for found in sorted(table[want], key=order.index):
            if found != want:
                print("   %d %s" % (table[want][found], found), end="")
        print()


def disagreements(mutants, states):
    out = []
    for m in sorted(mutants.values(), key=Mutant.name):
        why = m.fault(states) if m.judged() else None
        if why:
            out.append((m, why))
    return out


def print_disagreements(faults, states):
    print("\n%d disagree with their names" % len(faults))
    for m, why in faults:
        found = ", ".join("%d %s" % (n, s) for s, n in m.found.most_common())
        print("  %-9s %-46s %s" % (why, m.name(), found))
        for cell in m.cells:
            state = states.get(cell["status"])
            if m.bad() or state in ("FAIL", "ERROR"):
                print("            %s: %s (%s)" % (
                    cell.get("case", ""), cell["status"],
                    cell.get("reason", "")))


def print_twins(mutants, twins, states):
    """The same idea twice: what only one of the two sides shows."""
    both = [k for k in mutants if k in twins and
            mutants[k].judged() and twins[k].judged()]
    bad = sum(mutants[k].bad() for k in both)
    print("\n%d implementations on both sides, %d of them bad" %
          (len(both), bad))
    for key in sorted(both):
        a, b = mutants[key], twins[key]
        if bool(a.fault(states)) == bool(b.fault(states)):
            continue
        print("  %-46s %s, twin: %s" % (
            a.name(), a.fault(states) or "as named",
            b.fault(states) or "as named"))


def report(title, mutants, states):
    faults = disagreements(mutants, states)
    s = summary(mutants, states)
    print("== " + title)
    print_summary(s)
    print_table(by_state(mutants, states), states)
    print_disagreements(faults, states)
    return {
        "file": title,
        "summary": s,
        "states": {w: dict(t) for w, t in by_state(mutants, states).items()},
        "disagreements": [
            {"implementation": m.name(), "why": why, "found": dict(m.found)}
            for m, why in faults],
        "implementations": {
            m.name(): dict(m.found) for m in mutants.values()},
    }


def main():
    args = argparse.ArgumentParser(description="what became of the mutants")
    args.add_argument("file", help="cells of a run, as CSV")
    args.add_argument("--twin", help="cells of a run on another device")
    args.add_argument("--json", help="write everything there, too")
    o = args.parse_args()
    try:
        states = read_states()
        mutants = read_cells(o.file, states)
        out = [report(o.file, mutants, states)]
        if o.twin:
            twins = read_cells(o.twin, states)
            print()
            out.append(report(o.twin, twins, states))
            print_twins(mutants, twins, states)
        if o.json:
            with open(o.json, "w") as f:
                json.dump({"format": "opsweep.mutants", "version": 1,
                           "runs": out}, f, indent=1)
    except OSError as e:
        raise SystemExit(str(e))
    if not any(r["summary"]["bad"] and r["summary"]["right"] for r in out):
        raise SystemExit("no mutant was judged")
    return 1 if any(r["disagreements"] for r in out) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SystemExit as e:
        if isinstance(e.code, str):
            print("matrix.py: " + e.code, file=sys.stderr)
            sys.exit(2)
        raise
