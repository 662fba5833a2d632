#!/usr/bin/env python3
""".ci/tree.py CHECK - the shape of the tree: circles | order | folders | lengths

    circles   no unit (NAME.c and NAME.h) and no folder of a room includes itself
              by way of others
    order     a folder includes those of its room that its row in
              docs/ARCHITECTURE.md names, each of them and no others
    folders   no folder holds more than 45 files
    lengths   no source is longer than 600 lines

Every check prints what it refuses; nothing is printed when all is well.
"""
import collections
import os
import re
import sys

ROOMS = ("common", "ops", "results", "worker", "mpi_runner")
MAX_FILES, MAX_LINES = 45, 600

# What may be larger, and why.
LARGE_FOLDERS = {
    "ops/library": "a folder for each op, one for headers that they share",
    "tests/data/traces": "a file for each model",
    "tests/mutants": "a file for each mistake",
    "tests/shell": "a file for each property of whole runs",
}
LONG_FILES = {
    "tests/bench/gpu/variants.cu": "kernels side by side, compared line by line",
    "tests/gpu/test_judge.c": "one device, opened once for all its tests",
    "tests/unit/mpi_runner/test_coordinator.c": "one made-up worker, many scripts",
    "tests/unit/mpi_runner/test_doctor.c": "one table of machines, a row a fault",
    "tests/unit/sched/test_sched.c": "one simulation, many cases",
    "tests/unit/mpi_runner/test_worker_loop.c": "one made-up judge, many scripts",
    "tests/unit/results/test_compare.c": "one pair of made-up files, many cases",
    "tests/unit/results/test_journal.c": "one journal, harmed in many ways",
    "tests/unit/worker/test_compare.c": "one table of outputs",
}
# Rooms whose folders may include each other; their units may not.
KNIT = {
    "worker": "a round of judging times, and what is timed is judged",
}
PAGE = "docs/ARCHITECTURE.md"
PLACES = ROOMS + (".ci", "docs", "include", "slurm", "tests")


def files_of_tree():
    for place in PLACES:
        for folder, inner, names in os.walk(place):
            inner[:] = [d for d in inner if d != "__pycache__"]
            for name in names:
                if name[0] != ".":
                    yield os.path.join(folder, name)


def is_source(file):
    return re.search(r"\.(c|h|cu|cuh|py|sh|js)$", file) is not None


def read(file):
    with open(file, encoding="utf-8", errors="replace") as f:
        return f.read()


def unit(file):
    return re.sub(r"(_cuda|_internal)?\.(c|h|cu|cuh)$", "", file)


def included(file, files):
    """The files of ours that it includes, as named from the root or beside it."""
    for name in re.findall(r'^#include "([^"]+)"', read(file), re.M):
        beside = os.path.normpath(os.path.join(os.path.dirname(file), name))
        found = name if name in files else beside
        if found in files:
            yield found


def circles(graph):
    """Sets of nodes that reach each other (Tarjan's algorithm)."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in number:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == number[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


def check_circles(files):
    sources = {f for f in files if re.search(r"\.(c|h|cu|cuh)$", f)
               and f.split("/")[0] in ROOMS}
    units, folders = collections.defaultdict(set), collections.defaultdict(set)
    for file in sources:
        for other in included(file, sources):
            if unit(other) != unit(file):
                units[unit(file)].add(unit(other))
                units[unit(other)]
            here, there = os.path.dirname(file), os.path.dirname(other)
            if here != there and file.split("/")[0] not in KNIT:
                folders[here].add(there)
                folders[there]
    for what, graph in (("units", units), ("folders", folders)):
        for circle in circles(graph):
            print("these %s include each other in a circle: %s"
                  % (what, " ".join(circle)))


def rows_of_page():
    """Of the page's table: folder -> folders that it includes; None: any."""
    rows = {}
    for names, others in re.findall(r"^\| (`[a-z_]+/[^|]*) \| ([^|]*) \|$",
                                    read(PAGE), re.M):
        for name in re.findall(r"`([^`]+)`", names):
            room = name.split("/")[0]
            rows[name] = None if others.startswith("all") else {
                room + "/" + other for other in re.findall(r"`([^`]+)`", others)}
    return rows


def check_order(files):
    rows = rows_of_page()
    includes = {name: set() for name in rows}
    for file in files:
        here = os.path.dirname(file)
        if file.endswith((".c", ".h")) and here in rows:
            includes[here] |= {
                os.path.dirname(other) for other in included(file, files)
                if other.split("/")[0] == here.split("/")[0]} - {here}
    for folder, found in sorted(includes.items()):
        if rows[folder] is None:
            continue
        for other in sorted(found - rows[folder]):
            print("%s includes %s, expected only what its row in %s names"
                  % (folder, other, PAGE))
        for other in sorted(rows[folder] - found):
            print("%s does not include %s, which its row in %s names"
                  % (folder, other, PAGE))


def check_folders(files):
    counts = collections.Counter(os.path.dirname(f) for f in files)
    for folder, n in sorted(counts.items()):
        if n > MAX_FILES and not any(
                (folder + "/").startswith(large + "/") for large in LARGE_FOLDERS):
            print("%s: %d files, expected %d at most: move some to a folder "
                  "of their own" % (folder, n, MAX_FILES))


def check_lengths(files):
    for file in filter(is_source, files):
        n = read(file).count("\n")
        if n > MAX_LINES and file not in LONG_FILES:
            print("%s: %d lines, expected %d at most" % (file, n, MAX_LINES))
        if n <= MAX_LINES and file in LONG_FILES:
            print("%s: %d lines, so it is not to be in LONG_FILES" % (file, n))


CHECKS = {"circles": check_circles, "order": check_order,
          "folders": check_folders, "lengths": check_lengths}

if __name__ == "__main__":
    CHECKS[sys.argv[1]](sorted(files_of_tree()))
