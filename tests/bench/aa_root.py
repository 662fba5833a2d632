#!/usr/bin/env python3
"""tests/bench/aa_root.py - 20 ops x 3 cases, each op with a copy of itself

    aa_root.py FOLDER
"""
import json
import pathlib
import shutil
import sys

LIBRARY = pathlib.Path("ops/library")
PAIR = "((T([{n}], f32), T([{n}], f32)), {})"
ONE = "((T([{n}], f32),), {})"
ROWS = "((T([{r}, 256], f32), -1, False), {})"
OPS = {op: PAIR for op in ("add__Tensor", "sub__Tensor", "mul__Tensor",
                           "div__Tensor", "maximum", "minimum")}
OPS.update({op: ONE for op in ("relu", "neg", "sqrt", "tanh", "gelu", "sigmoid",
                               "silu", "reciprocal", "cos", "clone")})
OPS.update({"_softmax": ROWS, "_log_softmax": ROWS,
            "sum__dim_IntList": "((T([{r}, 256], f32), [1]), {})",
            "native_layer_norm": "((T([{r}, 256], f32), [256], T([256], f32), "
                                 "T([256], f32), 1e-05), {})"})
root = pathlib.Path(sys.argv[1])
root.mkdir()
for header in LIBRARY.glob("*.h"):
    shutil.copy(header, root)
for op, case in OPS.items():
    folder = root / op
    folder.mkdir()
    spec = json.loads((LIBRARY / op / "op.json").read_text())
    first = next(f for f in sorted((LIBRARY / op).glob(op + "_*.c"))
                 if f.stem != op + "_reference" and "openblas" not in f.stem
                 and "blocked" not in f.stem)
    shutil.copy(first, folder / f"{op}_first.c")
    shutil.copy(first, folder / f"{op}_copy.c")
    shutil.copy(LIBRARY / op / f"{op}_reference.c", folder)
    spec.pop("build", None)
    spec["baseline"] = "first"
    (folder / "op.json").write_text(json.dumps(spec))
    sizes = [16384, 131072, 1048576]
    cases = [case.replace("{n}", str(n)).replace("{r}", str(n // 256))
             for n in sizes]
    (folder / "gen_input.json").write_text(
        json.dumps({"correctness": [], "performance": cases}))
