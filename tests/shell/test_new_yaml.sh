# tests/shell/test_new_yaml.sh - kernels in ExecuTorch's C++ style become op
# folders, and are judged as they are
#
# takes 15 s

programs=$PWD/tests/fuzz/corpus/pte
cd "$TMP"
OPSWEEP_PYTHON=$(python_with numpy) || skip 'no numpy'
export OPSWEEP_PYTHON
cat >kernels.cpp <<'CPP'
#include <tuple>

#include <executorch/runtime/kernel/kernel_includes.h>

namespace myns::native {
using executorch::aten::ArrayRef;
using executorch::aten::IntArrayRef;
using executorch::aten::optional;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::string_view;
using executorch::aten::Tensor;
using executorch::runtime::Error;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::resize_tensor;

Tensor &scale_out(KernelRuntimeContext &ctx, const Tensor &x, double a, Tensor &out)
{
    ET_KERNEL_CHECK(ctx, x.scalar_type() == ScalarType::Float, NotSupported, out);
    for (ssize_t i = 0; i < out.numel(); i++)
        out.mutable_data_ptr<float>()[i] = (float)a * x.const_data_ptr<float>()[i];
    return out;
}

// Forgets the last element of long tensors.
Tensor &scale_wrong(KernelRuntimeContext &ctx, const Tensor &x, double a, Tensor &out)
{
    ET_KERNEL_CHECK(ctx, x.scalar_type() == ScalarType::Float, NotSupported, out);
    float *y = out.mutable_data_ptr<float>();
    for (ssize_t i = 0; i < out.numel() - (out.numel() > 8); i++)
        y[i] = (float)a * x.const_data_ptr<float>()[i];
    return out;
}

Tensor &scale_fails(KernelRuntimeContext &ctx, const Tensor &x, double, Tensor &out)
{
    ET_KERNEL_CHECK(ctx, x.dim() > 7, InvalidArgument, out);
    return out;
}

// Each kind of argument counts; two outputs, resized, the second of them bool.
std::tuple<Tensor &, Tensor &> kinds_out(KernelRuntimeContext &ctx, ArrayRef<Tensor> xs,
                                         const optional<Tensor> &w, IntArrayRef k, const Scalar &f,
                                         ArrayRef<bool> m, string_view s, optional<int64_t> o, bool b,
                                         Tensor &out0, Tensor &out1)
{
    double add = (w ? 1 : 0) + k[0] + 10 * (double)k.size() + f.to<double>() + (m[1] ? 100 : 0) +
                 (double)s.size() + (o ? (double)*o : 1000) + (b ? 0.5 : 0);
    const int32_t sizes[] = {2, (int32_t)xs[0].numel()};
    std::tuple<Tensor &, Tensor &> outs(out0, out1);

    ET_KERNEL_CHECK(ctx, xs[0].scalar_type() == ScalarType::Float, NotSupported, outs);
    ET_KERNEL_CHECK(ctx, resize_tensor(out0, ArrayRef<int32_t>(sizes)) == Error::Ok, InvalidArgument, outs);
    auto temp = ctx.allocate_temp(sizeof(float) * xs[0].numel());
    ET_KERNEL_CHECK(ctx, temp.ok(), MemoryAllocationFailed, outs);
    float *sum = (float *)temp.get();
    for (ssize_t i = 0; i < xs[0].numel(); i++) {
        sum[i] = 0;
        for (const Tensor &x : xs)
            sum[i] += x.const_data_ptr<float>()[i];
        out0.mutable_data_ptr<float>()[i] = sum[i];
        out0.mutable_data_ptr<float>()[xs[0].numel() + i] = (float)add;
        out1.mutable_data_ptr<bool>()[i] = sum[i] > 0;
    }
    return outs;
}
} // namespace myns::native

namespace torch::executor::native {
Tensor &add_out(KernelRuntimeContext &ctx, const Tensor &a, const Tensor &b, const Scalar &alpha, Tensor &out)
{
    ET_KERNEL_CHECK(ctx, tensors_have_same_shape(a, b) && tensors_have_same_dtype(a, b) &&
                    a.scalar_type() == ScalarType::Half, NotSupported, out);
    for (ssize_t i = 0; i < out.numel(); i++)
        out.mutable_data_ptr<Half>()[i] = a.const_data_ptr<Half>()[i] + alpha.to<float>() * b.const_data_ptr<Half>()[i];
    return out;
}
} // namespace torch::executor::native
CPP
cat >ops.yaml <<'YAML'
- func: myns::scale.out(Tensor x, float a, *, Tensor(a!) out) -> Tensor(a!)
  kernels:
    - arg_meta: null
      kernel_name: myns::scale_out
    - kernel_name: myns::scale_wrong
    - kernel_name: myns::scale_fails
- func: "myns::kinds.out(Tensor[] xs, Tensor? w, int[] k, Scalar f, bool[2] m, str s, int? o, bool b, *, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))"
  kernels:
    - kernel_name: myns::kinds_out
- op: add.out
  kernels:
    - kernel_name: add_out
- op: nothing_such.out
  kernels:
    - kernel_name: add_out
- func: myns::bare(Tensor x) -> Tensor
  kernels:
    - kernel_name: myns::scale_out
- func: myns::none.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)
YAML

# --- what is refused ----------------------------------------------------------

refused() {
    local why=$1
    shift
    expect_exit 2 "$OPSWEEP" new "$@"
    expect_err "$why"
}
refused "'--ops-yaml': expected '--kernel-sources FILE.cpp'" x --ops-yaml ops.yaml
refused "'--kernel-sources': expected '--ops-yaml FILE'" x --kernel-sources kernels.cpp
refused "found '--like'" x --ops-yaml ops.yaml --kernel-sources kernels.cpp --like relu
refused "cannot open 'none.yaml'" x --ops-yaml none.yaml --kernel-sources kernels.cpp
refused "cannot open 'none.cpp'" x --ops-yaml ops.yaml --kernel-sources none.cpp
sed 's/kernels:/kernel:/' ops.yaml >bad.yaml
refused "'bad.yaml': line 2: unknown key 'kernel'" x --ops-yaml bad.yaml --kernel-sources kernels.cpp
sed 's/scale_wrong/scale_absent/' ops.yaml >bad.yaml
refused "line 1: kernel 'myns::scale_absent' is in none of the '--kernel-sources'" x \
    --ops-yaml bad.yaml --kernel-sources kernels.cpp

# --- folders, and verdicts ------------------------------------------------------

expect_exit 1 "$OPSWEEP" new ops --ops-yaml ops.yaml --kernel-sources kernels.cpp
cat "$TMP/out"
expect_out '^left out  nothing_such.out \(line 13\): no shipped op of that name'
expect_out '^left out  bare \(line 16\): its schema has no place for results'
expect_out '^left out  none.out \(line 19\): it names no kernel'
expect_grep '"schema": "scale\(Tensor x, float a\) -> Tensor"' ops/scale/op.json

cat >ops/scale/scale_reference.py <<'PY'
import numpy

def scale_reference(x, a):
    return (x.astype("f8") * a).astype(x.dtype)
PY
cat >ops/scale/gen_input.json <<'JSON'
{"correctness": [{"case": "((T([{n}], f32), 0.5), {})", "for": {"n": [0, 5, 33]}},
 "((T([4, 5], f32, (1, 4)), 0.5), {})", "((T([4], f64), 0.5), {})"]}
JSON
sed -i 's/kinds_out, 2)/kinds_out, 2, ScalarType::Float, ScalarType::Bool)/' ops/kinds/kinds_kinds_out.cpp
cat >ops/kinds/kinds_reference.py <<'PY'
import numpy

def kinds_reference(xs, w, k, f, m, s, o, b):
    n = (w is not None) + k[0] + 10 * len(k) + f + 100 * m[1] + len(s) + (1000 if o is None else o) + b / 2
    total = sum(xs)
    return numpy.stack([total, numpy.full_like(total, n)]), total > 0
PY
cat >ops/kinds/op.json <<'JSON'
{"schema": "kinds(Tensor[] xs, Tensor? w, int[] k, Scalar f, bool[2] m, str s, int? o, bool b) -> (Tensor, Tensor)",
 "outputs": [{"shape": "[2] + xs[0].shape", "dtype": "xs[0].dtype"}, {"shape": "xs[0].shape", "dtype": "b8"}]}
JSON
cat >ops/kinds/gen_input.json <<'JSON'
{"correctness": ["(([T([7], f32), T([7], f32)], T([1], f32), [3, 4], 2.5, [True, False], 'abc', None, True), {})",
 "(([T([9], f32)], None, [5], 2, [False, True], '', 7, False), {})"]}
JSON
expect_exit 1 "$OPSWEEP" run --custom-ops-root ops --ops scale,kinds -n 1 --profile correct -f -o run.h5
expect_exit 0 "$OPSWEEP" report run.h5 --format csv -o run.csv --fail-on none
python3 - <<'PY'
import collections, csv, sys

seen = collections.defaultdict(list)
for r in csv.DictReader(open("run.csv", newline="")):
    seen[r["impl"]].append(r["status"])
want = {"scale_out": {"pass": 3, "unsupported": 2}, "kinds_out": {"pass": 2},
        "scale_wrong": {"pass": 2, "unwritten": 1, "unsupported": 2}, "scale_fails": {"returned": 4, "unsupported": 1}}
got = {k: dict(collections.Counter(v)) for k, v in seen.items()}
if got != want:
    sys.exit("expected %s, found %s" % (want, got))
PY

# A shipped op's reference and cases come along.
expect_exit 0 "$OPSWEEP" run --custom-ops-root ops --ops add.Tensor -n 1 --profile correct -f -o add.h5
expect_exit 0 "$OPSWEEP" report add.h5 --all
expect_out '^  add_out +[0-9]+ +[1-9][0-9]* +0 +0 '

# The kernels' file counts: no object of an older one is taken.  Where the folder is there, kernels are added, and nothing is replaced.
refused "scale_scale_out.cpp' is there" ops --ops-yaml ops.yaml --kernel-sources kernels.cpp
rm ops/*/*_out.cpp ops/scale/*_wrong.cpp ops/scale/*_fails.cpp
sed -i 's/(float)a \*/(float)a + 0 */' kernels.cpp
expect_exit 1 "$OPSWEEP" new ops --ops-yaml ops.yaml --kernel-sources kernels.cpp
expect_exit 1 "$OPSWEEP" run --custom-ops-root ops --ops scale --impls scale_out -n 1 --profile correct \
    -f -o again.h5
expect_out '1 pass, 2 fail'

# --- the file selects ops, too ----------------------------------------------------

cat >chosen.yaml <<'YAML'
- op: relu.out
  kernels: []
- op: add.out
  kernels: []
- op: mul.Scalar_out
  cpp_no_default_args: ['other']
  kernels: []
YAML
names() { sed -n 's/^\(aten[^ ]*\) .*/\1/p' out | sort | tr '\n' ' '; }
expect_exit 0 "$OPSWEEP" list --ops-yaml chosen.yaml
[ "$(names)" = 'aten.add.Tensor aten.mul.Scalar aten.relu.default ' ] || fail "selected: $(names)"
expect_exit 0 "$OPSWEEP" list --ops-yaml chosen.yaml --ops 'tanh,!add*'
[ "$(names)" = 'aten.mul.Scalar aten.relu.default aten.tanh.default ' ] || fail "selected: $(names)"
expect_exit 0 "$OPSWEEP" plan --ops-yaml chosen.yaml --ops '!add*,!mul*' --device cpu
expect_out 'relu'
expect_no_grep 'tanh' out
expect_exit 0 "$OPSWEEP" export-ops tanh --ops-yaml chosen.yaml --unjudged --dry-run
expect_out '^can be    aten.relu.default$'
expect_out '^can be    aten.tanh.default$'
sed 's/add.out/ad.out/' chosen.yaml >misspelt.yaml
expect_exit 2 "$OPSWEEP" list --ops-yaml misspelt.yaml
expect_err "no op 'ad' .did you mean 'add'"
expect_exit 2 "$OPSWEEP" export-ops --ops-yaml misspelt.yaml --unjudged --dry-run
expect_err "'misspelt.yaml': no op 'ad' .did you mean 'add'"
expect_exit 2 "$OPSWEEP" run --ops-yaml none.yaml
expect_err "'none.yaml': cannot open"
expect_exit 2 "$OPSWEEP" export-ops --unjudged --dry-run
expect_err "expected an op's folder.*or '--ops-yaml FILE'"

# So does a program of ExecuTorch; one that is cut off is refused.
expect_exit 0 "$OPSWEEP" list --ops-yaml "$programs/shipped"
[ "$(names)" = 'aten.mean.dim aten.relu.default ' ] || fail "selected: $(names)"
expect_exit 2 "$OPSWEEP" list --ops-yaml "$programs/two"
expect_err "no op 'scale'"
head -c 150 "$programs/shipped" >cut.pte
expect_exit 2 "$OPSWEEP" export-ops --ops-yaml cut.pte --unjudged --dry-run
expect_err "'cut.pte': byte [0-9]+: expected a program of ExecuTorch, found its end at 150"

# Folders that were made of a file are selected by it.
cat >custom.yaml <<'YAML'
- func: myns::scale.out(Tensor x, float a, *, Tensor(a!) out) -> Tensor(a!)
  kernels:
    - {arg_meta: null, kernel_name: myns::scale_out}
YAML
expect_exit 0 "$OPSWEEP" new chosen --ops-yaml custom.yaml --kernel-sources kernels.cpp
expect_exit 0 "$OPSWEEP" list --custom-ops-root chosen --ops-yaml custom.yaml
expect_out '^scale'

# --- kernels are ExecuTorch's ------------------------------------------------------

# The folder with executorch/runtime of an installed ExecuTorch.
if [ -n "${EXECUTORCH_INCLUDE:-}" ]; then
    expect_exit 0 c++ -std=c++17 -fsyntax-only -DC10_USING_CUSTOM_GENERATED_MACROS -I"$EXECUTORCH_INCLUDE" \
        -I"$EXECUTORCH_INCLUDE/executorch/runtime/core/portable_type/c10" kernels.cpp
else
    echo "new_yaml: no EXECUTORCH_INCLUDE: kernels were not compiled by ExecuTorch's own headers" >&3
fi
