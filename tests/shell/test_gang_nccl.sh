# Collective ops on devices with memory of their own: the tests' twin of a GPU,
# and an NCCL that finds its processes over TCP as NVIDIA's does, inside of
# sandboxes that have no network.  Lines: implementation, case, state, reason.
#
# takes 30 s

compile_quickly

# The twin has its memory there, and its settings.
export OPSWEEP_WRITABLE=/dev/shm OPSWEEP_PASS_ENV='TWIN_*,FAKE_*'
export OPSWEEP_NCCL=$TMP/libnccl.so.2 TWIN_DEVICES=3
export OMPI_MCA_rmaps_base_oversubscribe=1
${CC:-cc} -std=gnu11 -shared -fPIC -o "$OPSWEEP_NCCL" tests/fixtures/nccl/fake_nccl.c -lpthread

gang() { timeout 120 "$B/tests/gang/gang" -d twin "$@"; }
one() { gang tests/gang/nccl/nsum pass__all_reduce; }

# What ended in another state than its name says.
unlike() { awk -F'\t' '{ split($1, name, "__"); if ($3 != name[1]) print }' "$1"; }

# Messages of the host, from and to a device's memory.
for op in sum gather; do
    expect_exit 0 gang -t 1 -c 0 tests/gang/mutants/$op
    expect_equal '' "$(unlike "$TMP/out")" "mutants of $op"
done

# Wrong and right ops that use NCCL; the rank that is the cause is named.
for op in nsum ngather; do
    expect_exit 0 gang -t 3 tests/gang/nccl/$op
    cp "$TMP/out" "$TMP/$op"
    expect_equal '' "$(unlike "$TMP/$op")" "mutants of $op"
    files=$(find tests/gang/nccl/$op -name "${op}_*__*.c" | wc -l)
    expect_equal "$files" "$(cut -f1 "$TMP/$op" | sort -u | wc -l)" "cells of $op"
done
expect_grep '^crash__one_rank.*	rank 1: killed by signal 11' "$TMP/nsum"
expect_grep '^returned__by_one_rank.*	rank 1: .*no more room' "$TMP/nsum"

# An operation that waits for a rank which died is aborted, long before the
# deadline.
t0=$SECONDS
expect_exit 0 gang -t 100 tests/gang/nccl/nsum crash__one_rank returned__by_one_rank
expect_equal '' "$(unlike "$TMP/out")" 'with a long deadline'
[ $((SECONDS - t0)) -lt 60 ] || fail "took $((SECONDS - t0)) s"

# What NCCL says, and why there is none.
FAKE_NCCL=init expect_exit 0 one
expect_out '^pass__all_reduce.*	returned	rank [01]: .*NCCL: ncclCommInitRank: system error: of the tests. NCCL'
# The operation itself may hear of it before the thread that watches.
FAKE_NCCL=late expect_exit 0 one
expect_out '^pass__all_reduce.*	returned	rank [01]: .*(NCCL: communication:|ncclAllReduce: error 6,) remote process exited'
OPSWEEP_NCCL=$TMP/none.so expect_exit 0 one
expect_out '^pass__all_reduce.*	returned	rank [01]: .*no NCCL: libnccl.so.2 is not found; name it in OPSWEEP_NCCL'

# Code that goes on without NCCL is right.
mkdir -p "$TMP/without"
cp -r tests/gang/nccl/nsum "$TMP/without"
rm "$TMP"/without/nsum/nsum_*__*
cat >"$TMP/without/nsum/nsum_either.c" <<'C'
#include "nsum.h"
int nsum_kernel_impl(const osw_call *call)
{
    struct nsum s;
    int rc = nsum_open(call, &s);
    float *room = osw_workspace(call, 80000);
    if (rc == 0)
        return nsum_reduce(&s, s.n, OSW_NCCL_SUM);
    if (!s.out || !room)
        return OSW_ERROR;
    rc = osw_sendrecv(call, 1 - s.rank, osw_data(s.x), s.n * 4, 1 - s.rank, room, s.n * 4);
    for (size_t i = 0; i < s.n && rc == 0; i++)
        ((float *)osw_data(s.out))[i] = ((float *)osw_data(s.x))[i] + room[i];
    return rc;
}
C
expect_exit 0 gang "$TMP/without/nsum"
expect_out '^either	0	pass'
OPSWEEP_NCCL=$TMP/none.so expect_exit 0 gang "$TMP/without/nsum"
expect_out '^either	0	pass'

# csv NAME WORDS...: a campaign of two workers
csv() {
    local name=$1
    shift
    rm -rf "$TMP/$name".h5*
    "$OPSWEEP" run --device twin -n 3 -o "$TMP/$name.h5" "$@" >"$TMP/log" 2>&1 || :
    "$OPSWEEP" report "$TMP/$name.h5" --fail-on none --format csv -o "$TMP/$name.csv" || [ $? = 3 ]
}

# Two workers on one device.
csv shared --custom-ops-root tests/gang/nccl --ops nsum --impls pass__all_reduce \
    --profile correct --share-gpus --timeout 5
expect_grep ',pass,' "$TMP/shared.csv"
TWIN_FAULT=same:1 csv same --custom-ops-root tests/gang/nccl --ops nsum \
    --impls pass__all_reduce --profile correct --share-gpus --timeout 5
expect_grep ',returned,.*no NCCL: ranks 0 and 1 share GPU GPU-00000000-.*, expected one each' "$TMP/same.csv"

# Times are those of the slowest rank, which sleeps here.
mkdir -p "$TMP/ops"
cp -r tests/gang/nccl/nsum "$TMP/ops"
rm "$TMP"/ops/nsum/nsum_*__*
echo '{"performance": ["((T([64], f32),), {})"]}' >"$TMP/ops/nsum/gen_input.json"
cat >"$TMP/ops/nsum/nsum_slow.c" <<'C'
#include <unistd.h>
#include "nsum.h"
int nsum_kernel_impl(const osw_call *call)
{
    struct nsum s;
    int rc = nsum_open(call, &s);
    if (rc == 0)
        rc = nsum_reduce(&s, s.n, OSW_NCCL_SUM);
    if (s.rank == 1)
        usleep(3000);
    return rc;
}
C
csv slow --custom-ops-root "$TMP/ops" --profile sweep --timeout 5
python3 - "$TMP/slow.csv" <<'PY' || fail 'times of the slowest rank'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 1 and rows[0]["status"] in ("pass", "skipped"), rows
assert float(rows[0]["t_median_ns"]) >= 3e6, rows[0]["t_median_ns"]
PY
# NCCL's memory has no name in there: this one removes none.

# Right in each call that is judged, and without communication in timed ones.
time_gangs() {
    csv timed --custom-ops-root tests/gang/timed --ops tsum --profile smoke --timeout 20
    expect_no_grep ',value__[a-z_]*,.*,pass,' "$TMP/timed.csv"
}
while_busy ",value__.*$too_busy" "$TMP/timed.csv" time_gangs
python3 - "$TMP/timed.csv" <<'PY' || fail 'timed calls of a gang on devices are verified'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 3, rows
for r in rows:
    if r["impl"].startswith("pass__"):
        assert r["status"] in ("pass", "skipped"), r
    else:
        assert r["status"] == "value" and "while it was timed" in r["reason"], r
PY

# One that gives up while it is timed ends the others' calls, and is named.
sed -i -e 's/usleep(3000)/if (++n > 60) return osw_error(call, "tired")/' \
    -e 's/#include "nsum.h"/&\nstatic int n;/' "$TMP/ops/nsum/nsum_slow.c"
csv tired --custom-ops-root "$TMP/ops" --profile sweep --timeout 100
expect_grep ',returned,time,.*rank 1: while it was timed: tired' "$TMP/tired.csv"
[ "$(sed -n 's/.* workers, \([0-9]*\).* s$/\1/p' "$TMP/log")" -lt 60 ] || fail "$(cat "$TMP/log")"

expect_equal '' "$(find /dev/shm -maxdepth 1 -name 'opsweep-gang-*' -o -name 'nccl-*')" 'left in /dev/shm'
