#!/usr/bin/env python3
# soak.py OPSWEEP FIRST LAST - verdicts must not depend on the seed
#
# For each seed: the library, which is right, and the roots whose implementations have
# their state in their name.  `make test` judges each by a few seeds; a right one that
# is refused once in a hundred of them shows here.
#
# Prints each right implementation that was refused, and at the end how often which
# wrong one passed: by chance some do, in a single case.  Exit 1 if a right one was
# refused or a campaign failed.
import collections
import csv
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(TREE, "tests", "mutants"))
from matrix import Mutant, read_states  # noqa: E402

# Calls that stall take a second; those of the library may be long.
NAMED = ["--profile", "smoke", "--timeout", "1"]
ROOTS = {
    "ops/library": ["--profile", "correct", "--max-work", "0.01", "--threads", "1"],
    "tests/mutants": NAMED,
    "tests/fixtures/ops": NAMED,
    "tests/fixtures/sensitivity": ["--profile", "smoke", "--timeout", "5"],
}


def judge(opsweep, root, seed, folder):
    """Rows of a campaign."""
    out = os.path.join(folder, "run.h5")
    words = [opsweep, "run", "--suite", "custom_ops", "--custom-ops-root",
             os.path.join(TREE, root), "--device", "cpu", "-n", "2", "--seed", str(seed),
             "--fail-on", "none", "--force", "-o", out, *ROOTS[root]]
    if root == "ops/library":
        words += ["--offset", str(seed % 2)]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    table = subprocess.run([opsweep, "report", out, "--fail-on", "none", "--format", "csv"],
                           check=True, stdout=subprocess.PIPE, text=True).stdout
    return list(csv.DictReader(table.splitlines()))


def find_python():
    """One that has numpy, which some references need."""
    for python in os.environ.get("OPSWEEP_PYTHON"), sys.executable, "/usr/bin/python3":
        if python and subprocess.run([python, "-c", "import numpy"],
                                     stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return python
    return sys.exit("soak.py: no Python with numpy; OPSWEEP_PYTHON names one")


def look(rows, root, states, what, passed):
    """Prints right cells that were refused; their number."""
    impls = {}
    for r in rows:
        key = r["op"], r["impl"]
        impls.setdefault(key, Mutant(*key)).add(r)
    n_refused = 0
    for m in impls.values():
        if root != "ops/library" and m.bad():
            if not m.caught(states):
                passed[m.name()].add(what)
            continue
        refused = [r for r in m.cells if r["status"] in m.failing(states)]
        for r in refused:
            print("%s: %s %s: %s: %s" % (what, m.name(), r["case"], r["status"], r["reason"]),
                  flush=True)
        n_refused += len(refused)
    return n_refused


def main():
    if len(sys.argv) != 4:
        sys.exit("soak.py OPSWEEP FIRST LAST")
    opsweep, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    states = read_states()
    os.environ["OPSWEEP_PYTHON"] = find_python()
    passed = collections.defaultdict(set)
    n_cells = n_refused = n_failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last + 1):
            for root in ROOTS:
                what = "seed %d, %s" % (seed, root)
                try:
                    rows = judge(opsweep, root, seed, folder)
                except subprocess.CalledProcessError as e:
                    print("%s: exit code %d: %s" % (what, e.returncode,
                                                    (e.stderr or b"").decode()[-500:]))
                    n_failed += 1
                    continue
                n_cells += len(rows)
                n_refused += look(rows, root, states, what, passed)
            print("seed %d: %d cells so far, %d right ones refused" % (
                seed, n_cells, n_refused), flush=True)
    for name, seeds in sorted(passed.items(), key=lambda kv: -len(kv[1])):
        print("%s passed by %d of %d seeds" % (name, len(seeds), last - first + 1))
    print("%d cells, %d right ones refused, %d campaigns failed" % (n_cells, n_refused, n_failed))
    sys.exit(n_refused > 0 or n_failed > 0 or n_cells == 0)


main()
