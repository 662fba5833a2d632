#!/usr/bin/env python3
"""tests/bench/aa_root.py - 20 ops x 3 cases, each op with a copy of itself

    aa_root.py FOLDER [--device cpu|cuda] [--sizes N,N,N] [--ops OP,OP...]
               [--slower PERCENT]

--slower: six of the copies (two of each of three sizes) work for that much
longer than what they are copies of; their cases are written to
FOLDER/planted.json as [[op, case], ...].  By 0: the same code, and no slower: a
base to compare with must have the same code around its loops, or cells of other
sizes differ too (relu on 65,536 elements by 35 %).
"""
import argparse
import json
import pathlib
import shutil

LIBRARY = pathlib.Path("ops/library")
PAIR = "((T([{n}], f32), T([{n}], f32)), {})"
ONE = "((T([{n}], f32),), {})"
SCALAR = "((T([{n}], f32), 2.5), {})"
ROWS = {"_softmax": "((T([{r}, 256], f32), -1, False), {})",
        "_log_softmax": "((T([{r}, 256], f32), -1, False), {})",
        "sum__dim_IntList": "((T([{r}, 256], f32), [1]), {})",
        "native_layer_norm": "((T([{r}, 256], f32), [256], T([256], f32), "
                             "T([256], f32), 1e-05), {})"}
PAIRS = ["add__Tensor", "sub__Tensor", "mul__Tensor", "div__Tensor"]
ONES = ["relu", "tanh", "gelu", "sigmoid", "silu", "clone"]
OPS = {
    "cpu": dict.fromkeys(PAIRS + ["maximum", "minimum"], PAIR)
    | dict.fromkeys(ONES + ["neg", "sqrt", "reciprocal", "cos"], ONE) | ROWS,
    "cuda": dict.fromkeys(PAIRS + ["gelu_backward", "tanh_backward"], PAIR)
    | dict.fromkeys(ONES, ONE) | ROWS
    | dict.fromkeys(["mul__Scalar", "pow__Tensor_Scalar", "rsub__Scalar"], SCALAR)
    | {"threshold_backward": "((T([{n}], f32), T([{n}], f32), 0.5), {})"},
}
SIZES = {"cpu": "16384,131072,1048576", "cuda": "65536,1048576,16777216"}
# of the smallest size, the next, the largest, and again
PLANTED = ["relu", "tanh", "_softmax", "gelu", "silu", "mul__Tensor"]
SLOWER_C = """#define {op}_kernel_impl as_it_was
#include "{op}_first.c"
#undef {op}_kernel_impl
#include <time.h>

static double now(void)
{{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}}

int {op}_kernel_impl(const osw_call *call)
{{
    double begin, end;
    int rc;

    if (osw_numel(osw_arg_tensor(call, 0)) != {n}) /* no clock: 30 ns show */
        return as_it_was(call);
    begin = now();
    rc = as_it_was(call);
    end = now();
    end += (end - begin) * {share};
    while (now() < end)
        ;
    return rc;
}}
"""
SLOWER_CU = """#define {op}_kernel_impl as_it_was
#include "{op}_first.cu"
#undef {op}_kernel_impl
static __device__ unsigned long long begin_ns;

static __device__ unsigned long long now(void)
{{
    unsigned long long t;

    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
}}

static __global__ void begin(void)
{{
    begin_ns = now();
}}

static __global__ void go_on(void)
{{
    const unsigned long long t = now();
    const double more = (double)(t - begin_ns) * {share};

    while ((double)(now() - t) < more)
        ;
}}

extern "C" int {op}_kernel_impl(const osw_call *call)
{{
    int rc;

    if (osw_numel(osw_arg_tensor(call, 0)) != {n}) /* two launches: 2 us show */
        return as_it_was(call);
    begin<<<1, 1, 0, (cudaStream_t)call->stream>>>();
    rc = as_it_was(call);
    go_on<<<1, 1, 0, (cudaStream_t)call->stream>>>();
    return rc;
}}
"""
SLOWER = {"cpu": SLOWER_C, "cuda": SLOWER_CU}


def sources(op, device):
    """The implementation that is copied, and the references."""
    folder = LIBRARY / op
    if device == "cuda":
        return (folder / f"{op}_fast.cu",
                sorted(folder.glob(f"{op}_reference.c*")))
    names = ("reference", "openblas", "onednn", "blocked", "plain")
    return (next(f for f in sorted(folder.glob(op + "_*.c"))
                 if f.stem not in [f"{op}_{name}" for name in names]),
            [folder / f"{op}_reference.c"])


def make(root, device, sizes, percent, ops):
    planted = []
    root.mkdir()
    shutil.copytree(LIBRARY / "shared", root / "shared")
    for op, case in ops.items():
        first, references = sources(op, device)
        folder = root / op
        folder.mkdir()
        for f in [*references, *(LIBRARY / op).glob("*.h")]:
            shutil.copy(f, folder)
        for name in ("first", "copy"):
            shutil.copy(first, folder / f"{op}_{name}{first.suffix}")
        cases = [case.replace("{n}", str(n)).replace("{r}", str(n // 256))
                 for n in sizes]
        if percent is not None and op in PLANTED:
            which = PLANTED.index(op) % len(sizes)
            (folder / f"{op}_copy{first.suffix}").write_text(
                SLOWER[device].format(op=op, n=sizes[which], share=percent / 100))
            planted.append([op, cases[which]])
        spec = json.loads((LIBRARY / op / "op.json").read_text())
        spec.pop("build", None)
        spec["baseline"] = "first"
        (folder / "op.json").write_text(json.dumps(spec))
        (folder / "gen_input.json").write_text(
            json.dumps({"correctness": [], "performance": cases}))
    (root / "planted.json").write_text(json.dumps(planted))


parser = argparse.ArgumentParser()
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--device", choices=OPS, default="cpu")
parser.add_argument("--sizes", help="elements of the three cases")
parser.add_argument("--slower", type=float)
parser.add_argument("--ops", help="some of the 20 ops")
a = parser.parse_args()
chosen = {op: OPS[a.device][op] for op in (a.ops or ",".join(OPS[a.device])).split(",")}
make(a.folder, a.device,
     [int(n) for n in (a.sizes or SIZES[a.device]).split(",")], a.slower, chosen)
