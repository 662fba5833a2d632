# A verdict follows from seed, cell and trial: the same cells as 1, 2 and 4
# ranks, small cases together or each by itself, have the same states, errors
# and reasons, to the bit.  Right, wrong and crashing implementations.
#
# takes 70 s

runs='1:on 1:off 2:off 4:on'

# same NAME CODE OPTION...: all runs of a campaign, each of which ends with CODE
same() {
    local name=$1 code=$2 run files=""
    shift 2
    for run in $runs; do
        files="$files $TMP/$name.$run.h5"
        OPSWEEP_BATCH=${run#*:} expect_exit "$code" "$OPSWEEP" run "$@" \
            --suite custom_ops -n "${run%:*}" --threads 1 --keep-going \
            --profile correct --seed 7 -o "$TMP/$name.$run.h5"
    done
    # shellcheck disable=SC2086
    python_h5 tests/shell/same_results.py $files
}

# Large results of small inputs are among them: their float64 does not fit the
# slice of a batch.
same library 0 --custom-ops-root ops/library --max-work 0.002 \
    --ops 'aten.add.*,aten._softmax.*,aten.sum.*,aten.native_layer_norm.*,aten.embedding*,aten.index*,aten.split*,aten.nll_loss*'

# What follows has no objects that make compiled: as other tests compile it.
compile_quickly

# Not those that race, wait, or read what was never written.
same wrong 1 --custom-ops-root tests/fixtures/ops \
    --ops 'twice*,bent*,inplace*,picked*,tiny*,wide*,deadref*,emptyref*,noref*' \
    --impls '!timeout*,!async*,!*flood*'
same mutants 1 --custom-ops-root tests/mutants \
    --ops 'softmax*,norm*' --impls '!stale*,!nondeterministic*'

# What an implementation prints on other inputs is no output of its next case.
# A reference that is slow for once does not change what inputs are tried.
mkdir -p "$TMP/loud/loud"
printf '{"correctness": ["((T([3], f32),), {})", "((T([5], f32),), {})"]}\n' \
    >"$TMP/loud/loud/gen_input.json"
for name in reference pass__prints; do
    kind=kernel_impl slow=0
    [ $name != reference ] || kind=reference slow=1
    cat >"$TMP/loud/loud/loud_$name.c" <<C
#include <stdio.h>
#include <time.h>
#include <opsweep/op.h>

int loud_$kind(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, 1, x->shape, NULL);

    if (!y)
        return OSW_ERROR;
    for (int64_t i = 0; i < x->shape[0]; i++)
        ((float *)osw_data(y))[i] = 2 * ((const float *)osw_data(x))[i];
    printf("%d elements\n", (int)x->shape[0]);
    if ($slow)
        nanosleep(&(struct timespec){.tv_nsec = 40000000}, NULL);
    return 0;
}
C
done
same loud 0 --custom-ops-root "$TMP/loud"
python_h5 - "$TMP/loud.1:on.h5" <<'PY'
import sys, h5py

with h5py.File(sys.argv[1]) as f:
    words = f["dict/output"][:]
    said = [words[i].decode() for i in f["results/output_id"][:]]
    assert said == ["3 elements\n" * 2, "5 elements\n" * 2], said
    assert all(f["results/trials"][:]), f["results/trials"][:]
PY

# Nor does one that is slow for once in each case, on a device that leaves trials
# out from 100 ms on.
mkdir -p "$TMP/late"
cp -r "$TMP/loud/loud" "$TMP/late/late"
rename() { sed "s/loud/late/g" "$TMP/loud/loud/loud_$1.c" >"$TMP/late/late/late_$1.c"; }
rm "$TMP"/late/late/loud_*.c
rename reference
rename pass__prints
sed -i 's/^    if (1)/    static int64_t last;\n    if (last != x->shape[0] \&\& (last = x->shape[0]) > 0)/;
    s/40000000/150000000/' "$TMP/late/late/late_reference.c"
grep -q 'last != x' "$TMP/late/late/late_reference.c"
OPSWEEP_BATCH=off OPSWEEP_WRITABLE=/dev/shm expect_exit 0 "$OPSWEEP" run --device twin -n 1 \
    --custom-ops-root "$TMP/late" --profile correct --seed 7 -o "$TMP/late.h5"
python_h5 - "$TMP/late.h5" <<'PY'
import sys, h5py

with h5py.File(sys.argv[1]) as f:
    assert len(f["results/trials"]) == 2 and all(f["results/trials"][:]), f["results/trials"][:]
PY

# The comparison sees what differs.
python_h5 - "$TMP/loud.1:on.h5" "$TMP/other.h5" <<'PY'
import shutil, sys, h5py

shutil.copy(*sys.argv[1:])
with h5py.File(sys.argv[2], "r+") as f:
    v = f["results/max_abs_err"][:]
    v[1] = 5e-324
    f["results/max_abs_err"][:] = v
PY
expect_exit 1 python_h5 tests/shell/same_results.py "$TMP/loud.1:on.h5" \
    "$TMP/other.h5"
expect_out 'max_abs_err'
expect_exit 2 env OPSWEEP_BATCH=maybe "$OPSWEEP" run --profile correct \
    -o "$TMP/none.h5"
expect_err "OPSWEEP_BATCH 'maybe': expected on or off"
