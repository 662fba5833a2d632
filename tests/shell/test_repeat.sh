# opsweep repeat: one cell again and again, each time in a campaign of its own.
root=$TMP/root/twice
mkdir -p "$root"
cp tests/fixtures/ops/twice/twice_reference.c tests/fixtures/ops/twice/twice.h \
    tests/fixtures/ops/twice/op.json tests/fixtures/ops/twice/gen_input.json \
    "$root/"
cat >"$root/twice_plain.c" <<'C'
#include "twice.h"

int twice_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = twice_input(call);
    const osw_tensor *y = twice_output(call);

    if (!y)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(x); i++)
        osw_set(y, i, 2 * osw_get(x, i));
    return 0;
}
C
expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP/root" --device cpu -n 1 \
    --profile correct -o "$TMP/r.h5"

expect_exit 0 "$OPSWEEP" repeat "$TMP/r.h5" twice.default/plain/1 -n 3
expect_out "^twice.default/plain \(\(T\(\[3, 7\], f32, stride=\(10, 1\)\),\), \{\}\)"
expect_out "^run +3  pass"
expect_out "^3 of 3 runs ended as recorded \(pass\)"
expect_no_grep "not the code" "$TMP/err"

# One run tells nothing of how runs differ, nor whether the recorded time is one
# of theirs.
cp -r "$TMP/root" "$TMP/timed"
echo '{"correctness": ["((T([64], f32),), {})"], "performance": ["((T([64], f32),), {})"]}' \
    >"$TMP/timed/twice/gen_input.json"
expect_exit 0 "$OPSWEEP" run --custom-ops-root "$TMP/timed" --device cpu -n 1 \
    --profile smoke -o "$TMP/timed.h5"
expect_exit 0 "$OPSWEEP" repeat "$TMP/timed.h5" twice.default/plain --runs 1
expect_out "^1 of 1 run ended"
expect_out "^median of 1 run [0-9.]+ us$"
expect_out "^recorded .*: one run does not tell$"
expect_no_grep "^between runs" "$TMP/out"

# A recorded time that is far from all runs is none of theirs.
python_h5 - "$TMP/timed.h5" "$TMP/forged.h5" <<'PY'
import shutil, sys
import h5py
shutil.copy(*sys.argv[1:])
with h5py.File(sys.argv[2], "r+") as f:
    f["results/t_median_ns"][...] *= 1e4
PY
expect_exit 1 "$OPSWEEP" repeat "$TMP/forged.h5" twice.default/plain -n 5
expect_out "^recorded .*: not one of these runs: outside \+- [0-9.]+ %, the noise of 5 runs$"

# Ctrl-C sums up the runs that ended.
setsid env --default-signal=INT "$OPSWEEP" repeat "$TMP/r.h5" \
    twice.default/plain/1 -n 1000 >"$TMP/stopped" 2>&1 &
repeat=$!
for ((i = 0; i < 3000; i++)); do
    grep -q '^run *2 ' "$TMP/stopped" && break
    sleep 0.02
done
kill -INT -- -$repeat
rc=0
wait $repeat || rc=$?
expect_equal 4 $rc
expect_grep '^stopped after [2-9] runs$' "$TMP/stopped"
expect_grep '^[2-9] of [2-9] runs ended as recorded' "$TMP/stopped"

# The recorded result no longer holds.
sed -i 's/2 \* osw_get/3 * osw_get/' "$root/twice_plain.c"
expect_exit 1 "$OPSWEEP" repeat "$TMP/r.h5" 0 -n 2
expect_out "^0 of 2 runs ended as recorded \(pass\), 2 value"
# It is other code, which is said once, with both digests.
was="op 'twice.default', file 'twice_plain.c': expected SHA-256 [0-9a-f]{16}\.\.\. as '.*r.h5' records"
expect_err "this is not the code of the file: $was, found [0-9a-f]{16}\.\.\. in '$TMP/root'"
expect_equal 1 "$(grep -c 'not the code' "$TMP/err")"
expect_exit 0 "$OPSWEEP" show "$TMP/r.h5" 0 --rerun
expect_out "^again, here: value; in the file: pass$"
expect_err "this is not the code of the file: $was"

# Folders of ops are where the campaign was started.
(cd "$TMP" && expect_exit 1 "$OPSWEEP" run --custom-ops-root root --device cpu -n 1 \
    --profile correct -o r2.h5)
expect_exit 2 "$OPSWEEP" repeat "$TMP/r2.h5" 0 -n 2
expect_err "cannot read 'root' as a folder of ops: .*; start it where the campaign was started"

# A run that does not end by itself keeps its log.
rm "$root/op.json" "$root"/twice_*.c
expect_exit 4 "$OPSWEEP" repeat "$TMP/r.h5" 0 -n 2
expect_err "see '/tmp/opsweep-repeat"
log=$(sed -n "s/.*see '\([^']*\)'.*/\1/p" "$TMP/err")
[ -s "$log" ] || fail "no log $log"
rm -r "${log%/*}"

expect_exit 2 "$OPSWEEP" repeat "$TMP/r.h5" 99
expect_exit 2 "$OPSWEEP" repeat "$TMP/r.h5" 0 -n 0
expect_err "expected a whole number from 1 to 1000, found '0'"
expect_exit 2 "$OPSWEEP" repeat "$TMP/r.h5" 0 --profil=x
expect_exit 2 "$OPSWEEP" repeat "$TMP/none.h5" 0

# Asked to stop, it leaves nothing in /tmp.
"$OPSWEEP" repeat "$TMP/timed.h5" twice.default/plain -n 1000 >"$TMP/out" 2>"$TMP/err" &
expect_stop $! repeat
expect_out '^stopped after [0-9]+ run'
