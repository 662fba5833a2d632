# opsweep_defaults.py - a schema's defaults as arguments of a Python function
#
# A case may leave out arguments that the schema has a default for.  A function
# that has no default for such an argument gets the schema's.  If the schema
# stands in the op.json beside the file, it also counts more than the function's
# own default, and **kwargs get all that was left out.  Elsewhere (kernels for
# torch's operators) what the case leaves out is left out, as torch does it.
#
# Upstream: opsweep_host.py, once per case with such arguments.
import inspect
import os

NUMBERS = (bool, int, float)


class Signature:
    def __init__(self, function, path):
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):  # built in
            parameters = ()
        kinds = inspect.Parameter
        self.own_schema = os.path.exists(
            os.path.join(os.path.dirname(path), "op.json"))
        self.by_position = [p for p in parameters if p.kind in (
            kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
        self.by_keyword = {p.name: p for p in parameters if p.kind in (
            kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)}
        self.any_keyword = self.own_schema and any(
            p.kind == kinds.VAR_KEYWORD for p in parameters)

    def wants(self, parameter, value):
        """Has it to be given, or is its own default as good?"""
        own = parameter.default
        if own is inspect.Parameter.empty:
            return True
        if not self.own_schema or own is value:
            return False
        if type(value) is str:  # or a word of the schema's that is no value
            return type(own) is str and own != value
        return not (type(own) in NUMBERS and type(value) in NUMBERS and
                    own == value)

    def add(self, args, kwargs, index, name, value):
        """args with the argument at `index` of the schema appended, or put in
        kwargs, if it is wanted.
        """
        at = self.by_position[index] if index < len(self.by_position) else None
        named = self.by_keyword.get(name)
        taken = [p.name for p in self.by_position[:len(args)]]
        if named and name not in taken:
            # One by position keeps the place of those after it.
            if self.wants(named, value) and named is at and len(args) == index:
                args += (value,)
            elif self.wants(named, value):
                kwargs[name] = value
        elif at and len(args) == index and (
                at.default is inspect.Parameter.empty or
                at.name == name and self.wants(at, value)):
            args += (value,)
        elif self.any_keyword and name not in kwargs:
            kwargs[name] = value
        return args
