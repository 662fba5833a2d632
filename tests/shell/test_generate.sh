# opsweep generate: a scripted model writes a kernel that is wrong, then right and
# slow, then fast; what it is told, what is kept, and that nothing is asked twice.
#
# takes 40 s

model=$PWD/tests/shell/generate_model.sh
export MODEL_LOG=$TMP/asked OPSWEEP_CACHE=$TMP/cache
make_op "$TMP/ops"
cat >"$TMP/ops/scale/gen_input.json" <<'J'
{"correctness": ["((T([4, 8], f32), 2.0), {})", "((T([33], f32), -0.5), {})",
                 "((T([7, 5], f32), 3.0), {})"],
 "performance": ["((T([65536], f32), 2.0), {})"]}
J

# generate CODE RUN OPTION...: in $TMP/g/run_RUN, without times
generate() {
    local code=$1 run=$2
    shift 2
    expect_exit "$code" "$OPSWEEP" generate --custom-ops-root "$TMP/ops" \
        --device cpu -n 1 --profile correct --model-command "$model" \
        --generated-dir "$TMP/g" --run-id "$run" --width 1 "$@"
}
attempt() { echo "$TMP/g/run_$1/scale__default/attempts/$2"; }

# The whole loop, timed.
generate 0 a --profile smoke --seed 7
expect_err '^opsweep: scale__default, attempt 1: 0 of 3 cells pass'
expect_err '^opsweep: scale__default, attempt 3: 3 of 3 cells pass, speedup'
expect_out '^correctness +1.000  1 of 1 op with a kernel that passes every cell'
expect_out '^pass@1 +0.000  mean over 1 op '
expect_out 'chosen  g00[23]_[0-9a-f]{8}  4 of 4 cells pass, 1 of 1 held out; speedup'
expect_grep 'osw_error|osw_output' "$(attempt a 001)/prompt.txt"
expect_grep 'baseline \(plain\): .* us' "$TMP/g/run_a/scale__default/cases.txt"
expect_grep '^state  value' "$(attempt a 001)/feedback.txt"
expect_grep '^wrong .* elements, the first at index 0' "$(attempt a 001)/feedback.txt"
expect_grep 'got .*, expected ' "$(attempt a 001)/feedback.txt"
expect_grep 'It is not right yet' "$(attempt a 002)/prompt.txt"
expect_grep 'It is right\. Write a faster' "$(attempt a 003)/prompt.txt"
expect_no_grep 'draft' "$(attempt a 003)/kernel.c"
# Once it cannot do better it writes the same again, which is not judged again;
# beside other programs it may be at 0.9 of the roofs by then.
if [ -d "$(attempt a 004)" ]; then
    expect_grep 'was not judged: the code is that of another attempt.*\(attempt 3\)' \
        "$(attempt a 004)/feedback.txt"
    expect_no_file "$(attempt a 004)/verdict.json"
fi
expect_exit 0 "$OPSWEEP" report "$TMP/g/run_a/run.h5" --format csv -o "$TMP/a.csv"
[ -s "$TMP/g/run_a/README.md" ] || fail 'no README.md'
chosen=$(sed -n 's/.*chosen  \(g00[0-9]\)_.*/\1/p' "$TMP/g/run_a/OVERALL_SUMMARY.txt")
expect_same_file "$TMP/g/run_a/scale__default/scale__default_implementation_v${chosen#g}.c" \
    "$(attempt a "${chosen#g}")/kernel.c"

# The file says how it came to that, a row per attempt; report prints it.
expect_exit 0 "$OPSWEEP" report "$TMP/g/run_a/run.h5"
expect_out '^generated +[345] attempts at 1 op in c by command: 3 judged'
expect_out '^performance +[0-9.]+ +geometric mean .*'
expect_out 'baseline plain'
expect_out '^fast_0.5 +1.000  1 of 1 op'
expect_exit 0 "$OPSWEEP" report "$TMP/g/run_a/run.h5" --format json -o "$TMP/a.json"
expect_exit 0 "$OPSWEEP" report "$TMP/g/run_a/run.h5" --format html -o "$TMP/a.html"
expect_grep '<section id="generation"' "$TMP/a.html"
PYTHONPATH=tests/shell python3 -B tests/shell/html_page.py "$TMP/a.html" scale.default
expect_exit 0 "$OPSWEEP" report "$TMP/g/run_a/run.h5" --anonymize
expect_out '^generated +[345] attempts at 1 op;'
expect_exit 0 "$OPSWEEP" report "$TMP/g/run_a/run.h5" --format markdown
expect_out '^- correctness +1.000'
expect_exit 0 "$OPSWEEP" export "$TMP/g/run_a/run.h5" -o "$TMP/a_cells.csv"
expect_exit 0 "$OPSWEEP" compare "$TMP/g/run_a/run.h5" "$TMP/g/run_a/run.h5"
expect_exit 0 "$OPSWEEP" merge "$TMP/merged.h5" "$TMP/g/run_a/run.h5"
expect_exit 0 "$OPSWEEP" report "$TMP/merged.h5"
expect_out '^generated +[345] attempts at 1 op'
python3 - "$TMP/a.json" "${chosen#g}" <<'P'
import json, sys

g = json.load(open(sys.argv[1]))["generation"]
assert g["n_ops"] == g["n_ops_right"] == 1, g
assert g["ops"][0]["winner"] == int(sys.argv[2]), g
assert g["ops"][0]["baseline"] == "plain" and g["ops"][0]["speedup"] > 0, g
assert 3 <= g["n_attempts"] <= 5 and g["judge_s"] > 0, g
assert [p["p"] for p in g["fast"]] == [0.5, 0.8, 1, 1.5, 2], g
P
python_h5 - "$TMP/g/run_a/run.h5" "$(attempt a 002)/kernel.c" <<'P'
import hashlib, sys, h5py

g = h5py.File(sys.argv[1])["generation"]
n = g["attempt"].shape[0]
row = {k: v[1] for k, v in g.items() if k not in ("row", "ops")}
source = open(sys.argv[2], "rb").read()
assert row["source_sha256"].decode() == hashlib.sha256(source).hexdigest(), row
assert row["impl"].decode().startswith("g002_") and row["parent"] == 1, row
assert (row["n_planned"], row["n_passed"], row["n_timed"]) == (3, 3, 1), row
assert row["speedup"] > 0 and not row["speedup_lo"] > row["speedup"], row
assert row["judge_ns"] > 0 and row["outcome"] == b"judged", row
assert [a for a, w in zip(g["attempt"], g["winner"]) if w] == [g["ops/winner"][0]]
first = {k: v[0] for k, v in g.items() if k not in ("row", "ops")}
assert (first["n_failed"], first["n_errors"], first["n_passed"]) == (3, 0, 0), first
P
# What has no such table is read as before.
expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP/ops" --device cpu -n 1 \
    --profile correct -o "$TMP/none.h5"
expect_exit 0 "$OPSWEEP" report "$TMP/none.h5"
expect_no_grep '^generated' "$TMP/out"

# No prompt and no feedback has a case that is held out.
python3 - "$TMP/g/run_a" "$TMP/a.csv" <<'P'
import csv, glob, sys

run, table = sys.argv[1:]
cases = {r["case"] for r in csv.DictReader(open(table, newline=""))}
assert len(cases) == 4, cases
prompts = "".join(open(f).read() for f in glob.glob(run + "/*/attempts/*/*.txt"))
hidden = [c for c in cases if c not in prompts]
assert len(hidden) == 1, hidden
first = open(run + "/scale__default/attempts/001/prompt.txt").read()
assert all(c in first for c in cases if c not in hidden)
P

# Resumed when it is done, it asks nothing and judges nothing.  Sources that were
# lost with the machine are made of the answers again.
lines=$(wc -l <"$MODEL_LOG")
cp "$(attempt a 002)/kernel.c" "$TMP/kernel.c"
: >"$(attempt a 002)/kernel.c"
rm "$TMP"/g/run_a/.root/scale/scale_g002_*.c
expect_exit 0 "$OPSWEEP" generate --resume "$TMP/g/run_a"
expect_out '\(0 waves\)'
expect_out 'chosen  g00[23]_'
expect_equal "$lines" "$(wc -l <"$MODEL_LOG")" 'requests after all'
expect_same_file "$(attempt a 002)/kernel.c" "$TMP/kernel.c"
expect_same_file "$TMP"/g/run_a/.root/scale/scale_g002_*.c "$TMP/kernel.c"

# Replayed it makes the same choices of the same prompts, and runs no model.
generate 0 b
expect_exit 0 "$OPSWEEP" generate --custom-ops-root "$TMP/ops" --device cpu -n 1 \
    --profile correct --api replay --replay "$TMP/g/run_b" --width 1 \
    --generated-dir "$TMP/g" --run-id c
expect_out '2 of 2 prompts are the same as in'
expect_same_file "$(attempt b 002)/kernel.c" "$(attempt c 002)/kernel.c"

# A population: two from nothing, then those that are alive are worked on.
two=$TMP/two_models # whose second start differs from the first
cat >"$two" <<S
#!/bin/sh
if [ "\$OPSWEEP_ATTEMPT" = 2 ]; then $model | sed 's/a + in/a - in/'; else $model; fi
S
chmod +x "$two"
generate 0 p --search population --width 2 --attempts 8 --seed 3 --model-command "$two"
expect_out 'search population'
expect_grep '^Write the implementation' "$(attempt p 002)/prompt.txt"
expect_grep '^Attempt [12] is below. It is not right yet' "$(attempt p 003)/prompt.txt"
expect_exit 0 "$OPSWEEP" generate --custom-ops-root "$TMP/ops" --device cpu -n 1 \
    --profile correct --api replay --replay "$TMP/g/run_p" --generated-dir "$TMP/g" \
    --run-id q --search population --width 2 --attempts 8 --seed 3
n_prompts=$(ls "$TMP/g/run_p/scale__default/attempts" | wc -l)
expect_out "$n_prompts of $n_prompts prompts are the same as in"

# As a backend of run: what won is judged into one file, under one name.
llm() { # CODE OPTION...
    local code=$1
    shift
    expect_exit "$code" "$OPSWEEP" run --custom-ops-root "$TMP/ops" --device cpu -n 1 \
        --profile correct --generated-dir "$TMP/g" --width 1 "$@"
}
llm 0 --backend llm --model-command "$model" --run-id w -o "$TMP/won.h5"
expect_out '^correctness +1.000  1 of 1 op'
expect_err "what won: 1 op into '.*won.h5'"
expect_exit 0 "$OPSWEEP" report "$TMP/won.h5" --format csv -o "$TMP/won.csv"
expect_equal 4 "$(grep -c ',scale.default,llm,' "$TMP/won.csv")" 'cells of what won'
expect_exit 0 "$OPSWEEP" report "$TMP/won.h5"
expect_out '^generated +2 attempts at 1 op'
expect_exit 0 "$OPSWEEP" show "$TMP/won.h5" scale/llm/0 --rerun
llm 2 --backend=llm --model-command "$model" --run-id w2 -o "$TMP/won.h5"
expect_err "won.h5' exists"
expect_no_file "$TMP/g/run_w2"
llm 0 --backend llm --resume "$TMP/g/run_w" -o "$TMP/won.h5" -f
cat >"$TMP/llm.json" <<J
{"backend": "llm", "custom_ops_root": "$TMP/ops", "device": "cpu", "ranks": 1,
 "profile": "correct", "output": "$TMP/won2.h5",
 "generate": {"model_command": "$model", "attempts": 1, "max_tokens": 99, "holdout": 0}}
J
# A kernel that is wrong is judged, too, where there is none better; names of
# BackendBench.
expect_exit 1 "$OPSWEEP" run "$TMP/llm.json" --log-dir "$TMP/g" --run-id w3 --dsl c
expect_exit 1 "$OPSWEEP" report "$TMP/won2.h5"
expect_out '^correctness +0.000  0 of 1 op'
expect_out '0 of 4 judged cells'
expect_exit 0 "$OPSWEEP" run "$TMP/llm.json" --llm-attempts 4 --generated-dir "$TMP/g" \
    --run-id w4 -o "$TMP/won3.h5"
llm 3 --backend llm --model-command /bin/true --attempts 1 --run-id w5 -o "$TMP/won4.h5"
expect_err 'no op has a kernel that could be judged'
expect_no_file "$TMP/won4.h5"
expect_exit 0 "$OPSWEEP" run --backend llm --help
expect_out '--llm-model'
expect_exit 2 "$OPSWEEP" plan --backend llm --custom-ops-root "$TMP/ops"
expect_err "backend 'llm' is for 'opsweep run'"
sed -i 's/"attempts"/"atempts"/' "$TMP/llm.json"
expect_exit 2 "$OPSWEEP" run "$TMP/llm.json"
expect_err "llm.json: key 'generate.atempts': unknown option \(did you mean 'attempts'\?\)"
sed -i 's/"atempts": 1/"attempts": [1]/' "$TMP/llm.json"
expect_exit 2 "$OPSWEEP" run "$TMP/llm.json"
expect_err "key 'generate.attempts': expected a string, a number or a boolean, found a list"

# Killed after any time and resumed, it asks for no answer twice.
slow=$TMP/slow_model
printf '#!/bin/sh\nsleep 0.1\nexec %s\n' "$model" >"$slow"
chmod +x "$slow"
for t in 0.1 0.2 0.4 0.8 1.6 3.2 6.4 12.8; do # until it has begun
    rm -rf "$TMP/g/run_k" "$MODEL_LOG"
    rc=0
    timeout -s KILL $t "$OPSWEEP" generate --custom-ops-root "$TMP/ops" --device cpu \
        -n 1 --profile correct --model-command "$slow" --generated-dir "$TMP/g" \
        --run-id k --attempts 9 --search best-of >"$TMP/out" 2>&1 || rc=$?
    [ ! -f "$TMP/g/run_k/options.json" ] || break
done
[ -f "$TMP/g/run_k/options.json" ] || fail "it did not begin: $(cat "$TMP/out")"
for t in 0.15 0.25 0.3 0.4 0.2 0.35 0.45; do
    [ "$rc" -eq 137 ] || break
    rc=0
    timeout -s KILL $t "$OPSWEEP" generate --resume "$TMP/g/run_k" >"$TMP/out" \
        2>&1 || rc=$?
done
expect_exit 1 "$OPSWEEP" generate --resume "$TMP/g/run_k"
expect_out 'requests +9,'
expect_equal '' "$(sort "$MODEL_LOG" | uniq -d)" 'asked twice'

# Stopped while a campaign judges, it says how to go on.
rc=0
timeout -s INT 0.4 "$OPSWEEP" generate --custom-ops-root "$TMP/ops" --device cpu \
    -n 1 --model-command "$slow" --generated-dir "$TMP/g" --run-id i >"$TMP/out" \
    2>"$TMP/err" || rc=$?
[ "$rc" -eq 124 ] || fail "stopped with $rc: $(cat "$TMP/err")"
[ ! -f "$TMP/g/run_i/options.json" ] ||
    expect_err "^opsweep: stopped; to go on: opsweep generate --resume .*/run_i$"

# Money: what could exceed the limit is not asked for, and --resume takes more.
generate 4 m --search best-of --price 0,100 --max-tokens 10000 --max-cost 2.5
expect_out 'requests +2, 1 judged, 1 duplicate'
expect_out 'cost +2 of at most 2.5'
expect_out 'asking ended the next request could exceed --max-cost'
expect_exit 4 "$OPSWEEP" generate --resume "$TMP/g/run_m" --max-cost 3.5
expect_out 'cost +3 of at most 3.5'

# Of several ops the first is asked for while the others' baselines are measured, by
# the same ranks; of ops that are not asked for any more none is.
for op in one two three; do
    mkdir -p "$TMP/several/$op"
    for file in gen_input.json scale_reference.c scale_plain.c; do
        sed "s/scale/$op/g" "$TMP/ops/scale/$file" >"$TMP/several/$op/${file/scale/$op}"
    done
done
several() { # CODE RUN OPTION...
    expect_exit "$1" "$OPSWEEP" generate --custom-ops-root "$TMP/several" --device cpu \
        -n 1 --profile correct --model-command "$TMP/watch" --generated-dir "$TMP/g" \
        --run-id "$2" --width 1 --attempts 2 --concurrency 1 "${@:3}"
}
cat >"$TMP/watch" <<'S'
#!/bin/sh
run=$(dirname "$0")/g/run_s
{ ls "$run"/*/cases.txt | wc -l; pgrep -f "[r]un_s/.waves/.* --series"; } | tr '\n' ' '>>"$run/seen"
echo >>"$run/seen"
sleep 0.5
echo no code
S
chmod +x "$TMP/watch"
several 1 s
expect_out '^requests +6'
expect_grep '^[12] ' "$TMP/g/run_s/seen"
expect_grep '^3 ' "$TMP/g/run_s/seen"
expect_equal 1 "$(cut -d ' ' -f 2- "$TMP/g/run_s/seen" | sort -u | wc -l)" 'ranks started'
several 4 unpaid --price 0,100 --max-tokens 10000 --max-cost 0.5
expect_out '^requests +0'
expect_equal 1 "$(ls "$TMP"/g/run_unpaid/*/cases.txt | wc -l)" 'baselines measured'

# Models that hang, fail, say nothing, too much, or cut themselves off.
bad() { # NAME SCRIPT
    printf '#!/bin/sh\n%s\n' "$2" >"$TMP/bad_$1"
    chmod +x "$TMP/bad_$1"
    generate 1 "bad_$1" --model-command "$TMP/bad_$1" --attempts 1 \
        --request-timeout 1
    expect_out 'chosen  none: no kernel passes every cell'
    cp "$(attempt "bad_$1" 001)/feedback.txt" "$TMP/feedback"
}
bad hangs 'sleep 60'
expect_grep 'the request failed: no answer within 1 s' "$TMP/feedback"
bad fails 'echo no quota >&2; exit 3'
expect_grep 'the request failed: .*exit code 3: no quota' "$TMP/feedback"
bad silent 'exec <&-; exit 0'
expect_grep 'the answer is empty' "$TMP/feedback"
bad floods 'yes | head -c 70000000'
expect_grep 'too large' "$TMP/feedback"
bad cut 'printf "\`\`\`c\nint scale_kernel_impl("'
expect_grep 'the answer was cut off' "$TMP/feedback"
bad other 'printf "\`\`\`c\nint x;\n\`\`\`\n"'
expect_grep 'no block of code defines the function' "$TMP/feedback"
printf '#!/no/such/shell\n' >"$TMP/no_shell"
chmod +x "$TMP/no_shell"
expect_exit 4 "$OPSWEEP" generate --custom-ops-root "$TMP/ops" --device cpu -n 1 \
    --profile correct --model-command "$TMP/no_shell" --generated-dir "$TMP/g"
expect_out "asking ended cannot start '.*/no_shell': No such file"
# What is not there is told before anything is judged.
expect_exit 2 "$OPSWEEP" generate --custom-ops-root "$TMP/ops" --device cpu -n 1 \
    --model-command "$TMP/none" --run-id none --generated-dir "$TMP/g"
expect_err "option '--model-command': expected a program that answers prompts, found none as '.*/none'"
expect_exit 2 "$OPSWEEP" generate --custom-ops-root "$TMP/ops" --device cpu -n 1 \
    --replay "$TMP/ops" --run-id none --generated-dir "$TMP/g"
expect_err "option '--replay': '.*/ops' is no folder of a run: no 'journal'"
expect_no_file "$TMP/g/run_none"

# A key is the command's alone: op code, ranks and files never have it.
cat >"$TMP/spy" <<S
#!/bin/sh
[ "\$SPY_KEY" = canary-5d1e8a ] || exit 9
printf '\`\`\`c\n#include <opsweep/op.h>\n#include <stdlib.h>\n'
printf 'int scale_kernel_impl(const osw_call *call) {\n'
printf ' const char *k = getenv("SPY_KEY"); return osw_error(call, k ? k : "unset"); }\n\`\`\`\n'
S
chmod +x "$TMP/spy"
SPY_KEY=canary-5d1e8a generate 1 spy --model-command "$TMP/spy" --attempts 1 \
    --key-env SPY_KEY --send-output
expect_grep 'unset' "$(attempt spy 001)/feedback.txt"
! grep -rla canary-5d1e8a "$TMP/g" || fail 'the key is in a file'
! grep -qa canary-5d1e8a "$TMP/out" "$TMP/err" || fail 'the key was printed'
OPSWEEP_PASS_ENV=A,SPY_KEY SPY_KEY=x generate 2 p --key-env SPY_KEY
expect_err "OPSWEEP_PASS_ENV names 'SPY_KEY'"
generate 2 p --key-env NO_SUCH_KEY
expect_err "the environment has no 'NO_SUCH_KEY'"

# Templates of one's own; a misspelt name or hole is an error.
mkdir "$TMP/templates"
echo 'Do it. {{symbol}} osw_output_alias {{task}}' >"$TMP/templates/prompt.txt"
generate 0 t --templates "$TMP/templates"
expect_grep '^Do it. scale_kernel_impl' "$(attempt t 001)/prompt.txt"
echo '{{symbl}}' >"$TMP/templates/prompt.txt"
generate 2 t2 --templates "$TMP/templates"
expect_err "template 'prompt.txt': a template has '\{\{symbl\}\}'"
mv "$TMP/templates/prompt.txt" "$TMP/templates/promt.txt"
generate 2 t3 --templates "$TMP/templates"
expect_err "'promt.txt', which is no template's name \(did you mean 'prompt.txt'\?\)"

# Bad input leaves no folder.
generate 2 x --lang cuda
expect_err "option '--lang cuda' is for '--device cuda'"
generate 2 x --max-cost 1
expect_err "'--max-cost' needs '--price'"
generate 2 x --replay y --model-command z
expect_err "options '--replay' and '--model-command': expected one of them"
generate 2 x --attempts 2 --llm-attempts 3
expect_err "options '--attempts' and '--llm-attempts': expected one of them"
generate 2 x --attempts 0
expect_err "option '--attempts': expected a whole number from 1 to 999, found '0'"
generate 2 x --run-id ../x
expect_err "option '--run-id': expected"
generate 2 x -o x.h5
expect_err "option '--output' is not for generate"
generate 2 x --api comand
expect_err "did you mean 'command'"
expect_exit 0 "$OPSWEEP" generate --ops relu --device cpu --dry-run
expect_out 'at most 5 requests$'
generate 0 x --dry-run --price 3,15
expect_out '1 op, 4 cases, 1 of them held out; at most 5 requests, about'
expect_no_file "$TMP/g/run_x"

# Generated code reads toolchains and its own folders: no other file reaches the
# model through a compiler's message, through .incbin or when it runs.
echo 'canary 77aa31 of the user' >"$TMP/secret"
leak() { # NAME LINES: code, with @ for the secret's path
    {
        printf '#!/bin/sh\ncat <<"X"\n```c\n#include <opsweep/op.h>\n#include <stdio.h>\n'
        printf '%b\n```\nX\n' "${2//@/$TMP/secret}"
    } >"$TMP/leak_$1"
    chmod +x "$TMP/leak_$1"
    generate 1 "leak_$1" --model-command "$TMP/leak_$1" --attempts 1 --send-output
    ! grep -ra 'canary 77aa31' "$TMP/g/run_leak_$1" || fail "leak by $1"
}
leak include '#include "@"\nint scale_kernel_impl(const osw_call *c) { return 0; }'
expect_grep '^state  build' "$(attempt leak_include 001)/feedback.txt"
expect_grep 'Permission denied' "$(attempt leak_include 001)/feedback.txt"
embed='__asm__(".data\\nsecret: .incbin \\"@\\"\\n.byte 0\\n.text");\nextern char secret[];\n'
leak incbin "$embed"'int scale_kernel_impl(const osw_call *c) { return osw_error(c, secret); }'
expect_grep '^state  build' "$(attempt leak_incbin 001)/feedback.txt"
leak fopen 'int scale_kernel_impl(const osw_call *c) { static char s[99]; FILE *f = fopen("@", "r");
    return osw_error(c, f ? fgets(s, 99, f) : "not readable"); }'
expect_grep 'not readable' "$(attempt leak_fopen 001)/feedback.txt"
# Without --send-output not even its own words are sent.
generate 1 words --model-command "$TMP/leak_fopen" --attempts 1
expect_no_grep 'not readable' "$(attempt words 001)/feedback.txt"
expect_grep 'not shown: it is a message of the code' "$(attempt words 001)/feedback.txt"

# --- started by srun ------------------------------------------------------------------
# A shell in a step looks like the only task of it; several tasks would ask twice.
SLURM_STEP_NUM_TASKS=1 PMIX_RANK=0 expect_exit 2 "$OPSWEEP" generate
expect_err "option '--model' is missing"
SLURM_STEP_NUM_TASKS=2 PMIX_RANK=0 expect_exit 2 "$OPSWEEP" generate
expect_err 'start generate without mpirun and srun'
