# tests/shell/test_export_et.sh - a package's files for ExecuTorch: kernels that its
# names mean, read back and judged, and what an `out` may be
#
# takes 20 s

root=$PWD
cd "$TMP"
expect_exit 0 "$OPSWEEP" new ops/kinds \
    --schema 'kinds(Tensor x, Tensor[] xs, Tensor? w=None, int? k=None, *, float f=1, int[2] l=3, Scalar s=2, bool b=True, str m="a: b") -> (Tensor, Tensor)'
expect_exit 0 "$OPSWEEP" new ops/rows__by --schema 'rows.by(Tensor x, float a=2) -> Tensor'
expect_exit 0 "$OPSWEEP" export-ops ops -o pkg --unjudged --namespace mine --cases 4
expect_grep "^- func: 'mine::kinds.out\(Tensor x, .*str m=.a: b., Tensor\(a!\) out0, Tensor\(b!\) out1\) -> " \
    pkg/custom_ops.yaml
expect_no_grep '^- op:' pkg/functions.yaml

# Shipped ops are torch's own: entries are found again by torch's names.
expect_exit 0 "$OPSWEEP" export-ops relu mean.dim relu_ -o shipped --unjudged --namespace mine --cases 1
expect_grep '^# left out: aten.relu_.default: it writes argument' shipped/custom_ops.yaml
expect_equal 'mean.out relu.out threshold_backward.grad_input' \
    "$(sed -n 's/^- op: //p' shipped/functions.yaml | sort | xargs)"
expect_exit 0 "$OPSWEEP" list --ops-yaml shipped/functions.yaml
for op in mean.dim relu.default threshold_backward.default; do expect_out "^aten.$op "; done

# --- read back: each kernel becomes an implementation, and is judged ---------------

expect_exit 0 make -s -C pkg NVCC= OPENMP=
expect_exit 0 make -s -C pkg et OPENMP= EXECUTORCH="$root/include/opsweep/et" CXXFLAGS="-Wall -Werror -I$root/include"
[ -f pkg/et/libmine_et.a ] || fail 'no archive was made'
expect_exit 0 "$OPSWEEP" new back --ops-yaml pkg/custom_ops.yaml --kernel-sources pkg/et/kernels.cpp
for op in kinds rows__by; do # the op's own reference and cases
    cp ops/"$op"/*_reference.* ops/"$op"/gen_input.json back/"$op"
done
python3 - back/*/op.json "$PWD/pkg/mine" <<'PY'
import json
import sys

for path in sys.argv[1:-1]:
    with open(path) as f:
        op = json.load(f)
    kernel = "kinds_out" if "kinds" in path else "rows_by_out"
    op["build"] = {kernel: f"-L{sys.argv[-1]} -lmine -Wl,-rpath,{sys.argv[-1]}"}
    with open(path, "w") as f:
        json.dump(op, f)
PY
expect_exit 0 "$OPSWEEP" run --custom-ops-root back --ops kinds,rows.by -n 1 --profile correct -f -o back.h5
expect_exit 0 "$OPSWEEP" report back.h5 --all
cat out
expect_out '^  kinds_out +[0-9]+ +[1-9][0-9]* +0 +0 '
expect_out '^  rows_by_out +[0-9]+ +[1-9][0-9]* +0 +0 '

# --- what an `out` may be ----------------------------------------------------------

cat >outs.cpp <<'CPP'
#include <cstdio>

#include "pkg/et/kernels.cpp"

using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::runtime::KernelRuntimeContext;

static TensorImpl tensor(void *data, std::vector<int32_t> sizes, osw_dtype dtype = {OSW_FLOAT, 32, 1})
{
    TensorImpl t;

    t.set_sizes(std::move(sizes));
    t.dtype = dtype;
    t.data = data;
    return t;
}

static int wrong;

static void expect(const char *what, TensorImpl in, TensorImpl to, bool taken)
{
    KernelRuntimeContext ctx;
    Tensor x(&in), out(&to);

    mine::native::rows_by_out(ctx, x, 2.0, out);
    bool ok = (ctx.failure_state() == executorch::runtime::Error::Ok) == taken;
    wrong += !ok;
    printf("%s %s\n", ok ? "ok    " : "WRONG ", what);
}

int main()
{
    float x[12], y[12], z[24];

    for (int i = 0; i < 12; i++)
        x[i] = (float)i;
    expect("as it should be", tensor(x, {3, 4}), tensor(y, {3, 4}), true);
    expect("with an offset", tensor(x, {2, 3}), tensor(z + 5, {2, 3}), true);
    for (int i = 0; i < 6; i++)
        wrong += z[5 + i] != y[i];
    expect("of another shape", tensor(x, {3, 4}), tensor(y, {4, 3}), false);
    expect("of another dtype", tensor(x, {3, 4}), tensor(y, {3, 4}, {OSW_INT, 32, 1}), false);
    expect("the argument", tensor(x, {3, 4}), tensor(x, {3, 4}), false);
    expect("half of the argument", tensor(x, {2, 3}), tensor(x + 4, {2, 3}), false);
    expect("beside the argument", tensor(x, {2, 3}), tensor(x + 6, {2, 3}), true);
    TensorImpl gaps = tensor(z, {3, 4});
    gaps.strides = {8, 2};
    expect("strided", tensor(x, {3, 4}), gaps, false);
    expect("empty", tensor(x, {0, 4}), tensor(x, {0, 4}), true);
    return wrong;
}
CPP
expect_exit 0 c++ -std=c++17 -Wall -Werror -I. -I"$root/include/opsweep/et" -I"$root/include" -Ipkg/csrc/include \
    outs.cpp -Lpkg/mine -lmine -Wl,-rpath,"$PWD/pkg/mine" -o outs
expect_exit 0 ./outs
cat out
expect_no_grep '^WRONG' out

# --- read by torchgen, and called by what ExecuTorch's own generator writes --------

python=${OPSWEEP_PYTHON:-$(python_with torchgen || true)}
"${python:-false}" -c 'import torchgen.model, yaml' || skip 'no torchgen: its parser did not read the files'
: "${EXECUTORCH_INCLUDE:=$("$python" -c 'import importlib.util as u, os
spec = u.find_spec("executorch")
print(os.path.join(spec.submodule_search_locations[0], "include") if spec else "")')}"
et=(-std=c++17 -DC10_USING_CUSTOM_GENERATED_MACROS -I"$EXECUTORCH_INCLUDE"
    -I"$EXECUTORCH_INCLUDE/executorch/runtime/core/portable_type/c10")
for package in pkg shipped; do
    expect_exit 0 "$python" "$root/tests/shell/et_codegen.py" "$package" $package.cpp
    cat out
    expect_out '^torchgen: '
    if [ -d "$EXECUTORCH_INCLUDE" ] && [ -f $package.cpp ]; then
        expect_exit 0 c++ "${et[@]}" -fPIC -DREGISTER -c $package.cpp
        expect_exit 0 c++ "${et[@]}" -I"$package/csrc/include" -c "$package/et/kernels.cpp"
        nm $package.o | sed -n 's/^ *U \(_ZN4mine.*\)/\1/p' | sort >wanted
        nm kernels.o | sed -n 's/^[0-9a-f]* T \(_ZN4mine.*\)/\1/p' | sort >there
        [ -s wanted ] || fail 'no kernel is called'
        expect_same_file wanted there
    fi
done

# --- run by ExecuTorch's own runtime, as its Python package has it -----------------

[ -f pkg.o ] && "$python" -c 'import executorch.extension.pybindings' 2>/dev/null ||
    skip 'no executorch: no program was run by its runtime'
expect_exit 0 make -s -C pkg clean
expect_exit 0 make -s -C pkg NVCC= OPENMP=
expect_exit 0 make -s -C pkg et OPENMP= EXECUTORCH="$EXECUTORCH_INCLUDE"
expect_exit 0 c++ -shared -o kernels.so pkg.o -Wl,--whole-archive pkg/et/libmine_et.a \
    -Wl,--no-whole-archive -lm -ldl
rc=0
"$python" "$root/tests/shell/et_run.py" pkg ./kernels.so || rc=$?
[ $rc -ne 77 ] || skip 'executorch is of another torch: no program was run by its runtime'
expect_equal 0 $rc 'exit of a program in the runtime'
