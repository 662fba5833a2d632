# opsweep check: every sub-test notices what it is for, and nothing else does.
# Where memory is a device's own, too, for cases small and large.
#
# takes 14 s

compile_quickly

# The twin has its memory there, and its settings.
export OPSWEEP_WRITABLE=/dev/shm OPSWEEP_PASS_ENV='TWIN_*'
devices=cpu
[ ! -e "$B/libopsweep-twin.so" ] || devices="twin cpu"
for device in $devices; do
    for op in scale add_; do
        expect_exit 1 "$OPSWEEP" check tests/fixtures/check/$op --seed 3 \
            --device $device
        cp "$TMP/out" "$TMP/$op.txt"
    done
    python3 tests/shell/opcheck.py "$TMP/scale.txt" "$TMP/add_.txt"
    mkdir -p "$TMP/$device/scale"
    cp tests/fixtures/check/scale/op.json \
        tests/fixtures/check/scale/scale_{ok,reference}.c \
        tests/fixtures/check/scale/scale.h "$TMP/$device/scale/"
    echo '{"correctness": ["((T([2500000], f32), 2.0), {})"]}' \
        >"$TMP/$device/scale/gen_input.json"
    expect_exit 0 "$OPSWEEP" check "$TMP/$device/scale" --device $device
    for test in schema meta shapes prepare; do
        expect_out "^ok +scale_ok.c +$test: "
    done
done
cp "$TMP/scale.txt" "$TMP/out"
expect_out "FAILED .*mutates.c +schema: wrote to input argument 'x', byte 92"
expect_out "FAILED .*aliases.c +schema: output 0 is argument 'x', which"
expect_out "FAILED .*strides.c +meta: .*strides \[1, 4\], the run made"
expect_out "FAILED .*first_case_only.c +meta: .*, the run made f32 \[31, 6\]"
expect_out "FAILED .*refuses.c +shapes: .*runs in a fresh process.*returned 2: made for"
expect_out "FAILED .*leaks.c +prepare: memory of the host grows by [0-9]+ KiB"
expect_out "skipped scale_ok.c +capture: needs --device cuda"
cp "$TMP/add_.txt" "$TMP/out"
expect_out "FAILED .*new.c +schema: output 0 is new memory, the schema returns"

# An argument that is written and not returned is an output after the returns; new
# memory there is none.
mkdir -p "$TMP/seen"
echo '{"schema": "seen(Tensor x, Tensor(a!) total) -> Tensor"}' >"$TMP/seen/op.json"
echo '{"correctness": ["((T([5], f32), T([1], f32)), {})"]}' >"$TMP/seen/gen_input.json"
for role in 'reference reference osw_output_alias(call,1,1)' \
    'alias kernel_impl osw_output_alias(call,1,1)' \
    'new kernel_impl osw_output(call,1,t->dtype,1,t->shape,NULL)'; do
    read -r name function total <<<"$role"
    cat >"$TMP/seen/seen_$name.c" <<C
#include <opsweep/op.h>
int seen_$function(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0), *t = osw_arg_tensor(call, 1);
    osw_tensor *y = osw_output(call, 0, x->dtype, 1, x->shape, NULL);
    osw_tensor *s = $total;
    if (!y || !s)
        return OSW_ERROR;
    float sum = *(float *)osw_data(t);
    for (int64_t i = 0; i < x->shape[0]; i++) {
        ((float *)osw_data(y))[i] = 2 * ((float *)osw_data(x))[i];
        sum += ((float *)osw_data(x))[i];
    }
    *(float *)osw_data(s) = sum;
    return 0;
}
C
done
expect_exit 1 "$OPSWEEP" check "$TMP/seen" --device cpu
expect_out '^ok +seen_alias.c +schema: '
expect_out '^FAILED +seen_new.c +schema: the schema returns 1 tensor, the run made 2'

# A library op keeps it all.
unset OPSWEEP_CFLAGS
expect_exit 0 "$OPSWEEP" check ops/library/relu_ -n 1
expect_out "ok +relu__simd.c +schema: writes and aliases what the schema says"
expect_no_grep "^FAILED" "$TMP/out"
expect_exit 2 "$OPSWEEP" check ops/library/relu_ --device gpu

# Of integers that are small in all cases it says so, unless op.json says that
# others are tried, or that there are none.
mkdir "$TMP/total"
echo '{"correctness": ["((T([5], f32),), {})", "((T([50], i64),), {})"]}' >"$TMP/total/gen_input.json"
for role in reference kernel_impl; do
    cat >"$TMP/total/total_$role.c" <<C
#include <opsweep/elements.h>
int total_$role(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, 0, NULL, NULL);
    if (!y)
        return OSW_ERROR;
    osw_set(y, 0, 0);
    for (int64_t i = 0; i < osw_numel(x); i++)
        osw_set(y, 0, osw_get(y, 0) + osw_get(x, i));
    return 0;
}
C
done
for trials in '' ', "trials": ["wide"]' ', "trials": []'; do
    echo "{\"schema\": \"total(Tensor x) -> Tensor\"$trials}" >"$TMP/total/op.json"
    expect_exit 0 "$OPSWEEP" check "$TMP/total"
    expect_equal "$([ "$trials" ] && echo 0 || echo 1)" "$(grep -c 'integers are small' "$TMP/out" || true)" \
        "notes with '$trials'"
done
