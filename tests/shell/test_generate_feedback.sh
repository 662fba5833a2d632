# opsweep generate: what a model is told of a failure: the smallest case that fails
# so, what a sanitizer says of a crash, and neither hidden cases nor seeds.

export OPSWEEP_CACHE=$TMP/cache
make_op "$TMP/ops"
cat >"$TMP/ops/scale/gen_input.json" <<'J'
{"correctness": ["((T([90, 3], f32), 2.0), {})", "((T([100], f32), -0.5), {})",
                 "((T([130], f32), 3.0), {})"]}
J

# model NAME EXPRESSION [LINE]: writes a kernel whose element is that
model() {
    cat >"$TMP/$1" <<S
#!/bin/sh
cat <<'C'
\`\`\`c
#include <opsweep/op.h>
#include <stdlib.h>

int scale_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    float a = (float)osw_arg_float(call, 1, 1.0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    const float *in = osw_data(x);

    ${3:-}
    for (int64_t i = 0; y && i < osw_numel(x); i++)
        ((float *)osw_data(y))[i] = $2;
    return 0;
}
\`\`\`
C
S
    chmod +x "$TMP/$1"
}
# generate CODE RUN OPTION...
generate() {
    local code=$1 run=$2
    shift 2
    expect_exit "$code" "$OPSWEEP" generate --custom-ops-root "$TMP/ops" \
        --device cpu -n 1 --profile correct --generated-dir "$TMP/g" \
        --run-id "$run" --width 1 --attempts 2 "$@"
}
told() { echo "$TMP/g/run_$1/scale__default/attempts/001/feedback.txt"; }

# Wrong from the 22nd element on: told with what was got, expected and allowed.
model wrong 'i > 20 ? 9 : a * in[i]'
generate 1 wrong --model-command "$TMP/wrong" --holdout 0 --seed 5120713
expect_grep '^The smallest case found that fails so:' "$(told wrong)"
expect_grep '^case   \(\(T\(\[22(, 1)?\], f32\), -?[0-9.]+\), \{\}\)' "$(told wrong)"
expect_grep '^wrong  1 of 22 elements, the first at index 21 \(row-major\) of output 0' \
    "$(told wrong)"
expect_grep '^allowed \|got - expected\| <= ' "$(told wrong)"
expect_grep 'got 9, expected ' "$(told wrong)"
expect_grep '^The smallest case found' "$TMP/g/run_wrong/scale__default/attempts/002/prompt.txt"
# The second attempt is a duplicate that no prompt is on.
expect_no_grep 'smallest' "$TMP/g/run_wrong/scale__default/attempts/002/feedback.txt"

# No example is a case that is held out, and no text has a seed.
sed -i 's/"((T(\[130/"((T([22], f32), 3.0), {})", &/' "$TMP/ops/scale/gen_input.json"
model wrong3 'a == 3 && i > 20 ? 9 : a * in[i]'
for seed in $(seq 9120711 9120760); do
    "$OPSWEEP" generate --custom-ops-root "$TMP/ops" --device cpu -n 1 --profile correct \
        --model-command "$TMP/wrong" --seed "$seed" --dry-run >"$TMP/first"
    grep -q 'T(\[22\], f32), 3.0' "$TMP/first" || break
done
expect_no_grep 'T\(\[22\]' "$TMP/first"
generate 1 hidden --model-command "$TMP/wrong3" --seed "$seed"
expect_grep '^case   \(\(T\(\[130\], f32\), 3.0\)' "$(told hidden)"
expect_no_grep 'smallest' "$(told hidden)"
python3 - "$TMP/g" "$seed" <<'P'
import glob, re, sys

root, seed = sys.argv[1:]
texts = {f: open(f).read() for f in glob.glob(root + "/run_*/*/attempts/*/*.txt")}
assert len(texts) > 6, texts.keys()
for file, text in texts.items():
    assert "5120713" not in text and seed not in text, file
    assert "--seed" not in text and "opsweep run" not in text, file
    if "run_hidden" in file:
        assert "T([22]" not in text, file
P

# A crash, under a sanitizer that reports what valgrind does.
mkdir "$TMP/bin"
cat >"$TMP/bin/valgrind" <<'S'
#!/bin/sh
for word; do
    case $word in --log-file=*) log=${word#--log-file=} ;; esac
done
cat >"$(dirname "$log")/77.log" <<'L'
==77== Memcheck, a memory error detector
==77== Command: /somewhere/opsweep-sandbox cpu --seed 77700123
==77== 
==77== <error>
==77== Invalid write of size 4
==77==    at 0x4853252: scale_kernel_impl (scale_g001_00000000.c:14)
==77==    by 0x10CDA3: call_op (calls.c:105)
==77==  Address 0x4b0d4a8 is 0 bytes after a block of size 40 alloc'd
==77== 
==77== </error>
L
S
chmod +x "$TMP/bin/valgrind"
model crash 'a * in[i]' 'if (osw_numel(x) > 25) abort();'
PATH=$TMP/bin:$PATH generate 1 crash --model-command "$TMP/crash" --holdout 0
expect_grep '^case   \(\(T\(\[2[67](, 1)?\], f32\)' "$(told crash)"
expect_grep '^What a sanitizer says' "$(told crash)"
expect_grep '^Invalid write of size 4$' "$(told crash)"
expect_grep "^ Address \.\.\. is 0 bytes after a block of size 40 alloc'd" "$(told crash)"
expect_no_grep 'calls.c|77700123|opsweep-sandbox' "$(told crash)"
PATH=$TMP/bin:$PATH generate 1 quiet --model-command "$TMP/crash" --no-sanitizer
expect_no_grep 'sanitizer' "$(told quiet)"
# Where there is none, or it fails, the verdict is told without.
printf '#!/bin/sh\nexit 3\n' >"$TMP/bin/valgrind"
PATH=$TMP/bin:$PATH generate 1 broken --model-command "$TMP/crash"
expect_grep '^state  crash' "$(told broken)"
expect_no_grep 'sanitizer' "$(told broken)"
