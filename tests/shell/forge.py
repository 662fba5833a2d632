"""forge.py SEED IN.h5 OUT.h5 - a result file that says what no run would

Some datasets get values at the ends of their type, another length or type, or
go; deterministic by SEED.  Without opsweep's checksum: it went with the first
change.
"""
import random
import shutil
import sys

import h5py
import numpy as np

seed, src, dst = sys.argv[1:]
draw = random.Random(int(seed))


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


shutil.copy(src, dst)
with h5py.File(dst, "r+") as f:
    names = []
    f.visititems(lambda n, o: names.append(n) if isinstance(o, h5py.Dataset) else None)
    for _ in range(draw.choice([1, 1, 2, 4])):
        name = draw.choice(names if draw.random() < .5 else [n for n in names if n.startswith("results/")])
        if name in f:
            print(name, forge(f, name))
    if draw.random() < .2:
        name = draw.choice(["n_planned", "n_results", "complete", "mpi_size", "seed"])
        f.attrs.modify(name, draw.choice([0, 1, 3, 2**31 - 1]))
        print(name)
