# opsweep generate on a device with memory of its own: what answers while a wave is
# judged is compiled meanwhile, once.  On a processor nothing is compiled ahead.
#
# takes turns: going first
# takes 6 s

go_first

# The twin has its memory there, and its settings.
export OPSWEEP_WRITABLE=/dev/shm OPSWEEP_PASS_ENV='TWIN_*'
export OPSWEEP_CACHE=$TMP/cache
make_op "$TMP/one"
for op in ant bee cat dog; do
    mkdir -p "$TMP/ops/$op"
    for f in reference plain; do
        sed "s/scale/$op/g" "$TMP/one/scale/scale_$f.c" >"$TMP/ops/$op/${op}_$f.c"
    done
    echo '{"correctness": ["((T([4, 8], f32), 2.0), {})"]}' >"$TMP/ops/$op/gen_input.json"
done

cat >"$TMP/model" <<'M'
#!/bin/bash
cat >/dev/null
cat <<C
\`\`\`c
#include <opsweep/op.h>

int ${OPSWEEP_OP%__default}_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    float a = (float)osw_arg_float(call, 1, $OPSWEEP_ATTEMPT);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);

    for (int64_t i = 0; y && i < osw_numel(x); i++)
        ((float *)osw_data(y))[i] = a * ((const float *)osw_data(x))[i];
    return y ? 0 : OSW_ERROR;
}
\`\`\`
C
M
chmod +x "$TMP/model"

# generate DEVICE: into $TMP/DEVICE/run_1
generate() {
    expect_exit 0 "$OPSWEEP" generate --custom-ops-root "$TMP/ops" --device "$1" \
        -n 1 --profile correct --model-command "$TMP/model" --attempts 2 --width 2 \
        --concurrency 2 --generated-dir "$TMP/$1" --run-id 1
    expect_out '^correctness +1.000  4 of 4 ops with a kernel that passes every cell'
}

# A baseline at a time is measured: answers for the first op come meanwhile.  On a
# busy machine they may come when all is judged, so it may take more than one run.
ahead='^[0-9]+ files: [1-9][0-9]* compiled, [1-9][0-9]* were there, 0 failed'
for _ in 1 2 3; do
    rm -rf "$TMP/twin" "$TMP/cache"
    generate twin
    cat "$TMP/twin/run_1/.waves/build.log"
    ! grep -qE "$ahead" "$TMP/twin/run_1/.waves/build.log" || break
done
expect_grep "$ahead" "$TMP/twin/run_1/.waves/build.log"
# Ranks look for the same objects: of each source there is one.
sources=$(find -L "$TMP"/twin/run_1/.root -name '*.c' | wc -l)
expect_equal "$sources" "$(find "$TMP/cache" -name '*.so' | wc -l)" objects

generate cpu
expect_no_file "$TMP/cpu/run_1/.waves/build.log"
