# opsweep generate: answers that want what no prompt shows, or to end the run.

export OPSWEEP_CACHE=$TMP/cache
make_op "$TMP/ops"
cat >"$TMP/ops/scale/gen_input.json" <<'J'
{"correctness": ["((T([4, 8], f32), 2.0), {})", "((T([33], f32), -0.5), {})",
                 "((T([7, 77], f32), 3.0), {})", "((T([129], f32), 3.0), {})"]}
J

# generate CODE RUN LANG OPTION...: of a model that answers standard input
generate() {
    local code=$1 run=$2 lang=$3
    shift 3
    { echo '```'; cat; echo '```'; } >"$TMP/answer_$run"
    printf '#!/bin/sh\ncat >/dev/null; cat "%s"\n' "$TMP/answer_$run" >"$TMP/model_$run"
    chmod +x "$TMP/model_$run"
    expect_exit "$code" "$OPSWEEP" generate --custom-ops-root "$TMP/ops" --lang "$lang" \
        --device cpu -n 1 --profile correct --width 1 --attempts 1 --seed 5 \
        --model-command "$TMP/model_$run" --generated-dir "$TMP/g" --run-id "$run" "$@"
    told=$TMP/g/run_$run/scale__default/attempts/001/feedback.txt
}
function='int scale_kernel_impl(const osw_call *call)'

# The op's files: its cases, those that are held out among them, its reference and
# its other implementations.  Links lead to them, by whatever name.
generate 1 cases c <<C
#include <opsweep/op.h>
#include "gen_input.json"
$function { return OSW_ERROR; }
C
expect_grep '^state  build' "$told"
expect_grep 'gen_input.json: Permission denied' "$told"
for name in '"scale_plain.c"' "\"$TMP/ops/scale/scale_plain.c\"" '"../scale/scale_plain.c"'; do
    generate 1 sibling c <<C
#include <opsweep/op.h>
#define scale_kernel_impl theirs
#include $name
#undef scale_kernel_impl
$function { return theirs(call); }
C
    expect_grep 'scale_plain.c: Permission denied' "$told"
    rm -r "$TMP/g/run_sibling"
done

# A class can be named after what code has read; so can its functions and files.
OPSWEEP_PYTHON=$(python_with numpy) || skip 'no python3 with numpy: C was tested'
export OPSWEEP_PYTHON
generate 1 kind python <<'P'
import numpy


def scale_kernel_impl(x, a):
    raise type("canary_77aa31", (Exception,), {})("words")
P
expect_grep '^why    not shown: it is a message of the code, line 5$' "$told"
expect_no_grep canary "$told"
generate 1 place python <<'P'
import numpy


def scale_kernel_impl(x, a):
    exec(compile("def canary_77aa31():\n raise ValueError('words')", __file__, "exec"))
    locals()["canary_77aa31"]()
P
expect_grep '^why    ValueError, line 2$' "$told"
expect_no_grep canary "$told"

# What refuses every case is judged, and the run goes on.
generate 1 refuses c --attempts 2 <<C
#include <opsweep/op.h>
$function { return OSW_UNSUPPORTED; }
C
expect_grep '^Result of attempt 1: 0 of 3 cases pass' "$told"
expect_grep '^state  unsupported' "$told"
expect_out 'chosen  none'
