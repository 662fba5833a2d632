# What op code does to its sandbox, and to the node, costs its own cells.
#
# takes 20 s

export OPSWEEP_CACHE=$TMP/cache
compile_quickly

# sweep NAME WORD...: "impl status reason" of its cells in $TMP/NAME
sweep() {
    local name=$1 work=$TMP/work_$1
    shift
    mkdir "$work"
    expect_exit 1 env TMPDIR="$work" "$OPSWEEP" run --suite custom_ops \
        --device cpu --custom-ops-root tests/fixtures/faults -n 1 \
        --seed 1 --timeout 1 --max-rss 256M -o "$TMP/$name.h5" "$@"
    "$OPSWEEP" report --fail-on none "$TMP/$name.h5" --format csv \
        >"$TMP/$name.csv"
    python3 -c '
import csv, sys
for r in csv.DictReader(open(sys.argv[1], newline="")):
    print(r["impl"], r["status"], r["reason"])' "$TMP/$name.csv" |
        sort >"$TMP/$name"
    cat "$TMP/$name" | cut -c 1-160 | uniq -c | head -n 100
    # Files and processes that op code left are removed.
    expect_equal '' "$(ls -A "$work")" 'left in the folder of sandboxes'
}

# Each ends as its name says; of the one that crashes in its fifth call only
# the case of that call.  Meanwhile, as both mostly wait: after three crashes a
# file, and only that file, is not judged on.
(
    export TMP=$TMP/meanwhile
    mkdir "$TMP"
    sweep broken --ops hurt --profile correct --impls 'crash__always,timeout__stopped,pass__plain'
    expect_equal 18 "$(wc -l <"$TMP/broken")" cells
    for name in crash__always timeout__stopped; do
        expect_equal 3 "$(grep -cE "^$name (crash|timeout) " "$TMP/broken")"
        expect_equal 3 "$(grep -cE "^$name skipped broken: three crashes or timeouts before" "$TMP/broken")"
    done
    expect_equal 6 "$(grep -c '^pass__plain pass ' "$TMP/broken")"
) &
broken=$!
sweep all --keep-going --ops hurt --profile correct
expect_equal 60 "$(wc -l <"$TMP/all")" cells
expect_equal '' "$(grep -v '^stale__' "$TMP/all" |
    grep -vE '^([a-z]+)__[a-z_]+ \1 ' || true)" 'cells of another state'
expect_equal 6 "$(grep -cE '^oom__grows oom .*held [0-9.]+ GiB, more than 0\.25 GiB' "$TMP/all")"
expect_equal 6 "$(grep -cE '^crash__forks crash it made more than 256 processes' "$TMP/all")"
expect_equal 12 "$(grep -cE '^crash__(garbage|flood) crash the sandbox broke the protocol' "$TMP/all")"
stale='^stale__third_case stale right in a fresh process, after other calls: killed by signal 11'
[ "$(grep -cE "$stale" "$TMP/all")" -ge 1 ] || fail 'no crash was looked at again'
expect_grep '^stale__.* if the code keeps nothing, it may be a race' "$TMP/all"
expect_equal '' "$(grep '^stale__' "$TMP/all" | grep -vE "$stale|case pass " || true)"
wait $broken

# A sandbox whose answers have other bits in them costs its own cells.
sweep liar --ops liar --profile smoke --keep-going
expect_equal 260 "$(wc -l <"$TMP/liar")" cells
expect_equal 130 "$(grep -c '^honest pass ' "$TMP/liar")" 'cells of the other one'
cut -d ' ' -f 1,2 "$TMP/liar" | sort | uniq -c
[ "$(grep -c '^bits crash the sandbox broke the protocol' "$TMP/liar")" -ge 1 ] ||
    fail 'no lie was noticed'

# A baseline that dies beside the one that is timed against it: that is timed
# as itself to its end, and has no speedup.
make_op "$TMP/timed"
echo '{"performance": ["((T([2000], f32), 2.0), {})"]}' \
    >"$TMP/timed/scale/gen_input.json"
sed '1i #include <signal.h>\nstatic int n_calls;
    s/^    return 0;/    if (++n_calls > 40)\n        raise(SIGSEGV);\n&/' \
    "$TMP/timed/scale/scale_plain.c" >"$TMP/timed/scale/scale_dies.c"
sed '1i #include <unistd.h>
    s/^    return 0;/    usleep(200);\n&/' \
    "$TMP/timed/scale/scale_plain.c" >"$TMP/timed/scale/scale_slow.c"
expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP/timed" --device cpu -n 1 \
    --profile sweep --impls slow --baseline dies --seed 1 -o "$TMP/timed.h5"
expect_exit 0 "$OPSWEEP" report "$TMP/timed.h5" --format csv -o "$TMP/timed.csv"
python3 - "$TMP/timed.csv" <<'PY'
import csv, sys

(r,) = csv.DictReader(open(sys.argv[1], newline=""))
print(r["impl"], r["status"], r["t_min_ns"], "to", r["t_max_ns"], "ns")
assert r["status"] == "pass" and not r["speedup"], r
assert float(r["t_min_ns"]) >= 200000, "times of another"
PY

# A reference that dies on other inputs: its own calls before them are not these
# inputs' fault, so it is asked again, and an implementation that fails only in a
# second call is still found; if that dies too, there is no reference output.
make_op "$TMP/others"
echo '{"correctness": ["((T([300000], f32), 2.0), {})"]}' \
    >"$TMP/others/scale/gen_input.json"
sed '1i #include <stdlib.h>
    s/^    return 0;/    static int n;\n    if (++n == 4)\n        abort();\n&/' \
    "$TMP/others/scale/scale_plain.c" >"$TMP/others/scale/scale_fourth.c"
reference=$TMP/others/scale/scale_reference.c
cp "$reference" "$TMP/reference.c"
dies() { # CONDITION
    sed '1i #include <stdlib.h>
        s/^    return 0;/    static int n;\n    n++;\n    if (CONDITION)\n        abort();\n&/' \
        "$TMP/reference.c" | sed "s/CONDITION/$1/" >"$reference"
    shift
    : >"$TMP/others.csv"
    for seed; do
        expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP/others" --device cpu \
            -n 1 --profile correct --seed "$seed" --fail-on none --force \
            -o "$TMP/others.h5"
        expect_exit 0 "$OPSWEEP" report "$TMP/others.h5" --fail-on none \
            --format csv -o "$TMP/one.csv"
        cat "$TMP/one.csv" >>"$TMP/others.csv"
    done
}
dies 'n == 2' 1
expect_grep ',plain,.*,pass,' "$TMP/others.csv"
expect_grep ',fourth,.*,crash,.*signal 6' "$TMP/others.csv"
dies 'osw_get(x, 0) > -0.3' 6 8 # the first element of 6 and 8 is below that
expect_equal 4 "$(grep -c ',reference,.*on other inputs: the reference: killed by signal 6' \
    "$TMP/others.csv")" 'cells that cannot be judged on other inputs'
