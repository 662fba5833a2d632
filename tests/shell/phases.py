"""phases.py FILE.h5... - phases of each cell add up to its wall clock within 2 %,
and those of all cells of a worker to no more than the worker's"""
import sys

import h5py
import numpy as np

PHASES = ("build", "fill", "reference", "run", "verify", "time", "wait")

for path in sys.argv[1:]:
    with h5py.File(path, "r") as f:
        wall = f["results/wall_ns"][:].astype(float)
        found = sum(f["results/%s_ns" % p][:].astype(float) for p in PHASES)
        spent = sum(f["ranks/%s_ns" % p][:].astype(float) for p in PHASES)
        lived = f["ranks/wall_ns"][:].astype(float)
    assert (spent <= 1.02 * lived).all(), (path, spent, lived)
    off = np.abs(found - wall) > 0.02 * wall + 1000
    assert not off.any(), (path, [(i, found[i], wall[i]) for i in np.where(off)[0][:3]])
    print(len(wall), "cells,", wall.max(initial=0) / 1e6, "ms the longest")
