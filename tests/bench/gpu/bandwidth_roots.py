#!/usr/bin/env python3
"""tests/bench/gpu/bandwidth_roots.py - an op root of memory-bound cases

    bandwidth_roots.py FOLDER [OP...]

One folder per op of the library whose time is that of memory: what it has on a
GPU, and cases with more than 256 MiB of inputs or outputs in f32 and bf16.
FOLDER/cases.json says of each case what it is and how many bytes have to move:
inputs read once, outputs written once.
"""
import json
import pathlib
import re
import shutil
import sys

LIBRARY = pathlib.Path("ops/library")
SIZE = {"f32": 4, "bf16": 2, "f16": 2, "i64": 8, "b8": 1}
ROWS = {"f32": 12288, "bf16": 20480}  # of 8192: 384 and 320 MiB
FEW = {"f32": 128, "bf16": 128}  # to compile and to judge quickly

# op: [what, case, bytes, types if not both]; the main tensor has N elements of
# E bytes, [R, 8192] or as many in another shape
FLAT = "((T([{R}, 8192], {t}),), {})"
PAIR = "((T([{R}, 8192], {t}), T([{R}, 8192], {t})), {})"
CASES = {
    "relu": [("flat", FLAT, "2*N*E")],
    "sigmoid": [("flat", FLAT, "2*N*E", "bf16")],
    "silu": [("flat", FLAT, "2*N*E", "bf16")],
    "tanh": [("flat", FLAT, "2*N*E", "bf16")],
    "gelu": [("flat", FLAT, "2*N*E")],
    "gelu_backward": [("flat", PAIR, "3*N*E")],
    "tanh_backward": [("flat", PAIR, "3*N*E", "bf16")],
    "threshold_backward": [
        ("flat", PAIR.replace(")), {}", "), 0), {}"), "3*N*E", "bf16")],
    "pow__Tensor_Scalar": [("square", FLAT.replace(",), {", ", 2), {"), "2*N*E")],
    "mul__Scalar": [("flat", FLAT.replace(",), {", ", 0.5), {"), "2*N*E")],
    "ne__Scalar": [("to bool", FLAT.replace(",), {", ", 0), {"), "N*E+N")],
    "add__Tensor": [
        ("flat", PAIR, "3*N*E"),
        ("row broadcast", "((T([{R}, 8192], {t}), T([8192], {t})), {})",
         "2*N*E"),
        ("column broadcast", "((T([{R}, 8192], {t}), T([{R}, 1], {t})), {})",
         "2*N*E"),
        ("one transposed",
         "((T([{R}, 8192], {t}), T([{R}, 8192], {t}, stride=(1, {R}))), {})",
         "3*N*E")],
    "add___Tensor": [("in place", PAIR, "3*N*E")],
    "clone": [
        ("flat", FLAT, "2*N*E"),
        ("transposed", "((T([{R}, 8192], {t}, stride=(1, {R})),), {})",
         "2*N*E"),
        ("heads", "((T([{B}, 16, 1024, 64], {t}, "
         "stride=(1048576, 64, 1024, 1)),), {})", "2*N*E"),
        ("heads transposed", "((T([{B}, 16, 64, 1024], {t}, "
         "stride=(1048576, 64, 1, 1024)),), {})", "2*N*E"),
        ("rows apart", "((T([{R}, 8192], {t}, stride=(8320, 1)),), {})",
         "2*N*E")],
    "copy_": [("flat", PAIR, "2*N*E")],
    "_to_copy": [("to the other type",
                  "((T([{R}, 8192], {t}),), {'dtype': {o}})", "6*N")],
    "cat": [("two, columns", PAIR.replace("((T", "(([T").replace(
        ")), {}", ")], 1), {}"), "4*N*E")],
    "constant_pad_nd": [("a column", "((T([{R}, 8192], {t}), [0, 8], 0.0), {})",
                         "2*N*E+8*R*E")],
    "new_zeros": [("flat", "((T([1], {t}), [{R}, 8192]), {})", "N*E")],
    "sum__dim_IntList": [
        ("rows", "((T([{R}, 8192], {t}), [1]), {})", "N*E"),
        ("columns", "((T([{R}, 8192], {t}), [0]), {})", "N*E"),
        ("all", "((T([{R}, 8192], {t}), [0, 1]), {})", "N*E"),
        ("middle", "((T([{B}, 1024, 1024], {t}), [1]), {})", "N*E"),
        ("short rows", "((T([{S}, 256], {t}), [1]), {})", "N*E")],
    "mean__dim": [("rows", "((T([{R}, 8192], {t}), [1]), {})", "N*E")],
    "any": [("no", {"case": FLAT, "fill": {"self": "constant(0)"}}, "N*E")],
    "cumsum": [("rows", "((T([{R}, 8192], {t}), 1), {})", "2*N*E")],
    "_softmax": [
        ("rows of 8192", "((T([{R}, 8192], {t}), -1, False), {})", "2*N*E"),
        ("rows of 512", "((T([{S2}, 512], {t}), -1, False), {})", "2*N*E"),
        ("rows of 2048", "((T([{S8}, 2048], {t}), -1, False), {})", "2*N*E"),
        ("rows of 50257", "((T([{V}, 50257], {t}), -1, False), {})",
         "2*V*50257*E")],
    "_log_softmax": [
        ("rows of 8192", "((T([{R}, 8192], {t}), -1, False), {})", "2*N*E"),
        ("rows of 50257", "((T([{V}, 50257], {t}), -1, False), {})",
         "2*V*50257*E")],
    "_softmax_backward_data": [
        ("rows of 8192",
         "((T([{R}, 8192], {t}), T([{R}, 8192], {t}), -1, {t}), {})", "3*N*E"),
        ("rows of 512",
         "((T([{S2}, 512], {t}), T([{S2}, 512], {t}), -1, {t}), {})",
         "3*N*E")],
    "_log_softmax_backward_data": [
        ("rows of 8192",
         "((T([{R}, 8192], {t}), T([{R}, 8192], {t}), -1, {t}), {})", "3*N*E"),
        ("rows of 50257",
         "((T([{V}, 50257], {t}), T([{V}, 50257], {t}), -1, {t}), {})",
         "3*V*50257*E")],
    "native_layer_norm": [
        ("rows of 8192", "((T([{R}, 8192], {t}), [8192], T([8192], {t}), "
         "T([8192], {t}), 1e-05), {})", "2*N*E"),
        ("rows of 1024", "((T([{S4}, 1024], {t}), [1024], T([1024], {t}), "
         "T([1024], {t}), 1e-05), {})", "2*N*E+8*N/1024"),
        ("rows of 768", "((T([{S3}, 768], {t}), [768], T([768], {t}), "
         "T([768], {t}), 1e-05), {})", "2*N*E+8*N/768")],
    "native_layer_norm_backward": [
        ("rows of 1024", "((T([{S4}, 1024], {t}), T([{S4}, 1024], {t}), "
         "[1024], T([{S4}, 1], f32), T([{S4}, 1], f32), T([1024], {t}), "
         "T([1024], {t}), [True, True, True]), {})", "3*N*E+8*N/1024"),
        ("rows of 4096", "((T([{S16}, 4096], {t}), T([{S16}, 4096], {t}), "
         "[4096], T([{S16}, 1], f32), T([{S16}, 1], f32), T([4096], {t}), "
         "T([4096], {t}), [True, True, True]), {})", "3*N*E+8*N/4096")],
    "embedding": [("rows of 1024", "((T([2048, 1024], {t}), T([{S4}], i64)), {})",
                   "N*E+8*N/1024+2048*1024*E")],
    "embedding_dense_backward": [
        ("rows of 1024", "((T([{S4}, 1024], {t}), T([{S4}], i64), 4096, -1, "
         "False), {})", "N*E+8*N/1024+4096*1024*E")],
    "nll_loss_backward": [
        ("rows of 8192", "((T([], {t}), T([{R}, 8192], {t}), T([{R}], i64), "
         "None, 1, -100, T([], {t})), {})", "N*E")],
    "slice_backward": [
        ("half", "((T([{R}, 4096], {t}), [{R}, 8192], 1, 0, 4096, 1), {})",
         "3*N*E/2")],
    "select_backward": [
        ("one of 16", "((T([{B}, 65536], {t}), [{B}, 16, 65536], 1, 3), {})",
         "N*E+N*E/16")],
}

def cases_of(op, all_rows):
    """What, case, bytes and type of each case of an op."""
    for what, case, formula, *types in CASES[op]:
        for t, rows in all_rows.items():
            if t not in (types or all_rows):
                continue
            e = SIZE[t]
            n = rows * 8192
            number = {"R": rows, "B": n // 2**20, "S": n // 256,
                      "S2": n // 512, "S3": n // 768, "S4": n // 1024,
                      "S8": n // 2048, "S16": n // 4096, "V": n // 50257}
            text = case["case"] if isinstance(case, dict) else case
            text = re.sub(r"\{(\w+)\}", lambda m: str(
                {**number, "t": t, "o": "f32" if t == "bf16" else "bf16"}[
                    m.group(1)]), text)
            bytes_ = eval(formula, {}, {**number, "N": n, "E": e})
            entry = dict(case, case=text) if isinstance(case, dict) else text
            yield what, text, entry, int(bytes_), t


def make(root, op):
    folder = root / op
    folder.mkdir()
    for f in (LIBRARY / op).iterdir():
        if f.name != "gen_input.json":
            shutil.copy(f, folder)
    spec = json.loads((folder / "op.json").read_text())
    spec.pop("trials", None)  # time is what is asked for here
    spec["baseline"] = "fast"
    (folder / "op.json").write_text(json.dumps(spec))
    listed = list(cases_of(op, ROWS))
    few = [x[2] for x in cases_of(op, FEW)]
    (folder / "gen_input.json").write_text(json.dumps(
        {"correctness": few, "performance": [x[2] for x in listed]}))
    return [{"op": op, "name": spec["name"], "what": x[0], "case": x[1].replace(" ", ""),
             "bytes": x[3], "dtype": x[4]} for x in listed]


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1])
    target.mkdir(parents=True)
    shutil.copytree(LIBRARY / "shared", target / "shared")
    (target / "cases.json").write_text(json.dumps(
        sum((make(target, op) for op in sys.argv[2:] or CASES), [])))
