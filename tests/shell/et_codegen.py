# tests/shell/et_codegen.py - a package's files for ExecuTorch, read by torchgen
# and by ExecuTorch's own generator where they are
#
#   et_codegen.py PACKAGE OUT.cpp     OUT.cpp calls each kernel as ExecuTorch does;
#                                     with -DREGISTER it registers the package's names
import os
import re
import sys

import torchgen
import yaml
from torchgen.gen import parse_native_yaml
from torchgen.model import FunctionSchema

package, out = sys.argv[1:]
custom, functions = (os.path.join(package, n) for n in ("custom_ops.yaml", "functions.yaml"))
root = os.path.join(os.path.dirname(torchgen.__file__), "packaged", "ATen", "native")
aten, tags = os.path.join(root, "native_functions.yaml"), os.path.join(root, "tags.yaml")


def entries(path):
    with open(path) as f:
        return yaml.safe_load(f) or []


def schema_of(entry):
    # Parsers of old versions split a text's default at blanks.
    text = re.sub(r"""(["'])[^"']*\1""", r"\1word\1", entry["func"].partition("::")[2])
    schema = FunctionSchema.parse(text)
    assert str(schema) == text and schema.is_out_fn(), (text, str(schema))
    return schema


known = {str(f.func.name): f.func for f in parse_native_yaml(aten, tags).native_functions}
by_kernel = {e["kernels"][0]["kernel_name"]: schema_of(e) for e in entries(custom)}
for e in entries(functions):
    theirs, ours = known[e["op"]], by_kernel[e["kernels"][0]["kernel_name"]]
    # The same arguments in the same order: types decide how a kernel is called.
    for a, b in zip(theirs.schema_order_arguments(), ours.schema_order_arguments(), strict=True):
        kinds = [str(x.type).replace("SymInt", "int").partition("[")[0].rstrip("?") for x in (a, b)]
        assert kinds[0] == kinds[1], (e["op"], str(theirs), str(ours))
print(f"torchgen: {len(entries(custom))} schemas, {len(entries(functions))} names of torch's")

try:
    from executorch.codegen.gen import ComputeCodegenUnboxedKernels, parse_yaml_files
except ImportError:
    sys.exit(0)
from executorch.codegen.gen import compute_native_function_declaration
from torchgen.selective_build.selector import SelectiveBuilder

everything = SelectiveBuilder.get_nop_selector()
text = ["#include <tuple>"]
text += [f"#include <executorch/runtime/{h}.h>" for h in
         ("core/event_tracer_hooks", "kernel/kernel_includes", "kernel/operator_registry", "platform/profiler")]
kernels, n = [], 0
for native, own in (functions, None), (None, custom):
    parsed, _ = parse_yaml_files(tags, aten, native, own, everything, False)
    theirs = n
    for f in parsed.native_functions:
        with_context = [d for d in compute_native_function_declaration(f, parsed.kernel_index)
                        if "KernelRuntimeContext" in d]
        names = [m.cpp_namespace for m in parsed.kernel_index.get_kernels(f).values()]
        text += [f"namespace {ns} {{ {d} }}" for ns, d in zip(names, with_context)]
        for key, meta in parsed.kernel_index.get_kernels(f).items():
            kernels.append(ComputeCodegenUnboxedKernels(everything, False, False)((f, (key, meta))))
            n += 1
text += ["using namespace executorch::runtime;", "using KernelSpan = Span<const Kernel>;",
         "extern const Kernel all[];", "const Kernel all[] = {", *kernels, "};",
         "#ifdef REGISTER", f"static const Error registered = register_kernels(KernelSpan(all + {theirs}, {n - theirs}));",
         "#endif"]
with open(out, "w") as f:
    f.write("\n".join(text))
print(f"executorch: {n} kernels are called")
