# opsweep_written.py - tensors among the arguments, and those that are written
#
# Upstream: opsweep_host.py.  A tensor is named by an alias as in
# worker/output.h: the index of its argument, and from bit 16 on its place
# among that argument's tensors.
ARG_BITS = 16


def arg_of(alias):
    return alias & ((1 << ARG_BITS) - 1)


class Written:
    """Of one case.  declared: what the op may write, by the schema or by what
    the reference wrote before.
    """

    def __init__(self, arrays, args, declared):
        self.arrays = arrays
        self.args = args
        self.declared = declared
        self.before = {}  # copies, by alias
        self.forms = {}  # their shapes and strides

    def of(self, args, alias):
        """That tensor, among arguments like the case's."""
        value = args[arg_of(alias)]
        return value if self.arrays.is_tensor(value) else \
            self.arrays.tensors(value)[alias >> ARG_BITS]

    def __getitem__(self, alias):
        return self.of(self.args, alias)

    def remember(self):
        """Keep the arguments as they are.  Of lists those that are declared."""
        found = [i for i, a in enumerate(self.args)
                 if self.arrays.is_tensor(a)]
        found += [a for a in self.declared if a not in found]
        self.before = {a: self.arrays.keep(self[a]) for a in sorted(
            found, key=lambda a: (arg_of(a), a))}
        self.forms = {a: self.arrays.form(self[a])[1:] for a in self.before}

    def as_before(self):
        """The arguments as they were kept."""
        return [self.kept(value, i, iter(range(1 << ARG_BITS)))
                for i, value in enumerate(self.args)]

    def kept(self, value, i, places):
        if self.arrays.is_tensor(value):
            return self.before.get(i | next(places) << ARG_BITS, value)
        if type(value) in (tuple, list):
            return type(value)(self.kept(v, i, places) for v in value)
        if type(value) is dict:
            return {k: self.kept(v, i, places) for k, v in value.items()}
        return value

    def is_in_form(self, a, value):
        return self.arrays.form(value)[1:] == self.forms[a]

    def in_form(self, a):
        """That tensor with the shape and strides that it had (not of `t_`)."""
        return self[a] if self.is_in_form(a, self[a]) else \
            self.arrays.as_form(self[a], *self.forms[a])

    def changed(self):
        """Those that the reference wrote, by what is in them."""
        differ = self.arrays.differ([(self.in_form(a), kept) for a, kept
                                     in self.before.items()])
        return [a for a, other in zip(self.before, differ) if other]

    def which(self, value, changed):
        """The argument that a result is, if the op writes that; else -1, also
        where its shape or strides are others now: then these are made.
        """
        return next((a for a in self.before
                     if (a in changed or a in self.declared) and
                     self.arrays.is_tensor(value) and
                     self.arrays.same_place(value, self[a]) and
                     self.is_in_form(a, value)), -1)

    def others(self, changed, returned):
        """Outputs beside the results: what was written and is not returned.
        If any of it was, or if there are no results, all that the op may write,
        whatever is in it.
        """
        found = [a for a in changed if a not in returned]
        if found or not returned:
            found = [a for a in self.before
                     if (a in changed or a in self.declared) and
                     a not in returned]
        if not found and not returned:
            # What is written without a schema has no element that shows it.
            found = [a for a in self.before if 0 in self[a].shape]
        return found
