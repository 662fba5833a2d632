# Values that tolerances or the usual inputs would hide: wrong code is caught, right code passes.
# takes 30 s

# op NAME, then the files of its folder: of C files the part after the header.
ROOT=$TMP/root
op() {
    mkdir -p "$ROOT/$1"
    cat >"$ROOT/$1/$2"
}

# sweep NAME OPTION...: judge all implementations of one op; their states,
# by name, to $TMP/states.
sweep() {
    local op=$1
    shift
    expect_exit 0 "$OPSWEEP" run --suite custom_ops --custom-ops-root "$ROOT" \
        --ops "$op" --device cpu -n 1 --seed 1 --fail-on none -f \
        -o "$TMP/run.h5" --profile correct "$@"
    "$OPSWEEP" export --format csv "$TMP/run.h5" >"$TMP/run.csv"
    python3 - "$TMP/run.csv" >"$TMP/states" <<'PY'
import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
    print(r["impl"], r["status"], r["reason"])
PY
}

# expect_state IMPL STATE [WORDS]
expect_state() { expect_grep "^$1 $2 .*${3-}" "$TMP/states"; }

mkdir -p "$ROOT"
cat >"$ROOT/map.h" <<'C'
#include <math.h>
#include <opsweep/elements.h>

/* y[i] = EXPRESSION of x[i], in a loop */
static const osw_dtype f32 = {OSW_FLOAT, 32, 1}, b8 = {OSW_BOOL, 8, 1};

#define MAP(symbol, from, to, type, expression)                               \
    int symbol(const osw_call *call)                                          \
    {                                                                         \
        const osw_tensor *x = osw_arg_tensor(call, 0);                        \
        osw_tensor *y = osw_output(call, 0, type, x->ndim, x->shape, NULL);   \
                                                                              \
        if (!y)                                                               \
            return OSW_ERROR;                                                 \
        for (int64_t i = 0; i < osw_numel(x); i++) {                          \
            from a = ((const from *)osw_data(x))[i];                          \
            ((to *)osw_data(y))[i] = (to)(expression);                        \
        }                                                                     \
        return 0;                                                             \
    }
C

# --- a bool is stored as 0 or 1 ---

op flags gen_input.json <<<'{"correctness": ["((T([100], f32),), {})"]}'
op flags flags_reference.c <<'C'
#include "../map.h"
MAP(flags_reference, float, uint8_t, b8, a < 0)
C
op flags flags_right.c <<'C'
#include "../map.h"
MAP(flags_kernel_impl, float, uint8_t, b8, a < 0)
C
op flags flags_ones.c <<'C'
#include "../map.h"
MAP(flags_kernel_impl, float, uint8_t, b8, a < 0 ? 255 : 0)
C
sweep flags
expect_state right pass
expect_state ones value 'got 255, expected 1 .a bool is stored as 0 or 1'

# --- zeros have no sign, unless it is asked for ---

op zeros gen_input.json <<<'{"correctness": [
    {"case": "((T([100], f32),), {})", "fill": {"arg0": "smallint(2)"}}]}'
op zeros zeros_reference.c <<'C'
#include "../map.h"
MAP(zeros_reference, float, float, f32, a * 2)
C
op zeros zeros_right.c <<'C'
#include "../map.h"
MAP(zeros_kernel_impl, float, float, f32, a + a)
C
op zeros zeros_minus.c <<'C'
#include "../map.h"
MAP(zeros_kernel_impl, float, float, f32, a == 0 ? -0.0f : 2 * a)
C
sweep zeros
expect_state right pass
expect_state minus pass
sweep zeros --signed-zero --keep-going --timeout 600
expect_state right pass
expect_state minus value 'got -0, expected 0'
expect_exit 0 "$OPSWEEP" show "$TMP/run.h5" zeros.default/minus
expect_out 'opsweep run .* --signed-zero .*--timeout 600 --keep-going '

# --- what huge inputs leave is small, and not nothing ---

op inverse gen_input.json <<<'{"correctness": [
    {"case": "((T([1000], f32),), {})", "fill": {"arg0": "special"}}]}'
op inverse inverse_reference.c <<'C'
#include "../map.h"
int inverse_reference(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, f32, 1, x->shape, NULL);
    double *exact = y ? osw_output_exact(call, 0) : NULL;

    if (!exact)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(x); i++)
        exact[i] = 1 / osw_get(x, i);
    return 0;
}
C
op inverse inverse_right.c <<'C'
#include "../map.h"
MAP(inverse_kernel_impl, float, float, f32, 1 / a)
C
op inverse inverse_flushed.c <<'C'
#include "../map.h"
static float flush(float v)
{
    return fabsf(v) < 0x1p-126f ? copysignf(0, v) : v;
}
MAP(inverse_kernel_impl, float, float, f32, flush(1 / a))
C
op inverse inverse_lost.c <<'C'
#include "../map.h"
MAP(inverse_kernel_impl, float, float, f32,
    fabsf(a) > 1e30f ? copysignf(0, a) : 1 / a)
C
sweep inverse
expect_state right pass
expect_state flushed pass
expect_state lost value 'got -?0, expected -?4.70'

# --- a call that hangs costs what its op allows, not what its case costs ---

op hangs gen_input.json <<<'{"correctness": ["((T([1000], f32),), {})"]}'
op hangs op.json <<<'{"timeout_s": 0.4}'
op hangs hangs_reference.c <<'C'
#include "../map.h"
MAP(hangs_reference, float, float, f32, a * 2)
C
op hangs hangs_right.c <<'C'
#include "../map.h"
MAP(hangs_kernel_impl, float, float, f32, a + a)
C
op hangs hangs_forever.c <<'C'
#include "../map.h"
int hangs_kernel_impl(const osw_call *call)
{
    volatile int64_t n = osw_numel(osw_arg_tensor(call, 0));
    while (n > 0)
        ;
    return 0;
}
C
sweep hangs
expect_state right pass
expect_state forever timeout '0.4 s'
sweep hangs --timeout 300
expect_state forever timeout '0.4 s'

# --- integers that float and double cannot hold, by the op's name ---

op floor_divide gen_input.json <<<'{"correctness": ["((T([1000], i64), 3), {})"]}'
op floor_divide op.json <<<'{"schema": "floor_divide(Tensor self, Scalar other) -> Tensor"}'
for name in reference right double; do
    case $name in
    reference) symbol=floor_divide_reference ;;
    *) symbol=floor_divide_kernel_impl ;;
    esac
    case $name in
    double) value='floor((double)a / 3)' ;;
    *) value='a / 3 - (a % 3 < 0)' ;;
    esac
    op floor_divide "floor_divide_$name.c" <<C
#include "../map.h"
static const osw_dtype i64 = {OSW_INT, 64, 1};
MAP($symbol, int64_t, int64_t, i64, $value)
C
done
sweep floor_divide
expect_state right pass
expect_state double value 'on large integers: '
# Where op.json says which trials there are, the name does not.
op floor_divide op.json <<<'{"trials": [], "schema": "floor_divide(Tensor self, Scalar other) -> Tensor"}'
sweep floor_divide
expect_state double pass

# What moves elements moves all integers.
op flip gen_input.json <<<'{"correctness": ["((T([1000], i64), [0]), {})"]}'
op flip op.json <<<'{"schema": "flip(Tensor self, int[] dims) -> Tensor"}'
for name in reference right double; do
    op flip "flip_$name.c" <<C
#include <opsweep/elements.h>

int flip_$([ $name = reference ] && echo reference || echo kernel_impl)(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, 1, x->shape, NULL);

    for (int64_t i = 0, n = osw_numel(x); y && i < n; i++) {
        $([ $name = double ] && echo double || echo int64_t) v = *(const int64_t *)osw_at(x, n - 1 - i);

        *(int64_t *)osw_at(y, i) = (int64_t)v;
    }
    return y ? 0 : OSW_ERROR;
}
C
done
sweep flip
expect_state right pass
expect_state double value 'on large integers: '

# --- a result that is known again by the sum of the inputs ---

op double gen_input.json <<<'{"correctness": ["((T([1000], f32),), {})"]}'
op double double_reference.c <<'C'
#include "../map.h"
MAP(double_reference, float, float, f32, a * 2)
C
op double double_right.c <<'C'
#include "../map.h"
MAP(double_kernel_impl, float, float, f32, a + a)
C
op double double_kept.c <<'C'
#include "../map.h"
int double_kernel_impl(const osw_call *call)
{
    static double last = NAN;
    static float kept[1000];
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, f32, 1, x->shape, NULL);
    double sum = 0;

    if (!y)
        return OSW_ERROR;
    for (int64_t i = 0; i < 1000; i++)
        sum += osw_get(x, i);
    for (int64_t i = 0; i < 1000 && sum != last; i++)
        kept[i] = (float)(2 * osw_get(x, i));
    last = sum;
    memcpy(osw_data(y), kept, sizeof(kept));
    return 0;
}
C
sweep double
expect_state right pass
expect_state kept stale 'gave the result of earlier inputs'

# --- outputs whose length depends on values: the second call must work, too ---

op found gen_input.json <<<'{"correctness": [
    {"case": "((T([1000], f32),), {})", "fill": {"arg0": "normal"}}]}'
for name in reference right once; do
    case $name in
    reference) symbol=found_reference ;;
    *) symbol=found_kernel_impl ;;
    esac
    once=0
    [ $name != once ] || once=1
    op found "found_$name.c" <<C
#include "../map.h"
#define ONCE $once
int $symbol(const osw_call *call)
{
    static int64_t n, places[1000];
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_dtype i64 = {OSW_INT, 64, 1};
    osw_tensor *y;

    if (!ONCE || n == 0) {
        n = 0;
        for (int64_t i = 0; i < 1000; i++)
            if (osw_get(x, i) > 0)
                places[n++] = i;
    }
    y = osw_output(call, 0, i64, 1, &n, NULL);
    if (!y)
        return OSW_ERROR;
    memcpy(osw_data(y), places, (size_t)n * sizeof(*places));
    return 0;
}
C
done
sweep found
expect_state right pass
expect_state once '(stale|value|shape)'

# --- one element too many is read: the guard after an input is NaN ---

op pairs gen_input.json <<<'{"correctness": ["((T([100], f32),), {})"]}'
op pairs pairs_reference.c <<'C'
#include "../map.h"
MAP(pairs_reference, float, float, f32, a + (i < 99 ? ((const float *)osw_data(x))[i + 1] : 0))
C
op pairs pairs_right.c <<'C'
#include "../map.h"
MAP(pairs_kernel_impl, float, float, f32, a + (i < 99 ? ((const float *)osw_data(x))[i + 1] : 0))
C
op pairs pairs_over.c <<'C'
#include "../map.h"
MAP(pairs_kernel_impl, float, float, f32, (i == 0) + a + ((const float *)osw_data(x))[i + 1])
C
sweep pairs
expect_state right pass
expect_state over nan '2 of 100 elements wrong \(1 by NaN\), the first is 0 '

# --- special values: of 64 elements one at least is NaN ---

op lost gen_input.json <<<'{"correctness": [
    {"case": "((T([64], f32),), {})", "fill": {"arg0": "special"}}],
    "performance": [
    {"case": "((T([640], f32),), {})", "fill": {"arg0": "special"}}]}'
op lost lost_reference.c <<'C'
#include "../map.h"
MAP(lost_reference, float, float, f32, a < 0 ? 0 : a)
C
op lost lost_right.c <<'C'
#include "../map.h"
MAP(lost_kernel_impl, float, float, f32, a < 0 ? 0 : a)
C
op lost lost_fmax.c <<'C'
#include "../map.h"
MAP(lost_kernel_impl, float, float, f32, fmaxf(a, 0))
C
for seed in 0 1 2; do
    sweep lost --seed $seed
    expect_state right pass
    expect_state fmax nan 'got 0, expected -?nan'
done
sweep lost --profile smoke # also while it is timed
expect_state right pass
expect_state fmax nan 'got 0, expected -?nan'

# --- rounded to integers: f32 and f64 round what is almost halfway to two ---

quantize() { # NAME EXPRESSION
    op quantize "quantize_$1.c" <<C
#include <math.h>
#include <opsweep/elements.h>

int quantize_$([ "$1" = reference ] && echo reference || echo kernel_impl)(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    double scale = osw_arg_float(call, 1, 1);
    osw_tensor *y = osw_output(call, 0, (osw_dtype){OSW_INT, 8, 1}, x->ndim, x->shape, NULL);
    double *exact = y ? osw_output_exact(call, 0) : NULL;

    for (int64_t i = 0; y && i < osw_numel(x); i++) {
        double d = osw_get(x, i) / scale;
        float f = (float)osw_get(x, i) * (1 / (float)scale);

        if (exact)
            exact[i] = fmin(fmax(d, -128), 127);
        else
            osw_set(y, i, fmin(fmax($2, -128), 127));
        (void)f;
    }
    return y ? 0 : OSW_ERROR;
}
C
}
quantize reference 0
quantize nearest 'rintf(f)'
quantize cut 'truncf(f)'
quantize inner 'rintf(f) + (i == 70)'
op quantize gen_input.json <<<'{"correctness": ["((T([65536], bf16), 0.007), {})"]}'
op quantize op.json <<'JSON'
{"schema": "quantize(Tensor x, float scale) -> Tensor",
 "tolerance": {"i8": {"rtol": 0, "atol": 0.501}}}
JSON
sweep quantize
cat "$TMP/states"
expect_state nearest pass
expect_state cut value
expect_state inner value '1 of 65536 elements wrong, the first is 70 '
# Without it a right one fails, and a tolerance of all dtypes is none of integers.
sed -i 's/"i8"/"*"/' "$ROOT/quantize/op.json"
sweep quantize
expect_state nearest value

# What was not chosen must not reach the result, whatever it is; random numbers do
# not show it.  The op's name tells that special values are tried.
cp -r ops/library/shared ops/library/where__self "$ROOT"
rm "$ROOT"/where__self/*.cu
sed 's/(floats, m ? b : c)/(floats, m * b + (1 - m) * c)/' \
    "$ROOT/where__self/where__self_plain.c" >"$ROOT/where__self/where__self_blend.c"
grep -q 'm \* b' "$ROOT/where__self/where__self_blend.c" || fail 'where__self_blend.c does not blend'
sweep where.self
expect_state blend nan 'on special values: '
expect_state simd pass
expect_no_grep '^(plain|simd) (nan|value)' "$TMP/states"

# Sums of integers wrap around, also where an index says what is added: no double
# holds them, and none of 8 bits stops at 255.
mkdir -p "$ROOT/scatter_add"
cp ops/library/scatter_add/scatter_add_{reference,plain}.c "$ROOT/scatter_add"
cp ops/library/scatter_add/op.json "$ROOT/scatter_add"
for name in double saturates; do
    op scatter_add "scatter_add_$name.c" <<C
#include <opsweep/elements.h>

int scatter_add_kernel_impl(const osw_call *call)
{
    const osw_tensor *self = osw_arg_tensor(call, 0), *index = osw_arg_tensor(call, 2);
    const osw_tensor *src = osw_arg_tensor(call, 3);
    osw_tensor *y = osw_output(call, 0, self->dtype, 1, self->shape, NULL);

    for (int64_t i = 0; y && i < osw_numel(y); i++) {
        int64_t sum = *(const int64_t *)osw_at(self, i);
        double all = (double)sum;

        if (self->dtype.bits == 8)
            sum = *(const uint8_t *)osw_at(self, i);
        for (int64_t k = 0; k < osw_numel(src); k++) {
            if (*(const int64_t *)osw_at(index, k) != i)
                continue;
            if (self->dtype.bits == 8) {
                sum += *(const uint8_t *)osw_at(src, k);
                if ($([ $name = saturates ] && echo 1 || echo 0) && sum > 255)
                    sum = 255;
            } else {
                all += (double)*(const int64_t *)osw_at(src, k);
                sum = (int64_t)((uint64_t)sum + (uint64_t)*(const int64_t *)osw_at(src, k));
            }
        }
        if (self->dtype.bits == 8)
            *(uint8_t *)osw_at(y, i) = (uint8_t)sum;
        else
            *(int64_t *)osw_at(y, i) = $([ $name = double ] && echo '(int64_t)all' || echo sum);
    }
    return y ? 0 : OSW_ERROR;
}
C
done
for dtype in i64:double u8:saturates; do
    op scatter_add gen_input.json <<<'{"correctness": ["((T([5], '"${dtype%:*}"'), 0, T([60], i64), T([60], '"${dtype%:*}"')), {})"]}'
    sweep scatter_add.default
    cat "$TMP/states"
    expect_state plain pass
    expect_state "${dtype#*:}" value 'on large integers: '
done

# One output whose values are within its tolerance of zero makes a case weak, too.
for name in reference both one wrong; do
    op step "step_$name.c" <<C
#include <opsweep/elements.h>

int step_$([ $name = reference ] && echo reference || echo kernel_impl)(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, 1, x->shape, NULL);
    osw_tensor *z = osw_output(call, 1, x->dtype, 1, x->shape, NULL);

    for (int64_t i = 0; y && z && i < osw_numel(x); i++) {
        osw_set(y, i, $([ $name = wrong ] && echo 3 || echo 2) * osw_get(x, i));
        osw_set(z, i, $([ $name = one ] && echo 0 || echo 1e-7) * osw_get(x, i));
    }
    return y && z ? 0 : OSW_ERROR;
}
C
done
op step gen_input.json <<<'{"correctness": ["((T([50], f32),), {})"]}'
sweep step.default
expect_state both weak 'as output 1 zeros would pass too'
expect_state one weak
expect_state wrong value

# Inputs that op.json asks for and the reference declines are told.
for name in reference plain; do
    op picky "picky_$name.c" <<C
#include <opsweep/elements.h>

int picky_$([ $name = reference ] && echo reference || echo kernel_impl)(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, 1, x->shape, NULL);

    for (int64_t i = 0; y && i < osw_numel(x); i++) {
        $([ $name = plain ] || echo 'if (osw_get(x, i) != osw_get(x, i)) return OSW_ERROR;')
        osw_set(y, i, 2 * osw_get(x, i));
    }
    return y ? 0 : OSW_ERROR;
}
C
done
op picky op.json <<<'{"trials": ["special"]}'
op picky gen_input.json <<<'{"correctness": ["((T([100], f32),), {})"]}'
sweep picky.default
expect_state plain pass 'not judged on special values: the reference returned'

# A wrong index that is by chance the one of earlier inputs is no kept result; one
# that is kept is right in a fresh process.
mkdir -p "$ROOT/argmax"
cp ops/library/argmax/{op.json,argmax_reference.c} "$ROOT/argmax"
for name in zero keeps; do
    op argmax "argmax_$name.c" <<C
#include <opsweep/elements.h>

int argmax_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const int64_t one[] = {1, 1};
    osw_tensor *y = osw_output(call, 0, (osw_dtype){OSW_INT, 64, 1}, 2, one, NULL);
    static int64_t kept = -1;
    int64_t best = 0;
    double most = $([ $name = zero ] && echo 0 || echo -1e30);

    for (int64_t i = 0; y && i < osw_numel(x); i++)
        if (osw_get(x, i) > most) {
            most = osw_get(x, i);
            best = i;
        }
    if ($([ $name = keeps ] && echo 1 || echo 0)) {
        kept = kept < 0 ? best : kept;
        best = kept;
    }
    if (y)
        osw_set(y, 0, (double)best);
    return y ? 0 : OSW_ERROR;
}
C
done
op argmax gen_input.json <<<'{"correctness": [
    "((T([1, 2], f32), -1, True), {})", "((T([1, 3], f32), -1, True), {})",
    "((T([1, 4], f32), -1, True), {})", "((T([1, 5], f32), -1, True), {})"]}'
for seed in 1 2 3 4 5; do
    sweep argmax.default --seed $seed
    cat "$TMP/states"
    expect_no_grep '^zero stale' "$TMP/states"
    expect_no_grep 'gave the result of earlier inputs' "$TMP/states"
    cat "$TMP/states" >>"$TMP/of_all"
done
mv "$TMP/of_all" "$TMP/states"
expect_state zero value
expect_state keeps stale 'right in a fresh process, wrong when .* may be a race'

# No two cases or ops see the same numbers: of cases of one element each, about half
# are below 0 on their own inputs, whatever the seed.
for name in magnitude ramp; do
    op $name gen_input.json <<<'{"correctness": [
        {"case": "((T([1], f32), {n}), {})", "for": {"n": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}}]}'
    op $name ${name}_reference.c <<C
#include "../map.h"
MAP(${name}_reference, float, float, f32, a < 0 ? $([ $name = ramp ] && echo 0 || echo -a) : a)
C
    op $name ${name}_copies.c <<C
#include "../map.h"
MAP(${name}_kernel_impl, float, float, f32, a)
C
done
for seed in 0 1 2 3; do
    for name in magnitude ramp; do
        sweep $name --seed $seed
        grep -c '^copies value [0-9]' "$TMP/states" >"$TMP/n" || true
        echo "$name, seed $seed: $(cat "$TMP/n") of 12 are wrong on their own inputs"
        [ "$(cat "$TMP/n")" -ge 2 ] && [ "$(cat "$TMP/n")" -le 10 ] || fail "cases share their numbers"
        grep -n '^copies value [0-9]' "$TMP/states" | cut -d : -f 1 >"$TMP/$name.wrong" || true
    done
    ! cmp -s "$TMP/magnitude.wrong" "$TMP/ramp.wrong" || fail "two ops share their numbers"
done

# Cases of the library tell height from width, and -inf from the lowest finite value.
for name in avg_pool2d avg_pool2d_backward max_pool2d_with_indices; do
    cp -r ops/library/$name "$ROOT"
done
rm "$ROOT"/max_pool2d_with_indices/*.cu
for name in avg_pool2d avg_pool2d_backward; do
    exchanged=$ROOT/$name/${name}_exchanged.c
    sed '/^    if (!osw_planes_know/i\    int64_t pad = p.pad[0];\n    p.pad[0] = p.pad[1];\n    p.pad[1] = pad;' \
        "$ROOT/$name/${name}_plain.c" >"$exchanged"
    grep -q 'p.pad\[1\] = pad' "$exchanged" || fail "$exchanged: nothing is exchanged"
done
pool=$ROOT/max_pool2d_with_indices/max_pool2d_with_indices
sed 's/largest = -INFINITY/largest = -65504/; s/to\[o\] = from\[index\]/to[o] = largest/' \
    "${pool}_plain.c" >"${pool}_finite.c"
grep -q -- '-65504' "${pool}_finite.c" || fail 'the maximum starts at -infinity'
quickly sweep avg_pool2d_backward --impls plain,exchanged --max-work 0.02
expect_state plain pass
expect_state exchanged value
quickly sweep avg_pool2d,max_pool2d_with_indices --impls plain,exchanged,finite --max-work 0.02
expect_state plain pass
expect_state exchanged value
expect_state finite value 'got -65504, expected -inf'
expect_no_grep '^plain (nan|value)' "$TMP/states"

cp -r ops/library/convolution "$ROOT"
exchanged=$ROOT/convolution/convolution_exchanged.c
sed '/^    osw_conv_flatten/i\    int64_t step = c.dilation[1];\n    if (c.input->ndim == 4) {\n        c.dilation[1] = c.dilation[2];\n        c.dilation[2] = step;\n    }' \
    "$ROOT/convolution/convolution_plain.c" >"$exchanged"
grep -q 'dilation\[2\] = step' "$exchanged" || fail "$exchanged: nothing is exchanged"
quickly sweep convolution --impls plain,exchanged --max-work 0.02
expect_state plain pass
expect_state exchanged value
expect_no_grep '^plain (nan|value)' "$TMP/states"
