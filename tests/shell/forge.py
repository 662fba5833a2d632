"""forge.py FIRST LAST FOLDER IN.h5... - result files that say what no run would

For each SEED from FIRST to LAST and each NAME.h5: FOLDER/SEED.NAME.h5, where some
datasets get values at the ends of their type, another length or type, or go;
deterministic by SEED.  Beside it SEED.NAME says what was done.  Without opsweep's
checksum: it went with the first change.
"""
import os
import random
import shutil
import sys

import h5py
import numpy as np

first, last, folder = sys.argv[1:4]
draw = random.Random()


def extreme(kind, bits):
    if kind == "f":
        return draw.choice([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e308])
    low, high = (0, 2**bits - 1) if kind == "u" else (-2**(bits - 1), 2**(bits - 1) - 1)
    return draw.choice([low, high, 0, 1, 7, min(high, 10**12)])


def forge(f, name):
    d = f[name]
    what = draw.random()
    if what < .7 and d.dtype.kind in "iuf" and d.shape and d.shape[0]:
        v = d[:]
        for i in range(len(v)):
            if draw.random() < .7:
                v[i] = extreme(d.dtype.kind, 8 * d.dtype.itemsize)
        d[:] = v
        return "values"
    del f[name]
    if what < .8:
        return "gone"
    if what < .9:
        f.create_dataset(name, data=np.zeros(draw.choice([0, 1, 3, 1000]), draw.choice(["u1", "f8", "i8"])))
        return "numbers"
    f.create_dataset(name, data=np.array([b"\xff\xfe<&", b"x" * 5000], dtype=h5py.string_dtype()))
    return "texts"


def forge_file(src, dst, said):
    shutil.copy(src, dst)
    with h5py.File(dst, "r+") as f:
        names = []
        f.visititems(lambda n, o: names.append(n) if isinstance(o, h5py.Dataset) else None)
        for _ in range(draw.choice([1, 1, 2, 4])):
            name = draw.choice(names if draw.random() < .5 else [n for n in names if n.startswith("results/")])
            if name in f:
                print(name, forge(f, name), file=said)
        if draw.random() < .2:
            name = draw.choice(["n_planned", "n_results", "complete", "mpi_size", "seed"])
            f.attrs.modify(name, draw.choice([0, 1, 3, 2**31 - 1]))
            print(name, file=said)


for seed in range(int(first), int(last) + 1):
    for src in sys.argv[4:]:
        draw.seed(seed)
        name = "%d.%s" % (seed, os.path.basename(src)[:-3])
        with open(os.path.join(folder, name), "w", encoding="utf-8") as said:
            forge_file(src, os.path.join(folder, name + ".h5"), said)
