#!/usr/bin/env python3
"""tests/bench/gpu/roots.py - op roots for the GPU benches, from the library

    roots.py KIND FOLDER

fourteen  relu, add, softmax, mm; 1 Ki to 64 Mi elements; the fast
          implementation against the library's baseline
aa        the same cases, the fast implementation against a copy of itself
tiny      relu on thousands of tiny tensors, no timing
faults    a hundred cases, each with one implementation that breaks the device
          and one that is right
"""
import json
import pathlib
import shutil
import sys

LIBRARY = pathlib.Path("ops/library")
ONE = "((T([{n}], bf16),), {})"
TWO = "((T([{n}], bf16), T([{n}], bf16)), {})"
ROWS = "((T([{n}, {n}], bf16), -1, False), {})"
SQUARE = "((T([{n}, {n}], bf16), T([{n}, {n}], bf16)), {})"
FOURTEEN = {
    "relu": [ONE, 2**10, 2**16, 2**22, 2**26],
    "add__Tensor": [TWO, 2**10, 2**16, 2**22, 2**26],
    "_softmax": [ROWS, 32, 1024, 8192],
    "mm": [SQUARE, 32, 1024, 8192],
}


def folder_of(root, op):
    folder = root / op
    folder.mkdir()
    for kind in ("c", "cu"):
        shutil.copy(LIBRARY / op / f"{op}_reference.{kind}", folder)
    return folder, json.loads((LIBRARY / op / "op.json").read_text())


def write(folder, spec, correctness, performance):
    (folder / "op.json").write_text(json.dumps(spec))
    (folder / "gen_input.json").write_text(
        json.dumps({"correctness": correctness, "performance": performance}))


def cases(op):
    text, *sizes = FOURTEEN[op]
    return [text.replace("{n}", str(n)) for n in sizes]


def vendor_of(op):
    """The library's own baseline on a GPU, or what it has beside `fast`."""
    spec = json.loads((LIBRARY / op / "op.json").read_text())
    baseline = spec.get("baseline", "")
    if isinstance(baseline, dict):
        return baseline.get("cuda")
    names = sorted(f.stem[len(op) + 1:] for f in (LIBRARY / op).glob("*.cu"))
    return next((n for n in names if n not in ("fast", "reference")), None)


def fourteen(root):
    for op in FOURTEEN:
        folder, spec = folder_of(root, op)
        vendor = vendor_of(op)
        names = {"fast", vendor or "fast"}
        for name in names:
            shutil.copy(LIBRARY / op / f"{op}_{name}.cu", folder)
        spec["build"] = {k: v for k, v in spec.get("build", {}).items()
                         if k in names}
        spec["baseline"] = vendor or "fast"
        write(folder, spec, [], cases(op))


def aa(root):
    for op in FOURTEEN:
        folder, spec = folder_of(root, op)
        for name in ("first", "copy"):
            shutil.copy(LIBRARY / op / f"{op}_fast.cu",
                        folder / f"{op}_{name}.cu")
        spec.pop("build", None)
        spec["baseline"] = "first"
        write(folder, spec, [], cases(op))


def tiny(root):
    folder, spec = folder_of(root, "relu")
    shutil.copy(LIBRARY / "relu/relu_fast.cu", folder)
    spec.pop("build", None)
    spec.pop("baseline", None)
    write(folder, spec,
          [{"case": "((T([{a}, {b}], {t}),), {})",
            "for": {"a": list(range(1, 51)), "b": list(range(1, 34)),
                    "t": ["f32", "f16", "bf16"]}}], [])


FAULT = """/* %s */
#include <opsweep/op.h>

__global__ void fault(float *x)
{
    %s
}

extern "C" int shaky_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);

    if (!y)
        return OSW_ERROR;
    fault<<<1, 1, 0, (cudaStream_t)call->stream>>>((float *)osw_data(y));
    return 0;
}
"""
RIGHT = """/* twice its input */
#include <opsweep/op.h>

%s
"""
BODY = """    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    int64_t n = osw_numel(x);

    if (!y)
        return OSW_ERROR;
"""
KERNEL = """__global__ void twice(const float *x, float *y, int64_t n)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = 2 * x[i];
}

extern "C" int shaky_kernel_impl(const osw_call *call)
{
""" + BODY + """    twice<<<(unsigned)(n / 256 + 1), 256, 0, (cudaStream_t)call->stream>>>(
        (const float *)osw_data(x), (float *)osw_data(y), n);
    return 0;
}"""
HOST = "int shaky_reference(const osw_call *call)\n{\n" + BODY + """    for (int64_t i = 0; i < n; i++)
        ((float *)osw_data(y))[i] = 2 * ((const float *)osw_data(x))[i];
    return 0;
}"""
FAULTS = {
    "illegal": "x[(1ull << 45) + threadIdx.x] = 1;",
    "trap": "__trap();",
    "endless": "volatile float *p = x; while (*p < 1e30f) *p = 0;",
}


def faults(root):
    for what, body in FAULTS.items():
        folder = root / what / "shaky"
        folder.mkdir(parents=True)
        (folder / "shaky_bad.cu").write_text(FAULT % (what, body))
        (folder / "shaky_right.cu").write_text(RIGHT % KERNEL)
        (folder / "shaky_reference.c").write_text(RIGHT % HOST)
        write(folder, {"schema": "shaky(Tensor self) -> Tensor"},
              [{"case": "((T([{n}], f32),), {})",
                "for": {"n": list(range(1000, 1100))}}], [])


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[2])
    target.mkdir(parents=True)
    if sys.argv[1] != "faults":
        shutil.copytree(LIBRARY / "shared", target / "shared")
    {"fourteen": fourteen, "aa": aa, "tiny": tiny,
     "faults": faults}[sys.argv[1]](target)
