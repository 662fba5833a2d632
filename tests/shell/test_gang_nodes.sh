# Ranks of a collective op on several nodes: what sandboxes send to each other goes
# from worker to worker, and verdicts are those of one node.
#
# A node is a namespace with a name and a /dev/shm of its own.
#
# mostly waits: for gangs that time out, and for ranks that are lost
# takes 120 s

needs_namespaces mpirun
nodes=()
for node in 0 1 2; do
    unshare --uts --mount sh -c '
        hostname "$0" && mount -t tmpfs -o size=1g none /dev/shm && exec sleep 900' "node$node" &
    nodes[node]=$!
done
for node in 0 1 2; do
    until [ "$(nsenter --uts -t "${nodes[node]}" hostname)" = "node$node" ]; do sleep 0.05; done
done

# Rank 0 on the first node, two workers on each of the others.
cat >"$TMP/on" <<SH
#!/bin/bash
nodes=(${nodes[*]})
exec nsenter --uts --mount --wd="$PWD" -t "\${nodes[(OMPI_COMM_WORLD_RANK + 1) / 2]}" "\$@"
SH
chmod +x "$TMP/on"
# Not by a network that another test makes, and takes away.
export OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=lo
ranks() { # N NAME WORDS...: a campaign, and its cells as lines: implementation, world, state, reason
    timeout 240 mpirun --enable-recovery --oversubscribe --allow-run-as-root --bind-to none -n "$1" \
        "$TMP/on" "$OPSWEEP" run -o "$TMP/$2.h5" "${@:3}" >"$TMP/log" 2>&1 || :
    "$OPSWEEP" report "$TMP/$2.h5" --fail-on none --format csv -o "$TMP/$2.csv" || [[ $? == [34] ]] ||
        fail "$(cat "$TMP/log")"
    python3 -c 'import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
    print(r["impl"], r["world"], r["status"], r["reason"], sep="\t")' "$TMP/$2.csv" >"$TMP/$2"
}
unlike() { awk -F'\t' '{ split($1, name, "__"); if ($3 != name[1]) print }' "$1"; }

# Three workers, of which no node has more than two: right ones pass, and mutants end
# in the state of their name.
quickly ranks 4 mutants --profile correct --custom-ops-root tests/gang/mutants --timeout 4
expect_equal '' "$(unlike "$TMP/mutants")" 'mutants on two nodes'
expect_equal "$(find tests/gang/mutants -name '*__*.c' | wc -l)" "$(wc -l <"$TMP/mutants")" cells
expect_grep '^crash__one_rank.*	rank 2: killed by signal 11' "$TMP/mutants"
expect_grep '^returned__by_one_rank.*	rank 1: .*no more room' "$TMP/mutants"
expect_grep '^returned__counts_differ.*	rank 0: .*rank 2 sent 79996 bytes to rank 0, expected 80000' "$TMP/mutants"
expect_grep '^timeout__a_rank_hangs.*	rank 2: no answer' "$TMP/mutants"
expect_grep '^timeout__a_rank_stays_away.*	rank [02]: .*it waited for rank 1' "$TMP/mutants"
expect_grep '^returned__memory_overwritten.*memory was overwritten' "$TMP/mutants"

# A world that one node has the workers for stays there; the largest one does not.
ranks 5 library --profile correct --custom-ops-root ops/library --ops all_reduce,all_to_all,all_gather_matmul --timeout 20
expect_equal '' "$(grep -v '	pass	' "$TMP/library" || true)" 'ops of the library'
expect_grep '	4	pass' "$TMP/library"

# NCCL has no network in sandboxes; with one its processes find each other without
# opsweep.  The tests' own NCCL shares memory, so here the nodes have one /dev/shm.
export OPSWEEP_WRITABLE=/dev/shm OPSWEEP_PASS_ENV='TWIN_*,FAKE_*'
export OPSWEEP_NCCL=$TMP/libnccl.so.2 TWIN_DEVICES=3
${CC:-cc} -std=gnu11 -shared -fPIC -o "$OPSWEEP_NCCL" tests/fixtures/nccl/fake_nccl.c -lpthread
nccl() { # NAME
    ranks 3 "$1" --profile correct --device twin --custom-ops-root tests/gang/nccl --ops nsum --impls pass__all_reduce \
        --share-gpus --timeout 20
}
cp "$TMP/on" "$TMP/one-each"
sed -i 's|(OMPI_COMM_WORLD_RANK + 1) / 2|OMPI_COMM_WORLD_RANK|; s/ --mount//' "$TMP/on"
nccl fenced
expect_grep '^pass__all_reduce	2	unsupported	rank [01]: no NCCL between nodes: sandboxes have no network' "$TMP/fenced"
OPSWEEP_ISOLATION=off nccl free
expect_grep '^pass__all_reduce	2	pass	' "$TMP/free"

# A small message from node to node: how long it takes is printed, and no test's matter
# (2 ms and more where it waits for naps of the workers that carry it).
mkdir "$TMP/short"
cp -r ops/library/shared ops/library/all_reduce "$TMP/short"
sed -i 's/"world": 4/"world": 2/' "$TMP/short/all_reduce/op.json"
echo '{"performance": ["((T([4], f32),), {})"]}' >"$TMP/short/all_reduce/gen_input.json"
ranks 3 small --custom-ops-root "$TMP/short" --impls plain --profile smoke --timeout 20
python3 - "$TMP/small.csv" <<'PY' || fail 'a small message between nodes'
import csv, sys
row, = csv.DictReader(open(sys.argv[1]))
assert row["status"] in ("pass", "skipped"), row
print("a small message between nodes: %s ns" % (row["t_median_ns"] or row["reason"]))
PY

# A worker of another node is killed while others wait for its rank: they hear of it
# long before their deadline, and before its silence says so.
mv "$TMP/one-each" "$TMP/on"
. tests/shell/stops.sh
mkdir -p "$TMP/ops/gather"
cp tests/gang/mutants/gather/gather_reference.c tests/gang/mutants/gather/*.json \
    tests/gang/mutants/gather/gather.h "$TMP/ops/gather"
cat >"$TMP/ops/gather/gather_waits.c" <<'C'
#include "gather.h"
int gather_kernel_impl(const osw_call *call)
{
    float got;
    return osw_recv(call, (osw_rank(call) + 1) % osw_world(call), &got, sizeof(got));
}
C
ranks 4 run --profile correct --custom-ops-root "$TMP/ops" --timeout 200 --silence 150 &
pid=$!
await_begun
t0=$SECONDS
kill -KILL "$(rank_pid 3)"
wait "$pid"
cat "$TMP/log"
[ $((SECONDS - t0)) -lt 30 ] || fail "took $((SECONDS - t0)) s"
expect_grep 'rank 3 is lost: its process has ended; it was killed from outside' "$TMP/log"
expect_grep 'gang of 3 is broken: rank 3 is lost' "$TMP/log"
expect_grep '^waits	3	lost	world of 3 needs 3 workers, there are 2 since others were lost' "$TMP/run"

# One that is in no gang is missed after some heartbeats, and its end found in its file,
# long before its silence says so.
make_slow_op "$TMP/slow" 0.5 12
rm -rf "$TMP"/run*
ranks 4 run --profile correct --custom-ops-root "$TMP/slow" --heartbeat 0.2 --silence 150 &
pid=$!
await_results 1
kill -KILL "$(rank_pid 3)"
wait "$pid"
cat "$TMP/log"
expect_grep 'rank 3 is lost: its process has ended; it was killed from outside' "$TMP/log"
expect_equal 12 "$(grep -c '	pass	' "$TMP/run")" 'cells that passed'
