# opsweep_opinfo.py - cases from torch's own op database (suite "opinfo")
#
# Sample inputs become tests by BackendBench's rule.  An entry of op_db is called
# on each of its samples.  (operator, sample) is a test if that call uses exactly
# one operator of torch, and the operator gives the same result on the sample's
# own arguments.  Samples that are left out are counted, by reason.
#
# Values are generated on the processor, whatever the campaign's device is: so
# they are the same on every machine with the same torch.
import collections
import importlib
import random
import re
import sys
import types
import unittest
import warnings

try:
    import torch
except ImportError as e:
    raise ImportError("suite 'opinfo' needs torch in the Python that runs ops "
                      "(%s): %s" % (sys.executable, e)) from None

import opsweep_cases
from opsweep_aten import mapped, tensors
from opsweep_cases import BadCase

# A case's number: dtype, entry of op_db, sample; as in ops/cases/opinfo.h.
DTYPES = ("f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "u8", "b8",
          "c64", "c128")
DTYPE_STEP, ENTRY_STEP = 100000000, 100000

MAX_SAMPLES = 20000          # of an entry
MAX_SAMPLE_BYTES = 16 << 20  # of all tensors of a sample
MAX_TESTS = 200000           # altogether
KEPT = 8                     # lists of samples in memory
UNDEFINED = ("empty", "empty_like", "empty_strided", "new_empty",
             "new_empty_strided")
NAME = re.compile(r"\w+\.\w+\.\w+$")


def make_below(mode):
    """A mode that notes which operators are called.  Its method is given to
    the class afterwards: torch would wrap one that the class begins with, and
    import its compiler for that (4 s).
    """
    class Below(mode):
        def __init__(self, called):
            super().__init__()
            self.called = called

    def note(self, fn, types, args=(), kwargs=None):
        self.called.append(fn)
        return fn(*args, **(kwargs or {}))

    Below.__torch_dispatch__ = note
    return Below


def import_found():
    return importlib.import_module(
        "torch.testing._internal.common_methods_invocations")


class StandIn(types.ModuleType):
    """For a module of which names are taken and nothing is used."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(self, name, StandIn(self.__name__ + "." + name))
        return getattr(self, name)

    def __call__(self, *args, **kwargs):
        return args[0] if len(args) == 1 and callable(args[0]) else self


COMPILER = "torch._dynamo", "torch._inductor", "torch._inductor.utils"
# References that nothing here asks for.
SCIPY = "scipy.signal", "scipy.stats", "scipy.spatial", "scipy.fft"


def import_quickly():
    """torch's tests want a few names from its compiler, whose import takes
    longer (4 s) than all the rest, and from parts of scipy (1 s).
    """
    if any(n in sys.modules for n in COMPILER + SCIPY):
        return import_found()
    sys.modules.update({n: StandIn(n) for n in COMPILER + SCIPY})
    sys.modules[COMPILER[2]].GPU_TYPES = ["cuda", "mps", "xpu", "mtia"]
    try:
        return import_found()
    except Exception:  # they want more of it
        for name in [n for n in sys.modules
                     if n.startswith("torch.testing._internal")]:
            del sys.modules[name]
    finally:
        for name in COMPILER + SCIPY:
            del sys.modules[name]
            package, _, part = name.partition(".")
            if package in sys.modules:
                vars(sys.modules[package]).pop(part.split(".")[0], None)
    return import_found()


def broadcast_shapes(*shapes):
    """torch.broadcast_shapes; torch's own imports sympy for it (1 s)."""
    shapes = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    made = [1] * max(map(len, shapes), default=0)
    for shape in shapes:
        for at, n in enumerate(reversed(shape), 1):
            if n < 0 or (n != made[-at] and 1 not in (n, made[-at])):
                raise RuntimeError("shapes that cannot be broadcast: %s" %
                                   (shapes,))
            made[-at] = n if made[-at] == 1 else made[-at]
    return torch.Size(made)


def without_ceremony(found):
    """What torch's tests do beside making samples takes longer than that: they
    seed every device there may be before each sample and around random
    functions (ours seed where an entry begins), and look for the test that
    they run in.
    """
    torch.manual_seed = torch.random.manual_seed = \
        torch.default_generator.manual_seed
    for module in [m for n, m in sys.modules.items()
                   if n.startswith("torch.testing._internal")] + [found]:
        if hasattr(module, "extract_test_fn"):
            module.extract_test_fn = lambda: None
    utils = sys.modules["torch.testing._internal.common_utils"]
    utils.set_rng_seed = lambda seed=None: None


def import_op_db():
    """torch's own tests want a package that they use elsewhere only."""
    torch.broadcast_shapes = torch.functional.broadcast_shapes = \
        broadcast_shapes
    try:
        importlib.import_module("expecttest")
    except ImportError:
        stand_in = types.ModuleType("expecttest")
        stand_in.TestCase = unittest.TestCase
        stand_in.ACCEPT = False
        sys.modules["expecttest"] = stand_in
    try:
        found = import_quickly()
        mode = importlib.import_module("torch.utils._python_dispatch")
        without_ceremony(found)
        return list(found.op_db), make_below(mode.TorchDispatchMode)
    except (ImportError, AttributeError) as e:
        raise ImportError("torch %s: its op_db cannot be imported (%s): suite "
                          "'opinfo' needs torch >= 1.13 with torch.testing, "
                          "and what that imports" %
                          (torch.__version__, e)) from None


class Unwritten:
    """Were tensors written to?  Version counters do not see what operators
    write that their schemas do not own up to.  NaN counts as written.
    """

    def __init__(self, value):
        self.now = tensors(value)
        self.before = [t.clone() for t in self.now
                       if t.layout is torch.strided]

    def __bool__(self):
        return len(self.before) == len(self.now) and \
            all(map(torch.equal, self.now, self.before))


def agree(a, b):
    """As BackendBench has it: 1e-2, NaN equal to NaN."""
    if isinstance(a, torch.Tensor):
        if type(b) is type(a) and a.dtype == b.dtype and \
                a.layout is b.layout is torch.strided and torch.equal(a, b):
            return True
        try:
            torch.testing.assert_close(a, b, equal_nan=True, atol=1e-2,
                                       rtol=1e-2)
        except Exception:
            return False
        return True
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(agree(x, y) for x, y in zip(a, b))
    return bool(a == b)


class OpInfo(opsweep_cases.Generator):
    """`asked` is "DTYPE,DTYPE DEVICE 2/8": the last word says which share of
    the entries, of how many shares, is read.  draw() does not need `asked`.
    """

    def __init__(self, asked, arrays):
        self.name = "op_db"
        self.arrays = [a for a in arrays if type(a).__name__ == "Torch"]
        self.others = [a for a in arrays if a not in self.arrays]
        self.notation = opsweep_cases.Notation(self.arrays)
        self.op_db, self.below = import_op_db()
        self.kept = collections.OrderedDict()  # samples by (number, seed)
        self.asked = asked
        self.left = collections.Counter()
        self.by_chance = 0  # tests of BackendBench only
        warnings.simplefilter("ignore")

    # --- samples ---

    def seed(self, seed):
        """Seed the processor's generators; no other generator is used."""
        random.seed(seed)
        for a in self.others:
            a.seed(seed)
        torch.default_generator.manual_seed(seed)

    def make_items(self, seed):
        """They are made as they are asked for."""

    def samples(self, number, seed):
        """All samples of an entry in a dtype; `number` is the first's."""
        key = number, seed
        if key in self.kept:
            self.kept.move_to_end(key)
            return self.kept[key]
        dtype = number // DTYPE_STEP - 1
        entry = number % DTYPE_STEP // ENTRY_STEP
        if not 0 <= dtype < len(DTYPES) or entry >= len(self.op_db):
            raise BadCase("op_db of torch %s has %d entries, entry %d was "
                          "asked for" % (torch.__version__, len(self.op_db),
                                         entry))
        self.seed(seed + 1 + number)
        made = []
        for sample in self.op_db[entry].sample_inputs(
                "cpu", self.arrays[0].dtype(DTYPES[dtype])):
            made.append(sample)
            if len(made) > MAX_SAMPLES:
                raise BadCase("more than %d samples" % MAX_SAMPLES)
        self.kept[key] = made
        if len(self.kept) > KEPT:
            self.kept.popitem(last=False)
        return made

    def make_case(self, index, seed):
        at = index % ENTRY_STEP
        made = self.samples(index - at, seed)
        if at >= len(made):
            raise BadCase("%d samples this time, sample %d was asked for" %
                          (len(made), at))
        return (made[at].input, *made[at].args), made[at].kwargs

    # --- which are tests ---

    def operators(self, function, args, kwargs):
        """What it returns, and the operators of torch below it."""
        called = []

        with self.below(called):
            result = function(*args, **kwargs)
        return result, called

    def refuse(self, why):
        self.left["samples: " + why] += 1

    def operator_of(self, info, args, kwargs, device):
        """The one operator that the sample tests; None, and why is counted."""
        if device != "cpu":
            args, kwargs = mapped(
                lambda v: v.to(device) if isinstance(v, torch.Tensor) else v,
                (args, kwargs))
        try:
            result, called = self.operators(info.op, args, kwargs)
        except Exception:
            return self.refuse("the entry raises")
        if len(called) != 1:
            return self.refuse("several operators are called" if called else
                               "no operator is called")
        if not NAME.match(str(called[0])):
            return self.refuse("what is called is no operator")
        try:
            again = called[0](*args, **kwargs)
        except Exception:
            return self.refuse("the operator takes other arguments than the "
                               "entry")
        try:
            same = agree(result, again)
        except Exception:
            same = False
        if not same:
            return self.refuse("the operator alone gives something else "
                               "(another dtype, more outputs, random numbers)")
        return called[0]

    def find_tests(self, number, info, seed, device):
        """(sample, operator) of an entry, and whether samples were written
        to.
        """
        found, written = [], False
        for at in range(len(self.samples(number, seed))):
            args, kwargs = self.make_case(number + at, seed)
            if sum(t.numel() * t.element_size()
                   for t in tensors([args, kwargs])
                   if t.layout is torch.strided) > MAX_SAMPLE_BYTES:
                self.refuse("more than %d MiB" % (MAX_SAMPLE_BYTES >> 20))
                continue
            unwritten = Unwritten([args, kwargs])
            op = self.operator_of(info, args, kwargs, device)
            written = written or not unwritten
            if op is None:
                continue
            if str(op).split(".")[1] in UNDEFINED:
                self.by_chance += 1
                self.refuse("the result is memory as it was found, equal by "
                            "chance")
                continue
            found.append((at, str(op)))
        return found, written

    def entry_lines(self, number, info, seed, device):
        """Its tests by operator: lines of ops/cases/opinfo.h."""
        lines = collections.defaultdict(list)
        try:
            self.samples(number, seed)
        except Exception:
            self.left["entries: their samples cannot be made"] += 1
            return lines
        found, written = self.find_tests(number, info, seed, device)
        if written:
            self.kept.clear()
        for at, op in found:
            args, kwargs = self.make_case(number + at, seed)
            lines[op].append(self.line(number + at, args, kwargs))
        return lines

    def line(self, number, args, kwargs):
        try:
            text = self.notation.case(args, kwargs)
            return "case\t%d\t%016x\t%s" % (
                number, self.digest(text, args, kwargs), text)
        except Exception as e:
            return "bad\t%d\t%s" % (number, e)

    def wanted(self, info, dtype, device):
        """BackendBench's choice of entries."""
        if "." in info.name and "nn.functional" not in info.name:
            self.left["entries: of namespaces beside nn.functional"] += 1
        elif dtype not in info.supported_dtypes(device):
            self.left["entries: not of that dtype"] += 1
        elif info.name == "nonzero_static":
            self.left["entries: nonzero_static"] += 1
        else:
            return True
        return False

    def expand(self, seed, explain):
        dtypes, device, share = self.asked.split()
        share, n_shares = (int(n) for n in share.split("/"))
        self.left.clear()
        self.by_chance = 0
        by_op, n_ops, n_tests = {}, 0, 0
        traced = device
        if device == "cuda" and not torch.cuda.is_available():
            traced = "cpu"
        for name in dtypes.split(","):
            dtype = self.arrays[0].dtype(name)
            first = (DTYPES.index(name) + 1) * DTYPE_STEP
            for i, info in enumerate(self.op_db):
                if i % n_shares != share or \
                        not self.wanted(info, dtype, device):
                    continue
                found = self.entry_lines(first + i * ENTRY_STEP, info, seed,
                                         traced)
                for op, lines in found.items():
                    by_op.setdefault(op, []).extend(lines)
                    n_ops += 1
                    n_tests += len(lines)
                if n_tests > MAX_TESTS:
                    raise BadCase("more than %d tests" % MAX_TESTS)
        said = ["torch\t%s, op_db of %d entries, operators found on %s" %
                (torch.__version__, len(self.op_db), traced),
                "tests\t%d\t%d" % (n_tests + self.by_chance, n_ops)]
        said += ["left\t%d\t%s" % (n, why)
                 for why, n in sorted(self.left.items())]
        for op in sorted(by_op):
            said.append("op\t" + op)
            said += by_op[op]
        return "".join(line.replace("\n", " ") + "\n" for line in said)


def make_generator(asked, arrays):
    return OpInfo(asked, arrays)
