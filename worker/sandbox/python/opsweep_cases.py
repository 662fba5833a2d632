# opsweep_cases.py - cases that Python makes: gen_input.py, in a sandbox
#
# The contract is BackendBench's custom_ops suite: get_correctness_tests() and
# get_performance_tests() give items that are Test objects, (args...),
# (args, {kwargs}) where args is a tuple, a list or a single argument, or a
# single argument alone.  Arguments may be functions without arguments, which
# are called each time that the case is made.  With the same seed a case has the
# same values wherever and whenever it is made; a digest tells if not.
import difflib
import hashlib
import importlib.util
import itertools
import os
import random
import sys
import types

from opsweep_arrays import tensors_of

MAX_CASES = 100000
LISTS = (("get_correctness_tests", 0), ("get_performance_tests", 1))


class BadCase(Exception):
    """A case that cannot be written down."""


# --- BackendBench, where it is not installed ---


def evaluate(value):
    """What a value is: functions are called, lists looked into."""
    if isinstance(value, (tuple, list)):
        return type(value)(evaluate(v) for v in value) \
            if type(value) in (tuple, list) else value
    if isinstance(value, dict):
        return {k: evaluate(v) for k, v in value.items()}
    if callable(value) and not isinstance(value, type):
        return value()
    return value


def arguments(item):
    """Arguments of an item, by position and by keyword."""
    if hasattr(item, "args") and hasattr(item, "kwargs"):
        return tuple(item.args), dict(item.kwargs)
    kwargs = {}
    if isinstance(item, (tuple, list)) and len(item) == 2 and \
            isinstance(item[1], dict):
        item, kwargs = item
    if not isinstance(item, (tuple, list)):
        item = (item,)
    return tuple(evaluate(a) for a in item), evaluate(kwargs)


class Test:
    """BackendBench.suite.base.Test: arguments made anew at each look."""

    def __init__(self, *args, **kwargs):
        self._args = args
        self._kwargs = kwargs

    @property
    def args(self):
        return [evaluate(a) for a in self._args]

    @property
    def kwargs(self):
        return {k: evaluate(v) for k, v in self._kwargs.items()}


class OpTest:
    """BackendBench.suite.base.OpTest: an op and its lists of tests."""

    def __init__(self, op, correctness_tests, performance_tests):
        self.op = op
        self.correctness_tests = correctness_tests
        self.performance_tests = performance_tests


class TestSuite:
    """BackendBench.suite.base.TestSuite: a name and its ops' tests."""

    def __init__(self, name, optests):
        self.name = name
        self.optests = optests

    def __iter__(self):
        return iter(self.optests)


def stand_in_for_backendbench():
    """`from BackendBench.suite.base import Test` works without it."""
    try:
        if importlib.util.find_spec("BackendBench"):
            return
    except (ImportError, ValueError):
        pass
    for name in ("BackendBench", "BackendBench.suite",
                 "BackendBench.suite.base"):
        module = types.ModuleType(name)
        module.__path__ = []
        for part in (Test, OpTest, TestSuite):
            setattr(module, part.__name__, part)
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)


# --- values as notation ---


class Notation:
    """Values in the case notation; `arrays` are those that modules there are
    for: worker/sandbox/python/opsweep_host.py.
    """

    offsets = True  # are written

    def __init__(self, arrays):
        self.arrays = arrays
        self.types = {t: a for a in arrays for t in a.types}

    def is_tensor(self, value):
        return type(value) in self.types

    def of(self, value):
        if type(value) not in self.types:
            raise BadCase("a %s" % type(value).__name__)
        return self.types[type(value)]

    def tensor(self, value):
        shape, strides, offset, dtype = self.of(value).layout(value)
        return "T(%s, %s%s%s)" % (
            list(shape), dtype,
            ", stride=%s" % (tuple(strides),) if strides else "",
            ", offset=%d" % offset if offset and self.offsets else "")

    def text(self, value):
        if self.is_tensor(value):
            return self.tensor(value)
        if value is None or isinstance(value, (bool, str)):
            return repr(value)
        if type(value) in (int, float):
            return repr(value)
        if type(value) in (tuple, list):
            items = ", ".join(self.text(v) for v in value)
            if type(value) is list:
                return "[%s]" % items
            return "(%s%s)" % (items, "," if len(value) == 1 else "")
        if type(value) is dict and all(type(k) is str for k in value):
            return self.named(value)
        for a in self.arrays:
            word = a.notation(value)
            if word is not None:
                return word
        raise BadCase("a value of type %s.%s has no notation" %
                      (type(value).__module__, type(value).__name__))

    def named(self, values):
        return "{%s}" % ", ".join("%r: %s" % (k, self.text(v))
                                  for k, v in values.items())

    def case(self, args, kwargs):
        return "(%s, %s)" % (self.text(tuple(args)), self.named(kwargs))


# --- the generator ---


def near_miss(namespace, name, ending=None):
    """", but 'f' in line 3": the module's own function that may be meant, by
    its ending or else its name; of a function with an ending also a class
    whose objects can be called, as torch's modules can.  "" when none is near.
    """
    own = {k: v for k, v in namespace.items() if callable(v) and
           getattr(v, "__module__", None) == namespace["__name__"]}
    near = [k for k in own if ending and k.endswith(ending)] or \
        difflib.get_close_matches(name, own, 1, 0.5)
    objects = [k for k, v in own.items() if isinstance(v, type) and
               any("__call__" in vars(c) for c in v.__mro__)]
    if ending and objects and (not near or near[0] in objects):
        return ", but the class '%s': add %s = %s()" % (
            objects[-1], name, objects[-1])
    if not near:
        return ""
    code = getattr(own[near[0]], "__code__", None)
    return ", but '%s'%s" % (
        near[0], " in line %d" % code.co_firstlineno if code else "")


class Generator:
    def __init__(self, path, module, arrays, notes=None):
        self.name = os.path.basename(path)
        self.module = module
        self.arrays = arrays
        self.notation = Notation(arrays)
        self.notes = notes  # opsweep_independent.Independent, if any
        self.seeded = None  # what self.items were made with
        self.items = []     # (performance, item)
        if not any(callable(getattr(module, n, None)) for n, _ in LISTS):
            raise BadCase("%s defines neither of %s%s" % (
                self.name, ", ".join(n + "()" for n, _ in LISTS),
                near_miss(vars(module), LISTS[0][0])))

    def seed(self, seed):
        random.seed(seed)
        for a in self.arrays:
            a.seed(seed)

    def make_items(self, seed):
        if self.seeded == seed:
            return
        self.items = []
        self.seeded = None
        self.seed(seed)
        for name, performance in LISTS:
            function = getattr(self.module, name, None)
            made = function() if function else None
            made = list(itertools.islice(made or [], MAX_CASES + 1))
            self.items += [(performance, item) for item in made]
        if len(self.items) > MAX_CASES:
            raise BadCase("%s makes more than %d cases" %
                          (self.name, MAX_CASES))
        if not self.items:
            raise BadCase("%s makes no case" % self.name)
        self.seeded = seed

    def make_case(self, index, seed):
        self.make_items(seed)
        if index >= len(self.items):
            raise BadCase("%s makes %d case%s this time, case %d was asked for"
                          % (self.name, len(self.items),
                             "s"[:len(self.items) != 1], index))
        item = self.items[index][1]
        self.seed(seed + 1 + index)
        return arguments(item)

    def digest(self, text, args, kwargs):
        made = hashlib.blake2b(text.encode(), digest_size=8)

        def add(value):
            if self.notation.is_tensor(value):
                made.update(self.notation.of(value).bits(value))
            elif isinstance(value, (tuple, list, dict)):
                for v in value.values() if type(value) is dict else value:
                    add(v)

        add(args)
        add(tuple(kwargs.values()))
        return (int.from_bytes(made.digest(), "big") >> 1) | 1

    def tensors(self, value):
        return tensors_of(value, self.notation.is_tensor)

    def line(self, args, kwargs):
        """Digest, flags and text of a case."""
        flags = ""
        if self.notes:
            self.notes.rests = True
            flags = self.notes.flags(self.tensors((tuple(args), kwargs)))
        try:
            text = self.notation.case(args, kwargs)
            return "%016x\t%s\t%s" % (self.digest(text, args, kwargs), flags,
                                      text)
        finally:
            if self.notes:
                self.notes.rests = False

    def expand(self, seed, explain):
        """The lines of ops/cases/gen_lines.h."""
        self.make_items(seed)
        lines = []
        for index, (performance, _) in enumerate(self.items):
            try:
                args, kwargs = self.make_case(index, seed)
                lines.append("case\t%d\t%s\n" % (
                    performance, self.line(args, kwargs)))
            except Exception as e:  # the op's author gets to read it
                words = explain(e, e.__traceback__)[1]
                lines.append("bad\t%d\tcase %d of %s: %s\n" % (
                    performance, index, self.name, words))
        return "".join(line.replace("\n", " ")[:-1] + "\n" for line in lines)

    def draw(self, args, kwargs, index, seed):
        """Values of a case into the tensors of the same arguments."""
        drawn_args, drawn_kwargs = self.make_case(index, seed)
        text = self.notation.case(drawn_args, drawn_kwargs)
        self.copy(args, drawn_args, text)
        for name, value in kwargs.items():
            if name not in drawn_kwargs:
                raise BadCase("another case this time: %s" % text)
            self.copy(value, drawn_kwargs[name], text)
        return self.digest(text, drawn_args, drawn_kwargs)

    def copy(self, slot, value, text):
        """Tensors only: a schema may have made a list of a number."""
        if self.notation.is_tensor(slot) and self.notation.is_tensor(value) \
                and tuple(slot.shape) == tuple(value.shape):
            self.notation.of(slot).take(slot, value)
        elif isinstance(slot, (tuple, list)) and \
                isinstance(value, (tuple, list)) and len(slot) == len(value):
            for s, v in zip(slot, value):
                self.copy(s, v, text)
        elif type(slot) is dict and type(value) is dict and \
                slot.keys() == value.keys():
            for k, v in slot.items():
                self.copy(v, value[k], text)
        elif self.tensors(slot):
            raise BadCase("another case this time: %s" % text)
