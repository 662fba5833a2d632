# takes 5 s
#
# Workers that judge a cell together tell each other a few bytes by way of rank 0:
# over MPI all of them get what each said.

gang() { "$B/tests/bench/bench_gang" "$@"; }

expect_exit 0 gang 2 200
expect_grep '^exchanges of 8 bytes over MPI .* us each, of 200$' "$TMP/out"
expect_exit 0 gang 3 50
expect_grep '^exchanges of 8 bytes over MPI .* us each, of 50$' "$TMP/out"
expect_exit 2 gang 1
expect_grep '^usage: bench_gang' "$TMP/err"

# Each rank waits for the next one, for ever.  A worker is killed: the code of the
# other ranks hears of it long before its deadline.
. tests/shell/stops.sh
mkdir -p "$TMP/ops/wait"
echo '{"schema": "wait(Tensor x) -> Tensor", "world": 3}' >"$TMP/ops/wait/op.json"
echo '{"correctness": ["((T([8], f32),), {})"]}' >"$TMP/ops/wait/gen_input.json"
for role in 'wait_reference.c wait_reference 0' 'wait_ring.c wait_kernel_impl 1'; do
    read -r name function waits <<<"$role"
    cat >"$TMP/ops/wait/$name" <<C
#include <opsweep/collective.h>
int $function(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, 1, x->shape, NULL);
    int n = osw_world(call);
    if (!y)
        return OSW_ERROR;
    if ($waits)
        return osw_sendrecv(call, -1, NULL, 0, (osw_rank(call) + 1) % n, osw_data(y), 32);
    for (int i = 0; i < 8; i++)
        ((float *)osw_data(y))[i] = 1;
    return 0;
}
C
done
"$OPSWEEP" build "$TMP/ops"
timeout 25 "$OPSWEEP" run --custom-ops-root "$TMP/ops" --profile correct --timeout 200 \
    -n 4 -o "$TMP/run.h5" >"$TMP/log" 2>&1 &
pid=$!
await_begun
kill -KILL "$(rank_pid 2)"
rc=0
wait "$pid" || rc=$?
cat "$TMP/log"
expect_equal 4 $rc 'exit code, cells are lost'
expect_grep 'gang of 3 is broken' "$TMP/log"
expect_exit 4 "$OPSWEEP" report "$TMP/run.h5" --format csv
expect_out ',lost,.*world of 3 needs 3 workers, there are 2 since others were lost'
await_gone 5

# With as many workers as before, they are judged.
expect_exit 1 "$OPSWEEP" run --resume "$TMP/run.h5" --timeout 2 -n 4
expect_out '1 error \(1 timeout\)'
