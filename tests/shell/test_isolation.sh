# Ops that try to get out of their sandbox: none does, and all do without it.
#
# mostly waits: for ops that end by their deadlines
# takes 80 s

export OPSWEEP_CACHE=$TMP/cache TRIES_TOKEN=hunter2 CUDA_API_TOKEN=hunter3 \
    TRIES_PLAIN=nobody OPSWEEP_TRIES_NAME=daemon-$$
compile_quickly
python=$(python_with numpy)

# What ops outside of their folder try to change, of the user that runs them.
export OPSWEEP_TRIES_FILE=$TMP/victim
(umask 077 && : >"$OPSWEEP_TRIES_FILE")

# sweep NAME EXIT WORD...: the fixtures' states, as "impl status" in $TMP/NAME
sweep() {
    local name=$1 code=$2
    shift 2
    expect_exit "$code" "$@" "$OPSWEEP" run --suite custom_ops --device cpu \
        --custom-ops-root tests/fixtures/isolation -n 1 --profile correct \
        --python "$python" --seed 1 -o "$TMP/$name.h5" --force
    "$OPSWEEP" report --fail-on none "$TMP/$name.h5" --format csv \
        >"$TMP/$name.csv"
    python3 -c '
import csv, sys
for r in csv.DictReader(open(sys.argv[1], newline="")):
    print(r["impl"], r["status"], r["reason"])' "$TMP/$name.csv" |
        sort >"$TMP/$name"
}

# What was killed may be a zombie for a moment.
has_daemon() { pgrep -r R,S,D -x "$OPSWEEP_TRIES_NAME" >"$TMP/daemons"; }

# got_out NAME: of sweep NAME none stayed inside, but those that a kernel may
# keep in without us
got_out() {
    local kept='__zombies' # reaped by the judge, whatever the level
    case $(cat /proc/sys/kernel/io_uring_disabled 2>/dev/null) in
    1 | 2) kept="$kept|__uring" ;;
    esac
    [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" = 0 ] ||
        kept="$kept|__(judge|sibling|ptrace|read|take|python)"
    [ "$1" = off ] && [ "$(id -u)" -eq 0 ] || kept="$kept|__namespace"
    cat "$TMP/$1"
    expect_equal '' "$(grep -vE "it got out|$kept" "$TMP/$1" || true)" \
        'ops that stayed inside'
    pkill -x "$OPSWEEP_TRIES_NAME" || true
}

"$(dirname "$(readlink -f "$OPSWEEP")")/opsweep-sandbox" --probe >"$TMP/probe"
if grep -q "$(printf '\tno\t')" "$TMP/probe"; then
    cat "$TMP/probe"
    skip 'this kernel or build does not have all of isolation'
fi

sweep full 0 env
cp -r "$OPSWEEP_CACHE" "$TMP/compiled"
cat "$TMP/full"
expect_equal "$(ls tests/fixtures/isolation/tries/tries_pass__* | wc -l)" \
    "$(grep -c ' pass ' "$TMP/full")" 'ops that stayed inside'
expect_no_file /dev/shm/opsweep-tries
! has_daemon || fail 'a process was not ended'

# Without isolation they get out, so that the run above means something.
everything='TRIES_*,CUDA_API_TOKEN'
sweep off 1 env OPSWEEP_ISOLATION=off OPSWEEP_PASS_ENV="$everything"
got_out off

# Without Landlock files and signals are open, the judge's memory is not.
${CC:-cc} -o "$TMP/no_landlock" tests/fixtures/isolation/no_landlock.c
without_landlock() {
    sweep "$1" 1 "${@:2}" "$TMP/no_landlock"
    cat "$TMP/$1"
    # Of one user, a process can be looked into until it has isolated itself.
    expect_equal 'pass__file_outside pass__python pass__shared_memory pass__signal' \
        "$(awk '$2 != "pass" && $1 !~ /sibling/ {print $1}' "$TMP/$1" | xargs)" \
        'ops that got out'
}
without_landlock without env
expect_no_grep 'sibling_memory returned|^pass__python .*/proc' "$TMP/without"
# Nor while it drops the rights of root, stopped there.
if [ "$(id -u)" -eq 0 ]; then
    ${CC:-cc} -shared -fPIC -o "$TMP/slow.so" \
        tests/fixtures/isolation/slow_capset.c -ldl
    without_landlock held env OPSWEEP_PASS_ENV=LD_PRELOAD \
        LD_PRELOAD="$TMP/slow.so"
    expect_no_grep 'sibling_memory returned' "$TMP/held"
fi
expect_exit 0 "$TMP/no_landlock" "$OPSWEEP" doctor --device cpu -q "$TMP"
expect_out '^warn  isolation: files +not in force: .*; cure: Linux 5\.13'
expect_out '^ok    isolation: judge +memory'

# What no single process shows is counted too: names say how each one ends.
limits() { # NAME IMPLS WORD...
    local name=$1 of=$2
    shift 2
    expect_exit 1 "$@" "$OPSWEEP" run --suite custom_ops --device cpu -n 1 \
        --custom-ops-root tests/fixtures/isolation_limits --profile correct \
        --impls "$of" --seed 1 --max-rss 200M -o "$TMP/$name.h5"
    "$OPSWEEP" report --fail-on none "$TMP/$name.h5" --format csv |
        python3 -c '
import csv, sys
for r in csv.DictReader(sys.stdin):
    if r["impl"].split("__")[0] != r["status"]:
        print(r["impl"], r["status"], r["reason"])' >"$TMP/$name"
    expect_equal '' "$(cat "$TMP/$name")" 'ops that took more than they may'
}
limits limits '!crash__many_files' env
# To make 65,536 files takes 10 s on a disk.
mkdir /dev/shm/many
limits many crash__many_files env TMPDIR=/dev/shm/many
rmdir /dev/shm/many

# As root and as anybody.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    mkdir "$TMP/nobody"
    cp -r "$TMP/compiled" "$TMP/nobody/cache" # all but what `limits` compiles
    chown -R 65534:65534 "$TMP/nobody/cache"
    let_others_in
    chmod 777 "$TMP/nobody"
    export OPSWEEP_CACHE=$TMP/nobody/cache
    export OPSWEEP_TRIES_FILE=$TMP/nobody/victim
    (umask 077 && : >"$OPSWEEP_TRIES_FILE")
    chown 65534:65534 "$OPSWEEP_TRIES_FILE"
    sweep nobody/full 0 "${as_anybody[@]}"
    expect_equal '' "$(grep -v ' pass ' "$TMP/nobody/full" || true)" 'got out'
    sweep nobody/off 1 "${as_anybody[@]}" env OPSWEEP_ISOLATION=off \
        OPSWEEP_PASS_ENV="$everything"
    got_out nobody/off
    chmod 755 "$TMP/no_landlock"
    without_landlock nobody/without "${as_anybody[@]}"
    # Files are counted alike for any user.
    limits nobody/limits '!crash__many_files' "${as_anybody[@]}"
else
    echo 'not run as another user: this is not root'
fi

# An unknown word is refused.
expect_exit 2 env OPSWEEP_ISOLATION=some "$OPSWEEP" run --suite custom_ops \
    --device cpu --custom-ops-root tests/fixtures/isolation -n 1 -o "$TMP/x.h5"
expect_err "OPSWEEP_ISOLATION 'some'.*full, basic or off"
expect_no_file "$TMP/x.h5"

# A generator has a scratch folder and a ceiling too, where cases are planned.
op=$TMP/ops/writes
work=$(dirname "$TMP")/w # a long name would not be used
mkdir -p "$op" "$TMP/here" "$work"
cp tests/fixtures/generators/good/good_pass__right.py "$op/writes_any.py"
cat >"$op/gen_input.py" <<'END'
import os
import time

with open("left-by-generator", "w") as f:
    f.write(os.getcwd())
if os.environ.get("OPSWEEP_TRIES_SLOW"):
    os.fork()
    with open(os.environ["OPSWEEP_TRIES_SLOW"]) as f:
        f.read()
    time.sleep(300)
hoard = b"x" * int(os.environ.get("OPSWEEP_TRIES_BYTES", "0"))
if hoard:
    time.sleep(300)


def get_correctness_tests():
    return [(1,)]
END
program=$(readlink -f "$OPSWEEP")
plan() {
    (cd "$TMP/here" && echo "$BASHPID" >"$TMP/pid" &&
        TMPDIR="$work" exec "$@" "$program" plan --suite custom_ops \
            --device cpu --custom-ops-root "$TMP/ops" --python "$python" \
            --max-rss 100M)
}
is_empty() { [ -z "$(ls -A "$1")" ]; }
expect_exit 0 plan env
is_empty "$TMP/here" || fail 'a generator wrote into the current folder'
is_empty "$work" || fail 'a folder was not removed'
expect_exit 2 plan env OPSWEEP_TRIES_BYTES=300000000
expect_err 'gen_input.py: .* more than 0\.10 GiB'
# Also when it is killed.
mkfifo "$TMP/fifo"
plan env OPSWEEP_TRIES_SLOW="$TMP/fifo" >"$TMP/slow" 2>&1 &
: >"$TMP/fifo"
is_empty "$work" && fail 'a generator without a folder'
kill -9 "$(cat "$TMP/pid")"
wait $! || true
for _ in $(seq 300); do
    is_empty "$work" && break
    sleep 0.1
done
is_empty "$work" || fail 'a killed plan did not remove its folder'
