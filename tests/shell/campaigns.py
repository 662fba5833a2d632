"""campaigns.py SRC.h5 FOLDER N [WORD...] - N campaigns that never ran

Copies of SRC.h5, a day apart, with times of their own: 100 us and more, 0.4 %
noise from launch to launch, deterministic.  Words:

    slow=ROWS:FROM:FACTOR   those rows times FACTOR from campaign FROM on
    once=ROWS:AT:FACTOR     only in campaign AT
    drift=ROWS:PERCENT      slower by so much from campaign to campaign
    node=EVERY:FACTOR:ROWS  each EVERYth campaign ran on node 'sick'
    gpu=EVERY:FACTOR:ROWS   ... on GPU 'GPU-sick' of the node of all
    fail=ROWS:FROM:STATE    those rows end in that state from FROM on
    revision=FROM:TEXT      the ops' revision from FROM on
    driver=FROM:TEXT        the driver
    source=FROM:FILE        a file of the ops has another digest
    model=FROM:NAME         another model of device
    mixed=ROWS:EVERY:NAME   those rows ran on it in each EVERYth campaign
    tag=TEXT                of uuids and names, for a second series of files

ROWS is "all", "none" or A-B; campaigns count from 0.
"""
import os
import random
import shutil
import sys

import h5py
import numpy as np

src, folder, n, words = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
plan = [(w.split("=", 1)[0], w.split("=", 1)[1].split(":")) for w in words]
tag = next((v[0] for k, v in plan if k == "tag"), "c")
text = h5py.string_dtype()


def rows(word, total):
    if word in ("all", "none"):
        return range(total if word == "all" else 0)
    a, _, b = word.partition("-")
    return range(int(a), int(b or a) + 1)


def put(f, name, values):
    """Texts of a dataset, in its place."""
    attrs = dict(f[name].attrs)
    del f[name]
    f.create_dataset(name, data=np.array(values, dtype=text))
    for k in ("units", "long_name"):
        if k in attrs:
            f[name].attrs[k] = attrs[k]


def texts(f, name):
    return list(f[name].asstr()[:])


def rename(f, old, new):
    d = "dict/device"
    put(f, d, [new if t == old else t for t in texts(f, d)])
    put(f, "devices/name", [new for _ in texts(f, "devices/name")])


def make(i):
    path = os.path.join(folder, "%s%02d.h5" % (tag, i))
    draw = random.Random("%s %d" % (tag, i))
    shutil.copy(src, path)
    with h5py.File(path, "r+") as f:
        total = len(f["results/row"])
        us = np.array([100 + 7 * k for k in range(total)], float)
        status = f["results/status_id"][:]
        names = texts(f, "dict/status")
        host = "node"
        us *= 1 + 0.01 * draw.uniform(-1, 1)  # the machine's, this time
        for kind, v in plan:
            if kind == "slow" and i >= int(v[1]):
                us[list(rows(v[0], total))] *= float(v[2])
            elif kind == "once" and i == int(v[1]):
                us[list(rows(v[0], total))] *= float(v[2])
            elif kind == "drift":
                us[list(rows(v[0], total))] *= (1 + float(v[1]) / 100) ** i
            elif kind == "node" and i % int(v[0]) == int(v[0]) - 1:
                host = "sick"
                us[list(rows(v[2], total))] *= float(v[1])
            elif kind == "gpu":
                sick = i % int(v[0]) == int(v[0]) - 1
                put(f, "devices/uuid",
                    ["GPU-sick" if sick else "GPU-well" for _ in f["devices/row"]])
                us[list(rows(v[2] if sick else "none", total))] *= float(v[1])
            elif kind == "fail" and i >= int(v[1]):
                status[list(rows(v[0], total))] = names.index(v[2])
            elif kind == "revision" and i >= int(v[0]):
                keys = texts(f, "provenance/env_key")
                values = texts(f, "provenance/env_value")
                values[keys.index("OPSWEEP_REVISION")] = v[1]
                put(f, "provenance/env_value", values)
            elif kind == "driver" and i >= int(v[0]):
                put(f, "devices/driver", [v[1] for _ in f["devices/row"]])
            elif kind == "source" and i >= int(v[0]):
                put(f, "sources/sha256",
                    [("ab" * 32 if t == v[1] else s) for t, s in
                     zip(texts(f, "sources/file"), texts(f, "sources/sha256"))])
            elif kind == "model" and i >= int(v[0]):
                rename(f, texts(f, "dict/device")[-1], v[1])
            elif kind == "mixed" and i % int(v[1]) == int(v[1]) - 1:
                models = texts(f, "dict/device")
                put(f, "dict/device", models + [v[2]])
                ids = f["results/device_id"][:]
                ids[list(rows(v[0], total))] = len(models)
                f["results/device_id"][:] = ids
        us *= [1 + 0.004 * draw.gauss(0, 1) for _ in range(total)]
        f["results/status_id"][:] = status
        ns = np.where(status == names.index("pass"), us * 1e3, np.nan)
        f["results/t_median_ns"][:] = ns
        f["results/t_ci_lo_ns"][:] = ns * 0.998
        f["results/t_ci_hi_ns"][:] = ns * 1.002
        f["results/timer_id"][:] = 1
        f["results/throttle"][:] = 0
        put(f, "dict/host", [host if t else "" for t in texts(f, "dict/host")])
        for k, v in (("created_utc", "2026-%02d-%02dT03:00:00Z" % (1 + i // 28, 1 + i % 28)),
                     ("run_uuid", "%08x-0000-4000-8000-%012x" % (i, hash_of(tag))),
                     ("hostname", "head")):
            f.attrs.modify(k, np.array(v, dtype=text))


def hash_of(word):
    return sum(ord(c) * 31 ** k for k, c in enumerate(word)) % 16**12


os.makedirs(folder, exist_ok=True)
for i in range(n):
    make(i)
