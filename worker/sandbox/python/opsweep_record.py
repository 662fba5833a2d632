# opsweep_record.py - which operators of torch a program calls, as a trace
#
#     python3 .../opsweep_record.py -o calls.txt train.py --steps 1
#
# records a whole program; `with opsweep_record.Calls() as calls: step()`, then
# calls.write(path), records a part of it.  Forward, backward and optimizer are
# recorded, on any device and under FakeTensorMode.
import argparse
import os
import runpy
import sys

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from opsweep_arrays import BadOutput, Torch
from opsweep_cases import BadCase, Notation


class AnyTensor(Notation):
    """Of subclasses, too: fake tensors are written as if they held values.
    Where they begin in their memory is left out: other readers of traces do not
    know it, and calls on the rows of a tensor are one case.
    """
    offsets = False

    def __init__(self):
        super().__init__([Torch("cpu")])

    def is_tensor(self, value):
        return isinstance(value, torch.Tensor)

    def of(self, value):
        if value.layout is not torch.strided:
            raise BadCase("a tensor of layout %s" % value.layout)
        return self.arrays[0]


def tensors_of(arguments):
    return [a for a in arguments if "Tensor" in str(a.type)]


def computes_nothing(fn):
    """Does it make a tensor out of none, no tensor (item), one that is
    undefined, or one view?
    """
    schema = fn._schema
    given, made = tensors_of(schema.arguments), tensors_of(schema.returns)
    if not given or fn.name().split(".")[0].endswith("_like"):
        return True
    if schema.is_mutable or len(made) > 1:
        return False
    if not made:
        return True
    out = made[0].alias_info
    return any(a.alias_info and out and
               a.alias_info.before_set & out.after_set for a in given)


class Calls(TorchDispatchMode):
    """`counts` is {operator: {case: calls}}; `left_out` has calls that have no
    notation: {(operator, reason): calls}.
    """

    def __init__(self):
        super().__init__()
        self.notation = AnyTensor()
        self.counts = {}
        self.left_out = {}
        self.skipped = {}

    def note(self, fn, args, kwargs):
        if fn not in self.skipped:
            self.skipped[fn] = computes_nothing(fn)
        if self.skipped[fn]:
            return
        try:
            case = self.notation.case(args, kwargs)
        except (BadCase, BadOutput) as e:
            why = str(fn), str(e)
            self.left_out[why] = self.left_out.get(why, 0) + 1
            return
        cases = self.counts.setdefault(str(fn), {})
        cases[case] = cases.get(case, 0) + 1

    def __torch_dispatch__(self, fn, types, args=(), kwargs=None):
        self.note(fn, args, kwargs or {})
        return fn(*args, **(kwargs or {}))

    def write(self, path):
        with open(path, "w") as out:
            for name in sorted(self.counts):
                out.write("Operator: %s\n" % name)
                for case, n in self.counts[name].items():
                    out.write("cnt: %d, %s\n" % (n, case))

    def summary(self):
        n = sum(map(len, self.counts.values()))
        calls = sum(sum(c.values()) for c in self.counts.values())
        lines = ["%d operators, %d cases, %d calls" %
                 (len(self.counts), n, calls)]
        return lines + ["left out: %s: %s (%d calls)" % (name, why, n)
                        for (name, why), n in sorted(self.left_out.items())]


def run_program(path, arguments):
    sys.argv = [path] + arguments
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    runpy.run_path(path, run_name="__main__")


def main():
    parser = argparse.ArgumentParser(
        description="Record which operators of torch a program calls.")
    parser.add_argument("-o", "--output", required=True, metavar="FILE",
                        help="the trace")
    parser.add_argument("program", help="a Python program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER,
                        help="its arguments")
    options = parser.parse_args()
    try:
        with Calls() as calls:
            run_program(options.program, options.arguments)
    finally:
        calls.write(options.output)
        print("\n".join(["%s: %s" % (options.output, line)
                         for line in calls.summary()]), file=sys.stderr)


if __name__ == "__main__":
    sys.modules["opsweep_record"] = sys.modules["__main__"]
    main()
