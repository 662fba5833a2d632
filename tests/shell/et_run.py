# tests/shell/et_run.py - a program with a package's operators, run by ExecuTorch's runtime
#
#   et_run.py PACKAGE KERNELS.so     KERNELS.so registers the package's kernels
#
# Its results are those of the same operators in torch, to the bit.  Exit code 77 where
# the runtime cannot take this torch's tensors.
import ctypes
import os
import sys
import warnings

warnings.simplefilter("ignore")
package, kernels = sys.argv[1:]
sys.path.insert(0, package)

import mine  # noqa: E402, F401
import torch  # noqa: E402
from executorch.exir import EdgeCompileConfig, to_edge  # noqa: E402
from executorch.extension.pybindings import portable_lib  # noqa: E402


class Plain(torch.nn.Module):
    def forward(self, x, w):
        return x + w


class Ours(torch.nn.Module):
    def forward(self, x, w):
        rows = torch.ops.mine.rows.by(x, 3.0)
        one, two = torch.ops.mine.kinds(x, [w, rows], w, 2, f=0.5, l=[1, 2])
        return rows, one, two, one + two


def program_of(model, *x):
    edge = to_edge(torch.export.export(model, x), compile_config=EdgeCompileConfig(_check_ir_validity=False))
    return edge.to_executorch()


def run(program, *x):
    return portable_lib._load_for_executorch_from_buffer(program.buffer).forward(x)


x, w = torch.randn(4, 6), torch.randn(4, 6)
try:
    run(program_of(Plain(), x, w), x, w)
except RuntimeError as e:
    print(str(e).splitlines()[0])
    sys.exit(77)

# The runtime is in one of these; kernels find it once its names are global.
with open("/proc/self/maps") as maps:
    for path in {line.split()[-1] for line in maps if "libexecutorch.so" in line or "_portable_lib." in line}:
        ctypes.CDLL(path, mode=os.RTLD_NOW | os.RTLD_NOLOAD | os.RTLD_GLOBAL)
ctypes.CDLL(kernels)
program = program_of(Ours(), x, w)
called = {f"{o.name}.{o.overload}" for o in program.executorch_program.execution_plan[0].operators}
assert {"mine::rows.by_out", "mine::kinds.out"} <= called, called
for shape in (4, 6), (4, 6):
    x, w = torch.randn(shape), torch.randn(shape)
    got, want = run(program, x, w), Ours()(x, w)
    assert len(got) == 4 and all(torch.equal(g, e) for g, e in zip(got, want)), (got, want)
print("executorch:", ", ".join(sorted(called)))
