#!/usr/bin/env python3
# checks.py - is every check of the verifier needed, and does every one work?
#
#   make build/opsweep-checks
#   tests/mutants/checks.py build/opsweep-checks [--device twin]
#
# For every row of checks.txt: with all checks, the implementation ends in the
# state of its name; without that check it passes (a check that FINDS) or ends
# in another state (one that NAMES).  Every check of the table in
# worker/judge/eval/checks.h must have a row.  Rows of which a device has no
# implementation, and checks that it does not make, are said and left out.
#
#   --only A,B    these checks only
#   --dead CHECK  as if that check did nothing: what this must notice
#   --rows FILE   in place of checks.txt
#
# Some implementations depend on time (what a thread has written by when), so
# a row that disagrees is tried again, TRIES times in all: a check that does
# nothing, and a row that another check catches too, disagree every time.  A try
# in which all that disagree were skipped (machine too busy) says nothing: there
# may be BUSY_TRIES of them.  After these, where more than two processes want each
# core, the row is NOT PROVED there, which is no fault.
#
# Exit 0 when all rows and checks agree, 1 when not, 2 when the input is of no
# use.
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import matrix

HERE = matrix.HERE
ROWS = os.path.join(HERE, "checks.txt")
TABLE = os.path.join(HERE, "..", "..", "worker", "judge", "eval", "checks.h")
TRIES = 5
BUSY_TRIES = 8

# Words of a campaign, where a check needs others than the usual: a product too
# expensive to compute, if it is for one implementation; calls enough for clocks
# to differ by; a worker for each of two cases.
USUAL = ["--profile", "smoke"]
EXPENSIVE = ["--profile", "correct", "--max-work", "0.025", "--case",
             "((T([256, 256], f32), T([256, 256], f32)), {})"]
# Results so small that the tolerance of their dtype hides every coarse arithmetic.
SMALL = {
    "matmul": ["--case", "((T([48, 64], f32), T([64, 48], f32)), {})",
               "--fill", "normal, constant(0.00001)"],
    "total": ["--case", "((T([48, 64], f32),), {})",
              "--fill", "constant(0.00001)"],
}
WORDS = {
    "freivalds": EXPENSIVE,
    "residual": EXPENSIVE,
    "implausible": ["--profile", "sweep"],
    "warm-up": ["--profile", "smoke", "-n", "3"],
}


def words_of(row):
    """What the runs of a row have beside the implementations."""
    if row.check == "norms":
        return USUAL + SMALL[row.op]
    return WORDS.get(row.check, USUAL)


# Checks that a device with memory of its own does not make, and why.
NOT_MADE = {
    "freivalds": "a device with memory of its own computes the product",
    "residual": "a device with memory of its own computes the product",
}


def read_table(path=TABLE):
    """What each check does, by its name: FINDS or NAMES."""
    row = re.compile(r'X\(\w+,\s*"([\w-]+)",\s*(FINDS|NAMES)\)')
    with open(path) as f:
        table = dict(row.findall(f.read()))
    if not table:
        raise SystemExit("%s: no table of checks" % path)
    return table


def read_rows(path, table):
    rows = []
    with open(path) as f:
        for n, line in enumerate(f, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            if len(words) not in (2, 3) or words[1].count("/") != 1:
                raise SystemExit("%s:%d: expected 'CHECK OP/IMPLEMENTATION "
                                 "[DEVICE]', found '%s'" %
                                 (path, n, line.strip()))
            if words[0] not in table:
                raise SystemExit("%s:%d: no check '%s'" % (path, n, words[0]))
            rows.append(Row(words[0], *words[1].split("/"),
                            (words + [None])[2]))
    return rows


class Row:
    def __init__(self, check, op, impl, device):
        self.check, self.op, self.impl = check, op, impl
        self.device = device  # the only one; None: any

    def name(self):
        return "%s/%s" % (self.op, self.impl)

    def file(self, suffix):
        return os.path.join(HERE, self.op, "%s_%s%s" %
                            (self.op, self.impl, suffix))

    def impls(self):
        """It and the one whose errors bound its own."""
        with open(os.path.join(HERE, self.op, "op.json")) as f:
            return [self.impl] + [v for k, v in json.load(f).items()
                                  if k == "baseline"]


class Bench:
    """Runs of a program on one device."""

    def __init__(self, program, device, dead, folder):
        self.program, self.device = program, device
        self.dead, self.folder = dead, folder
        self.states = matrix.read_states()
        self.n_runs = 0

    def run(self, rows, without, words):
        """The mutants of these rows, judged without a check ("": none)."""
        self.n_runs += 1
        out = os.path.join(self.folder, "%d" % self.n_runs)
        env = dict(os.environ, OPSWEEP_DISABLE_CHECK=without or self.dead)
        args = [self.program, "run", "--suite", "custom_ops",
                "--custom-ops-root", HERE, "--device", self.device,
                "--timeout", "2", "--seed", "1", "--fail-on", "none",
                "--ops", ",".join(sorted({r.op for r in rows})),
                "--impls",
                ",".join(sorted({i for r in rows for i in r.impls()}))]
        if "-n" not in words:
            args += ["-n", "1"]
        self.call(args + words + ["-o", out + ".h5"], env)
        self.call([self.program, "report", out + ".h5", "--fail-on", "none",
                   "--format", "csv", "-o", out + ".csv"], env)
        return matrix.read_cells(out + ".csv", self.states)

    def call(self, args, env):
        done = subprocess.run(args, env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise SystemExit("exit %d of '%s':\n%s" % (
                done.returncode, " ".join(args), done.stdout[-2000:]))


def what_is_wrong(mutant, without, does, states):
    """Of one implementation in one run; None when it is as it should be."""
    if mutant is None or not mutant.judged():
        return "was not judged"
    found = ", ".join("%d %s" % (n, s) for s, n in mutant.found.most_common())
    if not without:
        caught = mutant.exact() or (does == "FINDS" and mutant.near())
        return None if caught else "is not caught: " + found
    if does == "FINDS" and mutant.caught(states):
        return "is caught without it: " + found
    if does == "NAMES" and mutant.exact():
        return "has its state without it: " + found
    return None


def was_skipped(mutant):
    """In one of its cases, by a machine that is too busy."""
    return mutant is not None and "skipped" in mutant.found


def is_busy():
    return min(os.getloadavg()[:2]) > 2 * os.cpu_count()


def disagree(bench, rows, without, words, table):
    """Rows that disagree every time, with the words of the last."""
    left = rows
    tries = {True: BUSY_TRIES, False: TRIES}  # left: busy ones, others
    while True:
        cells = {}
        for some in [[r] for r in left] if words == EXPENSIVE else [left]:
            cells.update(bench.run(some, without, words))
        wrong = []
        for row in left:
            what = what_is_wrong(cells.get((row.op, row.impl)), without,
                                 table[row.check], bench.states)
            if what:
                wrong.append((row, what))
        left = [row for row, _ in wrong]
        busy = all(was_skipped(cells.get((r.op, r.impl))) for r in left)
        tries[busy] -= 1
        if tries[True] == 0 and is_busy():
            print("NOT PROVED, machine too busy: " +
                  ", ".join(r.name() for r in left))
            return []
        if not wrong or tries[busy] == 0:
            return wrong
        print("  again: " + ", ".join("%s %s" % (r.name(), what)
                                      for r, what in wrong))
        time.sleep(1 if busy else 0)


def on_device(rows, device):
    """Rows that have an implementation for it."""
    suffix = ".cu" if device == "cuda" else ".c"
    other = ".c" if device == "cuda" else ".cu"
    rows = [r for r in rows if r.device in (None, device)]
    here = [r for r in rows if os.path.exists(r.file(suffix))]
    for r in rows:
        if r not in here and not os.path.exists(r.file(other)):
            raise SystemExit("%s: no such implementation" % r.name())
    return here


def distinct(lists):
    return [v for i, v in enumerate(lists) if v not in lists[:i]]


def main():
    args = argparse.ArgumentParser(
        description="is every check of the verifier needed?")
    args.add_argument("program", help="opsweep-checks")
    args.add_argument("--device", default="cpu")
    args.add_argument("--only", default="", metavar="A,B")
    args.add_argument("--dead", default="", metavar="CHECK")
    args.add_argument("--rows", default=ROWS, metavar="FILE")
    o = args.parse_args()
    table = read_table()
    rows = read_rows(o.rows, table)
    checks = [c for c in table if not o.only or c in o.only.split(",")]
    faults = []
    t0 = time.monotonic()
    for check in list(checks):
        if not any(r.check == check for r in rows):
            faults.append("%s: no implementation needs it" % check)
    if o.device != "cpu":
        for check in [c for c in checks if c in NOT_MADE]:
            print("%s: left out, %s" % (check, NOT_MADE[check]))
            checks.remove(check)
    rows = on_device([r for r in rows if r.check in checks], o.device)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(o.program), o.device, o.dead, folder)
        for words in distinct([words_of(r) for r in rows]):
            some = [r for r in rows if words_of(r) == words]
            if some:
                faults += ["%s: %s %s" % (r.check, r.name(), what) for r, what
                           in disagree(bench, some, "", words, table)]
        for check in checks:
            some = [r for r in rows if r.check == check]
            if not some:
                print("%s: no implementation for this device" % check)
                continue
            wrong = []
            for words in distinct([words_of(r) for r in some]):
                these = [r for r in some if words_of(r) == words]
                wrong += disagree(bench, these, check, words, table)
            print("without %-17s %d of %d %s" % (
                check + ":", len(some) - len(wrong), len(some),
                "pass" if table[check] == "FINDS" else "in another state"))
            faults += ["%s: %s %s" % (check, r.name(), what)
                       for r, what in wrong]
    for fault in faults:
        print("WRONG " + fault)
    print("%d checks, %d rows, %d wrong; %d runs on %s in %.0f s" % (
        len(checks), len(rows), len(faults), bench.n_runs, o.device,
        time.monotonic() - t0))
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SystemExit as e:
        if isinstance(e.code, str):
            print("checks.py: " + e.code, file=sys.stderr)
            sys.exit(2)
        raise
