# On several nodes each object is read from the build cache once, whatever the
# number of workers: the others get it over MPI.  What goes wrong on the way costs
# nothing but that.
#
# takes turns: a network
# takes 50 s

. tests/shell/stops.sh
. tests/net/hosts.sh

command -v strace >/dev/null || skip 'no strace'
export XDG_CACHE_HOME=$TMP/cache
make_slow_op "$TMP/ops" 0.01 80
cp -r "$TMP/ops/scale" "$TMP/ops/twice"
for file in "$TMP"/ops/twice/scale_*; do
    sed 's/\bscale_/twice_/g' "$file" >"${file/scale_/twice_}"
    rm "$file"
done
hosts_up 3
printf 'h0 slots=3\nh1 slots=2\nh2 slots=2\n' >"$TMP/hostfile" # with rank 0
run=("$OPSWEEP" run --suite custom_ops --custom-ops-root "$TMP/ops" --device cpu
    --profile correct --seed 7 --force -o "$TMP/run.h5")
soon=(--heartbeat 0.2 --silence 5) # a rank that is gone is missed
expect_exit 0 "${run[@]}" -n 1
expect_exit 0 "$OPSWEEP" report --format csv "$TMP/run.h5" -o "$TMP/whole.csv"

# sweeps WHAT COMMAND...: six workers on three hosts, with nothing compiled yet,
# give the cells of one worker
sweeps() {
    rm -rf "$XDG_CACHE_HOME" "$TMP"/run.h5*
    "${@:2}" "${run[@]}" -n 7 >"$TMP/log" 2>&1 || fail "$1: exit $?; $(cat "$TMP/log")"
    "$OPSWEEP" report --format csv "$TMP/run.h5" -o "$TMP/run.csv"
    python3 tests/shell/same_cells.py "$TMP/whole.csv" "$TMP/run.csv"
    echo "$1: all cells as without it"
}

# opens: of objects in the build cache, by all processes of the last run
traced=(strace -f -qq --seccomp-bpf -e trace=open,openat -o "$TMP/opens" tests/net/on h0)
opens() { grep -cE "\"$XDG_CACHE_HOME/opsweep/[0-9a-f]*\.so\"" "$TMP/opens" || true; }

# expect_objects N WHAT: in the build cache, not in a folder of a compiler
expect_objects() {
    find "$XDG_CACHE_HOME/opsweep" -name '*.so' >"$TMP/found"
    [ "$(grep -cE '/opsweep/[0-9a-f]*\.so$' "$TMP/found")" = "$1" ] ||
        fail "$2: expected $1, found $(cat "$TMP/found" "$TMP/log")"
}

export OPSWEEP_NODE_CACHE=off
sweeps 'no node cache' "${traced[@]}"
expect_objects 4 'objects of two ops'
without=$(opens)
[ "$without" -gt 4 ] || fail "$without opens of 4 objects without it: expected more"

export OPSWEEP_NODE_CACHE=/dev/shm
sweeps 'node caches' "${traced[@]}"
expect_objects 4 'objects of two ops'
expect_equal 4 "$(opens)" "opens of 4 objects by 6 workers on 3 nodes (without it: $without)"
expect_no_grep 'compiled code' "$TMP/log"
echo "opens of 4 objects: $without without it, $(opens) with it" >&3

for way in down up; do
    sweeps "a byte that changes, $way" on h0 env OSW_BAD_OBJECT=$way \
        LD_PRELOAD="$B/tests/chaos/bad_object.so"
    case $way in
    down) expect_grep 'rank [0-9]*: warning: compiled code is read from the build cache, not kept on this node: [0-9]* bytes of code with SHA-256 [0-9a-f]*\.\.\., expected ' "$TMP/log" ;;
    up) expect_grep 'warning: rank [0-9]*: compiled code is not sent on, ranks read it from the build cache: [0-9]* bytes of code with SHA-256 ' "$TMP/log" ;;
    esac
done

OPSWEEP_NODE_CACHE=/proc sweeps 'a folder that is of no use' on h0
expect_equal 3 "$(grep -c "not kept on this node: '/proc' is on a file system of kind" "$TMP/log")" \
    'nodes that say so'

# Each compiler says which rank it works for, and takes its time.
cat >"$TMP/slow-cc" <<SH
#!/bin/sh
echo \$PPID >>"$TMP/makers"
sleep 2
exec cc "\$@"
SH
chmod +x "$TMP/slow-cc"
rm -rf "$XDG_CACHE_HOME" "$TMP"/run.h5*
on h0 env CC="$TMP/slow-cc" "${run[@]}" "${soon[@]}" -n 7 >"$TMP/log" 2>&1 &
pid=$!
await '^[0-9]+$' "$TMP/makers"
kill -KILL "$(head -n 1 "$TMP/makers")"
wait "$pid" || fail "exit $? after the loss of a rank that compiles; $(cat "$TMP/log")"
await_gone 5
expect_grep 'rank [0-9]* is lost' "$TMP/log"
"$OPSWEEP" report --format csv "$TMP/run.h5" -o "$TMP/run.csv"
python3 tests/shell/same_cells.py "$TMP/whole.csv" "$TMP/run.csv"
echo 'a rank that was to compile is killed: all cells as without it'

# One folder that all three nodes see, so that what is left in it is seen here.
export OPSWEEP_NODE_CACHE=$TMP/node
mkdir "$TMP/node"
left() { find "$TMP/node" -mindepth 1 -maxdepth 1 -name 'opsweep-objects-*' | wc -l; }
sweeps 'a folder of ours' on h0
expect_equal 0 "$(left)" 'folders after the end'

rm -rf "$XDG_CACHE_HOME" "$TMP"/run.h5*
on h0 "${run[@]}" "${soon[@]}" -n 7 >"$TMP/log" 2>&1 &
pid=$!
await_results 10
expect_equal 1 "$(left)" 'folders meanwhile'
running | xargs kill -KILL || true # one may have ended meanwhile
wait "$pid" || true
await_gone 5
expect_equal 1 "$(left)" 'folders that killed ranks left'
sweeps 'after ranks that were killed' on h0
expect_equal 0 "$(left)" 'folders after another run'

expect_exit 2 env OPSWEEP_NODE_CACHE=of "${run[@]}" -n 1
expect_err "OPSWEEP_NODE_CACHE 'of': expected off or an absolute path"
