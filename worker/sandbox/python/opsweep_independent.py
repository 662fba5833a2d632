# opsweep_independent.py - which tensors are random numbers of their own
#
# Code may keep a result for inputs that it has seen, so that some elements of a
# case's inputs change places in trials and between timed calls.  Tensors that a
# gen_input.py makes may be sorted, symmetric, or offsets into others: then they
# are no valid inputs any more.  Those of torch.randn(), whatever was done to
# each element since, stay such ones.  This notes which these are: elements
# independent of each other, and of all other arguments.
#
# Upstream: opsweep_on_host.py hands over each call of torch.  Downstream:
# opsweep_cases.py.
import weakref

from opsweep_arrays import tensors_of

# Make independent elements; where a tensor is given, only its shape counts.
SOURCES = {"randn", "rand", "randint", "randperm", "randn_like", "rand_like",
           "randint_like", "normal"}

# Fill a tensor with such elements: methods, and functions of torch.nn.init.
FILLS = {"normal_", "uniform_", "random_", "exponential_", "log_normal_",
         "cauchy_", "geometric_", "bernoulli_", "trunc_normal_",
         "kaiming_normal_", "kaiming_uniform_", "xavier_normal_",
         "xavier_uniform_"}

# Make of each element one, or put elements elsewhere; also those in place.
EACH = {"abs", "add", "bernoulli", "bfloat16", "bool", "byte", "ceil", "char",
        "clamp", "clamp_max", "clamp_min", "clone", "contiguous", "cos", "cpu",
        "cuda", "detach", "div", "double", "eq", "exp", "flatten", "float",
        "floor", "floor_divide", "fmod", "ge", "gt", "half", "int", "le", "log",
        "logical_not", "long", "lt", "mul", "ne", "neg", "permute",
        "pin_memory", "pow", "remainder", "requires_grad_", "reshape", "round",
        "rsub", "short", "sigmoid", "sign", "sin", "sqrt", "square", "squeeze",
        "sub", "t", "tanh", "to", "transpose", "true_divide", "unsqueeze",
        "view", "__get__", "__rdiv__", "__rpow__", "__rsub__"}

# Look at no element.
QUIET = {"__len__", "data_ptr", "dim", "element_size", "empty_like",
         "full_like", "get_device", "is_complex", "is_contiguous",
         "is_floating_point", "is_signed", "ndimension", "nelement", "numel",
         "ones_like", "size", "storage_offset", "stride", "zeros_like"}


class Root:
    """Where the elements of some tensors come from."""

    related = False  # something else was made of them


class Independent:
    rests = False  # what is called now is none of the generator's

    def __init__(self, torch):
        self.type = torch.Tensor
        self.known = {}  # id: (a weak reference, its Root)

    def tensors(self, value):
        return tensors_of(value, lambda v: isinstance(v, self.type))

    def note(self, tensor, root):
        key = id(tensor)
        self.known[key] = (
            weakref.ref(tensor, lambda _: self.known.pop(key, None)), root)

    def root(self, tensor):
        found = self.known.get(id(tensor))
        return found[1] if found and found[0]() is tensor else None

    def saw(self, name, args, kwargs, made):
        """A function of that name was called, and made that."""
        if self.rests:
            return
        given = self.tensors((args, kwargs))
        plain = name[:-1] if name.endswith("_") else name
        if name in FILLS and len(given) == 1:
            self.note(given[0], Root())
        elif name in SOURCES and (not given or name.endswith("_like")):
            for t in self.tensors(made):
                self.note(t, Root())
        elif len(given) == 1 and isinstance(made, self.type) and \
                (name in EACH or plain in EACH):
            root = self.root(given[0])
            if root:
                self.note(made, root)
        elif name not in QUIET and \
                (name != "__get__" or self.tensors(made)):
            for root in filter(None, map(self.root, given)):
                root.related = True

    def flags(self, tensors):
        """Of the tensors of a case: "1" for those, "0" for others."""
        roots = [self.root(t) for t in tensors]
        return "".join("01"[root is not None and not root.related and
                            roots.count(root) == 1] for root in roots)
