# tests/shell/test_backward.sh - op.json's `backward`: checked against differences
# of the reference, exported, differentiated by torch
#
# takes 20 s

cd "$TMP"
export NVCC=

# y = a x^2, and its gradient 2 a g x.
write_op() {
    local name=$1 schema=$2 json=$3 expr=$4 file kind
    mkdir -p "ops/$name"
    echo "{\"schema\": \"$schema\", \"outputs\": [\"x\"]$json}" >"ops/$name/op.json"
    for kind in reference kernel_impl; do
        file=$([ $kind = reference ] && echo reference || echo plain)
        cat >"ops/$name/${name}_$file.c" <<C
#include <opsweep/elements.h>

int ${name}_$kind(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);

    for (int64_t i = 0; y && i < osw_numel(x); i++)
        osw_set(y, i, $expr);
    return y ? 0 : OSW_ERROR;
}
C
    done
}
write_op square 'square(Tensor x, float a) -> Tensor' ', "backward": "square_grad"' \
    'osw_arg_float(call, 1, 0) * osw_get(x, i) * osw_get(x, i)'
write_op square_grad 'square_grad(Tensor x, Tensor grad, float a) -> Tensor' '' \
    '2 * osw_arg_float(call, 2, 0) * osw_get(x, i) * osw_get(osw_arg_tensor(call, 1), i)'
echo '{"correctness": ["((T([4, 8], f32), 3.0), {})", "((T([0], f32), 1.0), {})"]}' >ops/square/gen_input.json
echo '{"correctness": ["((T([4, 8], f32), T([4, 8], f32), 3.0), {})"]}' >ops/square_grad/gen_input.json

# --- check ----------------------------------------------------------------------

expect_exit 0 "$OPSWEEP" check ops/square
expect_out "^ok +op.json +backward: 'square_grad' is the gradient, 1 case$"
checked() {
    cp ops/square/op.json op.json
    echo "{\"schema\": \"square(Tensor x, float a) -> Tensor\", \"outputs\": [\"x\"],
        \"backward\": $1}" >ops/square/op.json
    expect_exit 1 "$OPSWEEP" check ops/square
    expect_out "^FAILED +op.json +backward: $2"
    cp op.json ops/square/op.json
}
checked '"square_gard"' ".*square_gard"
checked '"square"' "the gradient 'square' returns 1|'square' makes"
checked '{"op": "square_grad", "args": {"a": 2}}' \
    "'square_grad' makes [-0-9.]+ along a random direction, a difference of the reference [-0-9.]+; case \(\(T\(\[4, 8\], f64\), 3.0\), \{\}\)"
checked '{"op": "square_grad", "args": {"aa": 2}}' "the gradient 'square_grad' cannot be called: it has no argument 'aa'"

# --- export ---------------------------------------------------------------------

# The op of the gradient comes along.
expect_exit 0 "$OPSWEEP" export-ops ops/square -o with --unjudged
expect_out '^exported  square_grad.default: cpu plain'
expect_out '^with: 2 ops, 0 left out'
# Where it cannot, the op has none, and that is said.
mv ops/square_grad ops/elsewhere
expect_exit 1 "$OPSWEEP" export-ops ops/square -o without --unjudged
expect_out "^left out  gradient of square.default: '.*ops/square_grad' is not in the package"
expect_out '^without: 1 op, 1 left out'
mv ops/elsewhere ops/square_grad

python=${OPSWEEP_PYTHON:-$(python_with torch || true)}
[ -n "$python" ] || skip 'gradients were exported, not run: no torch'
expect_exit 0 make -s -C with PYTHON="$python" test
expect_out '^torch .*: [0-9]+ ok, 0 failed, 0 skipped'
expect_exit 0 make -s -C without PYTHON="$python" test
expect_exit 0 "$python" - <<'PY'
import re
import sys
import torch
sys.path.insert(0, "with")
import myops

x = torch.randn(5, 3, requires_grad=True)
torch.ops.myops.square(x.t(), 2.0).sum().backward()
assert torch.allclose(x.grad, 4 * x, atol=1e-5)
with torch.no_grad():
    assert not torch.ops.myops.square(x, 2.0).requires_grad
try:  # the gradient has none of its own
    g, = torch.autograd.grad(torch.ops.myops.square(x, 2.0).sum(), x, create_graph=True)
    g.sum().backward()
except RuntimeError as e:  # in words of ours or of torch
    assert re.search("myops::square_grad (has no gradient|is not implemented)", str(e)), e
else:
    sys.exit("a second derivative was made up")
if hasattr(torch.library, "opcheck"):
    call = torch.compile(lambda x: torch.ops.myops.square(x, 2.0), fullgraph=True, backend="aot_eager")
    g, = torch.autograd.grad(call(x).sum(), x)
    assert torch.allclose(g, 4 * x, atol=1e-5)
PY
# A kernel may compute in f32 whatever it is given.
sed -i 's/osw_set(y, i, \(.*\));/osw_set(y, i, (float)(\1));/' with/csrc/ops/square/square_plain.c
rm -r with/obj
expect_exit 0 make -s -C with PYTHON="$python" test
# A wrong gradient is found by the package's own tests.
sed -i 's/2 \* osw_arg_float/3 * osw_arg_float/' with/csrc/ops/square_grad/square_grad_plain.c
rm -r with/obj
expect_exit 2 make -s -C with PYTHON="$python" test
expect_out '^FAILED +myops::square gradient: [-0-9.]+ along a random direction, a difference says'
