# tests/shell/test_op_folders.sh - what an op's folder lacks is said before a
# campaign, in words of that folder
#
# takes 10 s

# A product that is too large to be computed is checked by its outputs' shapes,
# which only <op>_meta tells before the reference has run.
root=$TMP/ops
mkdir -p "$root/prod"
cat >"$root/prod/op.json" <<'JSON'
{"schema": "prod(Tensor a, Tensor b) -> Tensor", "product": {"a": "a", "b": "b"},
 "flops": "2 * numel(a) * dim(b, 1)", "numel": "dim(a, 0) * dim(b, 1)"}
JSON
cat >"$root/prod/gen_input.json" <<'JSON'
{"correctness": ["((T([2, 2], f32), T([2, 2], f32)), {})",
                 "((T([1024, 1024], f32), T([1024, 1024], f32)), {})"]}
JSON
sed 's/\bmm_meta/other/; s/\bmm_reference(/prod_reference(/; s/\.\.\/shared/ops\/library\/shared/' \
    ops/library/mm/mm_reference.c | sed "s,ops/library,$PWD/ops/library," \
    >"$root/prod/prod_reference.c"
cat >"$root/prod/prod_plain.c" <<'C'
#include <opsweep/op.h>

int prod_kernel_impl(const osw_call *call)
{
    const osw_tensor *a = osw_arg_tensor(call, 0), *b = osw_arg_tensor(call, 1);
    int64_t m = a->shape[0], k = a->shape[1], n = b->shape[1];
    int64_t shape[] = {m, n};
    osw_tensor *c = osw_output(call, 0, a->dtype, 2, shape, NULL);
    const float *x = osw_data(a), *y = osw_data(b);
    float *z = c ? osw_data(c) : NULL;

    for (int64_t i = 0; z && i < m * n; i++) {
        z[i] = 0;
        for (int64_t j = 0; j < k; j++)
            z[i] += x[i / n * k + j] * y[j * n + i % n];
    }
    return z ? 0 : OSW_ERROR;
}
C
plan=(plan --custom-ops-root "$root" --max-work 0.5 --device cpu)
expect_exit 0 "$OPSWEEP" "${plan[@]}"
expect_err "warning: op 'prod.default': large cases such as .*1024.* will be unverified: \`product\` of op.json needs prod_meta in prod_reference.c$"
expect_exit 0 "$OPSWEEP" plan --custom-ops-root "$root"
expect_no_grep prod_meta "$TMP/err"
expect_exit 0 "$OPSWEEP" check "$root/prod" --cases 1
expect_out "^note +prod_reference.c +\`product\` needs prod_meta here"
sed -i 's/other/prod_meta/' "$root/prod/prod_reference.c"
expect_exit 0 "$OPSWEEP" "${plan[@]}"
expect_no_grep prod_meta "$TMP/err"
expect_exit 0 "$OPSWEEP" check "$root/prod" --cases 1
expect_no_grep 'needs prod_meta' "$TMP/out"

# In Python there is none.
rm "$root/prod/prod_reference.c"
printf 'def prod_reference(a, b):\n    return a @ b  # prod_meta\n' >"$root/prod/prod_reference.py"
expect_exit 0 "$OPSWEEP" "${plan[@]}"
expect_err 'needs prod_meta in prod_reference.py, which must be C or C\+\+ for that$'

# An argument that has not what an expression asks for is said as it is.
make_op "$TMP/dims"
echo '{"schema": "scale(Tensor x, float a) -> Tensor", "fill": {"x": "index(dim(x, 3))"}}' \
    >"$TMP/dims/scale/op.json"
expect_exit 2 "$OPSWEEP" check "$TMP/dims/scale"
expect_err "expected a tensor with dimension 3, argument 'x' is T\(\[4, 8\], f32\)"

# What op code says cannot steer a terminal, or change the direction of its text;
# a file and a pipe get it as it is.
mkdir -p "$TMP/says/says"
cp "$TMP/dims/scale/gen_input.json" "$TMP/says/says"
sed 's/scale_ref/says_ref/' "$TMP/dims/scale/scale_reference.c" >"$TMP/says/says/says_reference.c"
cat >"$TMP/says/says/says_plain.c" <<'C'
#include <opsweep/op.h>

int says_kernel_impl(const osw_call *call)
{
    return osw_error(call, "\033[2J\xc2\x9b" "31m \xe2\x80\xae reversed, \xc3\xa9");
}
C
expect_exit 1 "$OPSWEEP" run --custom-ops-root "$TMP/says" --profile correct -n 1 -o "$TMP/says.h5"
for words in 'report --format csv' 'report --format text' 'report --format markdown' \
    'report --format json' 'export --format csv' 'show 0' 'show 0 --verbose'; do
    # shellcheck disable=SC2086
    python3 tests/shell/on_terminal.py reversed 0 "$OPSWEEP" ${words%% *} "$TMP/says.h5" \
        ${words#* } >"$TMP/screen" 2>&1 || true
    expect_grep 'reversed' "$TMP/screen"
    if LC_ALL=C grep -qP '\x1b\[2J|\xc2\x9b|\xe2\x80\xae' "$TMP/screen"; then
        fail "'$words' hands a terminal what steers it"
    fi
done
"$OPSWEEP" report "$TMP/says.h5" --format csv >"$TMP/raw.csv" || true
LC_ALL=C grep -qP '\x1b\[2J\xc2\x9b31m \xe2\x80\xae reversed' "$TMP/raw.csv" || fail 'a pipe gets other bytes'

# A second reference is passed over, and that is said; so is one for complex
# results that asks for doubles and does not fill them.
mkdir -p "$TMP/two/turn"
echo '{"correctness": [{"case": "((T([{n}], c64),), {})", "for": {"n": [1, 2, 3, 4, 5, 6]}}]}' >"$TMP/two/turn/gen_input.json"
for kind in reference kernel_impl; do
    cat >"$TMP/two/turn/turn_${kind/kernel_impl/plain}.c" <<C
#include <opsweep/op.h>

int turn_$kind(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);

    return y && osw_output_exact(call, 0) ? 0 : OSW_ERROR;
}
C
done
echo 'def turn_reference(x): return 1j * x' >"$TMP/two/turn/turn_reference.py"
expect_exit 1 "$OPSWEEP" check "$TMP/two/turn"
cat "$TMP/out"
expect_out "^note +turn .*turn_reference.py: passed over: 'turn_reference.c' is the reference"
expect_out '^wrong +turn__plain +reference .*: the reference asked for the exact values of output 0 and never filled them'
# Of cells that end alike, for the same reason, the first has a line, the others a
# number.
expect_equal 1 "$(grep -c '^wrong  *turn__plain' "$TMP/out")" 'lines of one reason'
expect_out '^wrong +turn +plain: reference on 5 more cases'
expect_out '^6 cells run, 6 things wrong'
expect_exit 1 "$OPSWEEP" run --custom-ops-root "$TMP/two" -n 1 --profile correct -o "$TMP/two.h5"
expect_err "turn_reference.py: passed over: 'turn_reference.c' is the reference"

# A pipe or a device in the place of a file never ends: it costs its own op, before
# any worker reads it.
make_op "$TMP/pipes"
for name in gen_input.json op.json scale_plain.c scale_reference.c; do
    cp -r "$TMP/pipes/scale" "$TMP/pipes/no_${name%.*}"
    rm -f "$TMP/pipes/no_${name%.*}/$name"
    mkfifo "$TMP/pipes/no_${name%.*}/$name"
done
expect_exit 1 timeout 60 "$OPSWEEP" run --custom-ops-root "$TMP/pipes" -n 1 --profile correct -o "$TMP/pipes.h5"
for name in gen_input.json op.json scale_plain.c scale_reference.c; do
    expect_err "'.*/no_${name%.*}/$name' is a pipe or a device, expected a file"
done
