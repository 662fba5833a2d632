# What isolation leaves of a GPU's sandboxes: they work, and do not get out.
# Where one of these fails, OPSWEEP_ISOLATION=basic or off tells which part.
#
# takes 40 s

export OPSWEEP_CACHE=$TMP/cache TRIES_TOKEN=hunter2

# All of it is in force for sandboxes of a GPU.
"$OPSWEEP" doctor --device cuda -q "$TMP" >"$TMP/doctor" || true
grep isolation "$TMP/doctor"
for what in network calls judge privileges; do
    expect_grep "^ok    isolation: $what" "$TMP/doctor"
done

sweep() { # NAME EXIT WORD...
    local name=$1 code=$2
    shift 2
    expect_exit "$code" env "$@" "$OPSWEEP" run --device cuda -n 1 --seed 1 \
        --custom-ops-root tests/fixtures/isolation_cuda --profile correct \
        -o "$TMP/$name.h5"
    "$OPSWEEP" report "$TMP/$name.h5" --fail-on none --format csv \
        >"$TMP/$name.csv"
    cat "$TMP/$name.csv"
}

if grep -q '^ok    isolation: files' "$TMP/doctor"; then
    sweep full 0 OPSWEEP_ISOLATION=full
else
    echo 'no Landlock here: files and signals are open'
    sweep full 1 OPSWEEP_ISOLATION=full
    expect_no_grep 'got out:.*(memory|environment|network|secret|trace)' \
        "$TMP/full.csv"
fi
sweep off 1 OPSWEEP_ISOLATION=off OPSWEEP_PASS_ENV='TRIES_*'
expect_grep 'it got out:.* file .*network.*secret' "$TMP/off.csv"

# Python opens its device in a thread of its own: all that the driver started have
# the filter of system calls.
if python=$(python_with torch) && "$python" -c \
    'import sys, torch; sys.exit(not torch.cuda.is_available())'; then
    expect_exit 0 "$OPSWEEP" run --device cuda -n 1 --seed 1 --profile correct \
        --python "$python" --custom-ops-root tests/fixtures/isolation_threads \
        -o "$TMP/threads.h5"
else
    echo 'no python3 with torch for CUDA: its threads were not looked at'
fi

# What isolation costs: a context, a case that is shared by CUDA's IPC, timed.
for level in off basic full; do
    OPSWEEP_ISOLATION=$level expect_exit 0 "$OPSWEEP" run --device cuda -n 1 \
        --profile smoke --seed 1 --ops relu --fail-on none \
        --case '((T([4096, 4096], f32),), {})' -o "$TMP/$level-relu.h5"
    tail -n 1 "$TMP/out"
done
