# opsweep_host.py - what the sandbox does in Python
#
# Run by opsweep-sandbox with the user's own interpreter.  It loads
# libopsweep_sandbox.so, whose loop serves the judge and calls the methods of
# Host below: worker/sandbox/python.c is the other side.  Nothing here runs
# inside a timed call.
import ctypes
import gc
import importlib.util
import linecache
import os
import re
import sys
import traceback

import opsweep_arrays
import opsweep_cases
import opsweep_defaults
import opsweep_locks
import opsweep_on_host
import opsweep_threads
import opsweep_zygote
from opsweep_arrays import BadOutput, Numpy, Torch
from opsweep_compiled import autotuners, importable, imported, own_caches, \
    place_caches, scratch_caches, tell_of_compiling
from opsweep_written import Written

# What Host.explain() says of an exception; 1 and 2 are op.h's.
UNSUPPORTED, ERROR, NO_MEMORY = 1, 2, 3

OWN_FILES = __file__, opsweep_arrays.__file__  # no frames of the op's
MAX_TRACEBACK = 3000  # characters that go to the record's output
MAX_DEPTH = 32        # of nested outputs

# Relative and absolute: the table of ops/notation/dtype.c, by which the judge
# decides too.
TOLERANCES = {"f16": (1e-3, 1e-5), "bf16": (1.6e-2, 1e-5),
              "f32": (1.3e-6, 1e-5), "f64": (1e-9, 1e-11)}
CASES_PER_COLLECTION = 64

# Unit roundoffs, and what perturbed runs say by the rule of tolerance.h.
ROUNDOFFS = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24,
             "f64": 2.0**-53}
PERTURBED_RUNS = 3
LARGEST = 12

NUMPY_NAMES = {v: k for k, v in Numpy.NAMES.items()}


def first_line(text):
    lines = str(text).strip().splitlines()
    return lines[0] if lines else ""


class Host:
    """The methods that python.c calls.  What they raise goes to explain()."""

    def __init__(self, device, isolate_file=None):
        self.device = device
        self.isolate_file = isolate_file  # until a file is loaded
        self.arrays = None
        self.path = ""
        self.reference = False
        self.args = ()
        self.aliases = ()
        self.forms = ()
        self.written = None  # of the case: see opsweep_written.py
        self.wide = None  # what the reference gets once more, in float64
        self.called = ((), {})  # what it was called with
        self.note = ""    # on the result of the last call
        self.beside = 0   # 1: its float64 may be another function's
        self.tuners = {}  # Triton's, of the file
        self.tells = False  # of what Triton compiles
        self.generator = None
        self.entry = None
        self.signature = None  # of the entry, once it is asked for
        self.n_cases = 0

    # --- loading ---

    def choose_arrays(self, source, namespace):
        """torch's, unless the file imports numpy and nothing of torch."""
        wanted = namespace.get("OPSWEEP_ARRAYS")
        packages = imported(source)
        plain = "numpy" in packages and not packages & {"torch", "triton"}
        if wanted not in (None, "numpy", "torch"):
            raise ValueError("OPSWEEP_ARRAYS is %r, expected 'numpy' or "
                             "'torch'" % (wanted,))
        if wanted == "numpy" or (not wanted and (
                plain or not importable("torch"))):
            return Numpy(self.device)
        return Torch(self.device)

    def run_file(self, path):
        """The file as a module, and its source."""
        self.path = path
        folder = os.path.dirname(path)
        stem = os.path.splitext(os.path.basename(path))[0]
        if stem in sys.modules or importable(stem):
            stem += "_of_the_op"  # numpy.py is the name of an implementation
        sys.path.append(folder)
        sys.argv = [path]
        with open(path, "rb") as f:
            source = f.read()
        spec = importlib.util.spec_from_file_location(stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[stem] = module
        spec.loader.exec_module(module)
        return module, source

    def isolate(self, path, symbol):
        """Before code is loaded from the file at `path`, and from that which an
        operator's symbol "NAME@PATH" adds: see isolate.h.
        """
        if not self.isolate_file:
            return  # the same file again
        _, _, other = symbol.partition("@")
        own_caches([path] + ([other] if os.path.isfile(other) else []))
        if self.isolate_file() < 0:
            raise OSError("the kernel does not limit which caches are written")
        self.isolate_file = None

    def load(self, path, symbol, entry, reference):
        self.isolate(path, symbol)
        self.reference = reference
        module, source = self.run_file(path)
        self.take_arrays(self.choose_arrays(source, vars(module)))
        names = [part + entry for part in symbol.split("|")]
        name = next((n for n in names if hasattr(module, n)), names[0])
        found = getattr(module, name, None)
        if found is None:
            raise AttributeError(self.missing(vars(module), name, entry))
        if not callable(found):
            raise TypeError("'%s' is of type %s, expected a function" %
                            (name, type(found).__name__))
        self.entry = found
        if reference:
            self.arrays.be_exact()
        if "triton" in sys.modules:
            self.tuners = autotuners(vars(module))
        self.watch_triton()
        gc.collect()
        gc.freeze()
        gc.disable()
        return found

    def watch_triton(self):
        """Once triton is imported: report when it compiles."""
        if not self.tells and "triton" in sys.modules:
            self.tells = True
            tell_of_compiling()

    def load_generator(self, path, asked):
        self.isolate(path, "")
        opsweep_cases.stand_in_for_backendbench()
        notes = opsweep_on_host.begin(path, importable) \
            if os.path.basename(path) == "gen_input.py" else None
        opsweep_threads.take_one()
        module, _ = self.run_file(path)
        opsweep_threads.take_one()
        kinds = [k for k in (Torch, Numpy)
                 if importable(k.__name__.lower()) and
                 (k is Numpy or k.__name__.lower() in sys.modules)]
        arrays = [k("cpu") for k in kinds]
        if not arrays:
            raise ModuleNotFoundError("neither torch nor numpy can be imported")
        self.take_arrays(arrays[0])
        make = getattr(module, "make_generator", None)
        self.generator = make(asked, arrays) if make else \
            opsweep_cases.Generator(path, module, arrays, notes)
        return self.generator

    def expand(self, seed):
        return self.generator.expand(seed, self.explain)

    def draw(self, args, kwargs, index, seed):
        return self.generator.draw(args, kwargs, index, seed)

    def missing(self, namespace, name, entry):
        return "%s defines no '%s'%s" % (
            os.path.basename(self.path), name,
            opsweep_cases.near_miss(namespace, name, entry))

    def sweep(self):
        """After a call, or a row of timed ones: is an argument's shape another
        than before?  No collection comes during a call; cycles that calls
        leave would hold their tensors for ever.
        """
        gc.collect(0)
        return any(self.arrays.has_left(form) for form in self.forms)

    # --- a case ---

    def take_arrays(self, arrays):
        """From now on tensors, dtypes and words are made by these."""
        self.arrays = arrays
        self.tensor = arrays.tensor
        self.dtype = arrays.dtype
        self.word = arrays.word

    def begin(self, args, aliases, declared, seed, stream):
        """A case begins: its arguments, which outputs must be one, and which
        the op may write.
        """
        self.n_cases += 1
        if self.n_cases % CASES_PER_COLLECTION == 0:
            gc.collect()
        self.args = args
        self.aliases = aliases
        self.arrays.begin(seed, stream)
        self.forms = [self.arrays.form(a) for a in args
                      if self.arrays.is_tensor(a)]
        self.written = Written(self.arrays, args, declared)
        self.wide = None
        self.watch_triton()

    def fill_in(self, args, kwargs, every, left_out):
        """The positional arguments, and in kwargs those by keyword, with what
        the function needs of the schema's defaults; left_out: (index in
        `every`, name) of each argument that the case leaves out.
        """
        if self.signature is None:
            self.signature = opsweep_defaults.Signature(self.entry, self.path)
        for index, name in left_out:
            args = self.signature.add(args, kwargs, index, name, every[index])
        return args

    def put_back(self):
        """Shapes and strides as they were, of arguments that a call left
        otherwise: theirs is only the memory that the judge restores.
        """
        for form in self.forms:
            self.arrays.put_back(form)

    def remember(self, args, kwargs):
        """Arguments as they are before the reference is called, to be looked
        at and not timed.
        """
        self.written.remember()
        self.note, self.beside = "", 0
        self.wide = None
        if hasattr(self.entry, "wanted"):
            self.entry.wanted = True  # it hands over float64 itself
            return
        if not any(self.arrays.is_narrow(v)
                   for v in self.arrays.tensors(self.args)):
            return
        self.called = args, kwargs
        try:
            self.wide = self.widened([self.widen(v) for v in self.args])
        except Exception as e:
            self.note = self.own_precision(e)

    def widened(self, wide):
        """All arguments, positional ones and those by keyword, in float64."""
        every = {id(v): w for v, w in zip(self.args, wide)}
        args, kwargs = self.called
        return wide, tuple(every[id(v)] for v in args), \
            {k: every[id(v)] for k, v in kwargs.items()}

    def perturbed(self, seed):
        """As widened(), each number changed by half a unit in the last place
        of its own dtype.
        """
        wide = [self.widen(v) for v in self.written.as_before()]
        for i, (own, w) in enumerate(zip(self.args, wide)):
            for j, (v, t) in enumerate(zip(self.arrays.tensors(own),
                                           self.arrays.tensors(w))):
                if self.arrays.is_narrow(v):
                    u = ROUNDOFFS.get(self.arrays.look(v)[0], ROUNDOFFS["f32"])
                    t *= 1 + u * self.arrays.signs(t.real, seed + i + 99 * j)
        return self.widened(wide)

    def widen(self, value):
        if self.arrays.is_tensor(value):
            return self.arrays.widen(value)
        if type(value) in (tuple, list):
            return type(value)(self.widen(v) for v in value)
        if type(value) is dict:
            return {k: self.widen(v) for k, v in value.items()}
        if isinstance(value, (bool, int, float, str, type(None))):
            return value
        wider = self.arrays.widen_dtype(value)
        return value if wider is None else wider

    @staticmethod
    def own_precision(why):
        if isinstance(why, BaseException):
            words = first_line(why)
            why = type(why).__name__ + (": " + words if words else "")
        return "the reference is taken in its own precision (%s)" % why

    # --- what came back ---

    def leaves(self, value, depth=0):
        if value is None:
            return []
        for kind in (tuple, list):
            if isinstance(value, kind):
                if depth == MAX_DEPTH:
                    raise BadOutput("outputs nested too deeply")
                # What it holds, whatever a class of its own says.
                return [leaf for item in kind.__iter__(value)
                        for leaf in self.leaves(item, depth + 1)]
        return [value]

    def scalar(self, value):
        """The dtype of a Python or numpy number, or None."""
        numpy = sys.modules.get("numpy")
        if numpy and type(value) in numpy.sctypeDict.values():
            return NUMPY_NAMES.get(str(value.dtype))
        return {bool: "b8", int: "i64", float: "f64",
                complex: "c128"}.get(type(value))

    def foreign(self, value):
        """An array of numpy where tensors of torch are expected."""
        numpy = sys.modules.get("numpy")
        return (isinstance(self.arrays, Torch) and self.device == "cpu" and
                numpy and type(value) is numpy.ndarray)

    def foreign_output(self, value):
        """As output(), of numpy's: where it lies, before any copy."""
        dtype = NUMPY_NAMES.get(str(value.dtype))
        if dtype is None:
            raise BadOutput("an output of dtype %s" % value.dtype)
        address = value.__array_interface__["data"][0]
        return -1, dtype, value.shape, value, address, False

    def output(self, value, alias):
        if not self.arrays.is_tensor(value) and self.foreign(value):
            if alias < 0:
                return self.foreign_output(value)
            value = self.arrays.of_numpy(value)
        if self.arrays.is_tensor(value):
            dtype, shape, address, plain = self.arrays.look(value)
            if alias >= 0 and self.arrays.same_place(value,
                                                     self.written[alias]):
                return alias, dtype, shape, None, 0, False
            return -1, dtype, shape, value, address, plain
        dtype = self.scalar(value)
        if dtype is None:
            raise BadOutput("an output of type %s.%s, expected a tensor" %
                            (type(value).__module__, type(value).__name__))
        return -1, dtype, (), value, 0, False

    def outputs(self, result):
        """(alias, dtype, shape, value, address, plain, exact) of each output,
        in order.

        Arguments written in place are outputs too: where they were returned,
        else after the others.
        """
        if self.reference:
            return self.expected(result)
        wanted = self.aliases
        if not wanted and self.arrays.is_tensor(result):
            dtype, shape, address, plain = self.arrays.look(result)
            return (-1, dtype, shape, result, address, plain, None),
        made = [self.output(v, wanted[i] if i < len(wanted) else -1) + (None,)
                for i, v in enumerate(self.leaves(result))]
        return tuple(made + [self.in_place(a, None)
                             for a in wanted[len(made):] if a >= 0])

    @property
    def remark(self):
        """What is to be said of the last result; asked for after outputs()."""
        if self.tuners and not self.reference:
            self.note = self.tuned()
        return self.note

    def tuned(self):
        """What was chosen in calls so far, of which the first is untimed."""
        chosen = [(k, getattr(t, "best_config", None))
                  for k, t in self.tuners.items()]
        return "; ".join("%s runs with %s" % (k, first_line(c))
                         for k, c in chosen if c is not None)

    @staticmethod
    def in_place(argument, exact):
        return argument, "", (), None, 0, False, exact

    def expected(self, result):
        """outputs() of a reference, in float64 too where that can be."""
        exact, of_args = (), ()
        if type(result).__name__ == "WithExact":
            exact, result = self.leaves(result.exact), result.value
        leaves = self.leaves(result)
        changed = self.written.changed()
        made = [self.output(v, self.written.which(v, changed)) for v in leaves]
        made += [self.in_place(i, None)[:-1] for i
                 in self.written.others(changed, [m[0] for m in made])]
        if self.wide:
            exact = self.again_in_float64(result, made)
            made = [self.rounded_once(*pair) for pair in
                    zip(made, list(exact) + [None] * len(made))]
        if len(exact) < len(made):  # an oracle's own: of what it returned
            exact = list(exact) + [None] * (len(made) - len(exact))
        return tuple(m + (self.exact(m, e),) for m, e in zip(made, exact))

    def rounded_once(self, made, wide):
        """The same output; a new complex one is that of wider arguments."""
        if made[0] >= 0 or made[1] != "c64" or not self.arrays.is_tensor(wide):
            return made
        value = self.arrays.rounded_complex(made[3], wide)
        return made if value is None else self.output(value, -1)

    def again_in_float64(self, result, made):
        """What the reference makes of wider arguments, for each output; nothing
        where that is not the same function.
        """
        values = self.as_arrays(self.leaves(result))
        args, positional, keywords = self.wide
        self.wide = None
        state = self.arrays.keep_random()
        try:
            exact = self.as_arrays(self.leaves(
                self.entry(*positional, **keywords)))
            if len(exact) != len(values):
                raise BadOutput("%d outputs in float64, not %d" %
                                (len(exact), len(values)))
            exact += [self.written.of(args, m[0]) for m in made[len(values):]]
            values += [self.written[m[0]] for m in made[len(values):]]
            exact = [self.if_wide(value, wide)
                     for value, wide in zip(values, exact)]
            odd = [i for i, (value, wide) in enumerate(zip(values, exact))
                   if wide is not None and not self.is_same(value, wide)]
            if odd and not self.rounding_explains(values, exact, odd, made):
                self.note = self.own_precision("other values in float64")
                self.beside = 1
                exact = self.arrays.if_as_finite(values, exact, odd)
        except Exception as e:
            self.note = self.own_precision(
                e if not isinstance(e, BadOutput) else str(e))
            exact = ()
        self.arrays.put_random(state)
        return exact

    def as_arrays(self, leaves):
        """Numbers of numpy as arrays without dimensions, where those are
        outputs.
        """
        numpy = sys.modules.get("numpy")
        if not numpy or isinstance(self.arrays, Torch):
            return leaves
        return [numpy.asarray(v) if isinstance(v, numpy.generic) else v
                for v in leaves]

    def if_wide(self, value, wide):
        """The result of wider arguments; None, with a note, if the code has
        narrowed it.
        """
        if not all(self.arrays.is_tensor(v) and self.arrays.is_narrow(v)
                   for v in (value, wide)):
            return wide
        self.note = self.own_precision("it makes %s of float64 arguments" %
                                       self.arrays.look(wide)[0])
        return None

    def is_same(self, value, wide):
        """Does its own result agree with its float64 result?  Else the float64
        result may be another function's.
        """
        if not self.arrays.is_tensor(value):
            if type(value) in (float, complex):
                self.note = self.own_precision("it makes a number")
            return True
        dtype = self.arrays.look(value)[0]
        if dtype not in TOLERANCES:
            return True
        if not self.arrays.is_tensor(wide) or \
                tuple(wide.shape) != tuple(value.shape):
            raise BadOutput("another shape in float64")
        return self.arrays.agrees(value, wide, *TOLERANCES[dtype])

    def rounding_explains(self, values, exact, odd, made):
        """Are the differences of these outputs such as rounding makes them?
        That is seen by what float64 makes of perturbed arguments.
        """
        total = [0] * len(values)
        for run in range(PERTURBED_RUNS):
            args, positional, keywords = self.perturbed(1000 * run + 1)
            leaves = self.leaves(self.entry(*positional, **keywords))
            leaves += [self.written.of(args, m[0])
                       for m in made[len(leaves):]]
            for i in odd:
                total[i] = total[i] + (leaves[i] - exact[i])**2
        return all(self.is_explained(values[i], exact[i],
                                     total[i] / PERTURBED_RUNS) for i in odd)

    def is_explained(self, value, exact, spread_sq):
        dtype = self.arrays.look(value)[0]
        tensors = [t for t in self.arrays.tensors(self.args)
                   if self.arrays.is_narrow(t)]
        longest = max([n for t in tensors for n in t.shape] + [1])
        coarsest = max(ROUNDOFFS.get(self.arrays.look(t)[0], 2.0**-24)
                       for t in tensors)
        rtol, atol = TOLERANCES[dtype]
        size = abs(exact)
        spread_sq = spread_sq + spread_sq.mean() / 4
        allowed = atol + rtol * size + LARGEST * longest**0.5 * \
            ROUNDOFFS[dtype] / coarsest * \
            (spread_sq + (coarsest * size)**2)**0.5
        # Squares that overflow explain nothing.
        return bool(((abs(self.arrays.widen(value) - exact) <= allowed) &
                     (allowed < float("inf"))).all())

    def exact(self, made, value):
        """The same output in float64, if that says more."""
        dtype, shape = made[1:3]
        if made[0] >= 0:
            own = self.written[made[0]]
            if not self.written.is_in_form(made[0], own):
                return None
            dtype, shape = self.arrays.look(own)[:2]
        return value if self.arrays.is_tensor(value) and \
            tuple(value.shape) == tuple(shape) and \
            (dtype in TOLERANCES or self.arrays.rounds_to(value, made[3])) \
            else None

    def copy(self, slot, value):
        if self.arrays.is_tensor(value) or self.foreign(value):
            self.arrays.take(slot, value)
        else:  # torch takes no numbers of numpy's
            slot[...] = value.item() if hasattr(value, "item") else value

    # --- exceptions ---

    def place(self, exception, trace):
        """ (file.py:12, in f), of the innermost frame that is the op's."""
        if isinstance(exception, SyntaxError) and exception.filename:
            return " (%s:%s)" % (os.path.basename(exception.filename),
                                 exception.lineno)
        own = [f for f in traceback.extract_tb(trace)
               if f.filename not in OWN_FILES and
               not f.filename.startswith("<frozen")]
        folder, here = os.path.dirname(self.path), os.path.dirname(__file__)
        mine = [f for f in own if os.path.dirname(f.filename) == folder]
        if folder == here:  # what loads a file of the op
            mine = [f for f in own if os.path.dirname(f.filename) != here]
        frame = (mine or own or [None])[-1]
        return " (%s:%s, in %s)" % (os.path.basename(frame.filename),
                                    frame.lineno, frame.name) if frame else ""

    def explain(self, exception, trace):
        if isinstance(exception, SystemExit):
            code = exception.code
            code = 0 if code is None else code
            sys.stdout.flush()
            os._exit(code & 255 if isinstance(code, int) else 1)
        if isinstance(exception, (BadOutput, opsweep_cases.BadCase)):
            return ERROR, str(exception)
        said = getattr(exception, "msg", None) or exception
        words = "%s: %s%s" % (type(exception).__name__, first_line(said),
                              self.place(exception, trace))
        if isinstance(exception, ModuleNotFoundError):
            words += "; interpreter: %s (OPSWEEP_PYTHON, --python)" % sys.executable
        # Older torch says so of dtypes in a RuntimeError.
        if isinstance(exception, NotImplementedError) or \
                re.match(r'"\w+" not implemented for \'', str(exception)):
            return UNSUPPORTED, words
        linecache.checkcache()
        text = "".join(traceback.format_exception(None, exception, trace))
        sys.stderr.write(text if len(text) <= MAX_TRACEBACK else
                         "[...]\n" + text[-MAX_TRACEBACK:])
        if isinstance(exception, MemoryError) or \
                type(exception).__name__ == "OutOfMemoryError":
            return NO_MEMORY, words
        return ERROR, words


def isolate(library, device):
    """Before anything of the op is loaded; see isolate.h."""
    library.osw_python_isolate(device.encode())
    os.environ["TMPDIR"] = os.getcwd()
    scratch_caches()
    opsweep_locks.take_over()


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    device = sys.argv[1]
    if sys.path and os.path.abspath(sys.path[0] or ".") == here:
        del sys.path[0]  # what is needed of it is imported
    place_caches()
    library = ctypes.PyDLL(
        os.path.join(os.path.dirname(here), "libopsweep_sandbox.so"))
    if sys.argv[2:] == ["zygote"]:
        library.osw_python_close()
        device = opsweep_zygote.fork_sandboxes(os.getppid())
    isolate(library, device)
    library.osw_python_loop.argtypes = [ctypes.py_object, ctypes.py_object,
                                        ctypes.c_char_p]
    host = Host(device,
                lambda: library.osw_python_isolate_file(device.encode()))
    code = library.osw_python_loop(host, None, device.encode())
    os._exit(code)


if __name__ == "__main__":
    main()
