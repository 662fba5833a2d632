# opsweep generate: 200 random scripts of kills and retries at an endpoint that keeps
# its own bill: nothing is paid for twice, and never more than --max-cost.
#
# takes 20 s

export OPSWEEP_CACHE=$TMP/cache
# Its files are in memory where the runner gave it a /dev/shm of its own: a disk's file
# system takes half of the time for the names of so many small files, and a process
# that is killed leaves the same in both.
g=$TMP/g
if [ "$(readlink /proc/self/ns/mnt)" != "${RUNNERS_MOUNTS:-}" ] && [ -w /dev/shm ]; then
    g=/dev/shm/g
    mkdir /dev/shm/tmp
    export TMPDIR=/dev/shm/tmp
fi
mkdir -p "$TMP/ops/inc"
cat >"$TMP/ops/inc/gen_input.json" <<'J'
{"correctness": ["((T([4, 8], f32),), {})", "((T([33], f32),), {})"]}
J
cat >"$TMP/ops/inc/inc_reference.c" <<'C'
#include <opsweep/elements.h>
int inc_reference(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    double *exact = y ? osw_output_exact(call, 0) : NULL;

    if (!exact)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(x); i++)
        exact[i] = osw_get(x, i) + 1;
    return 0;
}
C
python3 tests/shell/generate_money.py "$OPSWEEP" "$TMP/ops" "$g" \
    "${GENERATE_MONEY_SCRIPTS:-200}"
