# An implementation that takes all of a device's memory, and keeps it, costs
# no other one its verdict: it ends before others are refused memory.
#
# takes turns: going first
# takes 12 s

go_first

root=$TMP/root
mkdir -p "$root/crowd" "$root/need"
cat >"$root/crowd.h" <<'C'
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <opsweep/op.h>

static inline int twice(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, 1, x->shape, NULL);

    if (!y)
        return OSW_ERROR;
    for (int64_t i = 0; i < x->shape[0]; i++)
        ((float *)osw_data(y))[i] = 2 * ((const float *)osw_data(x))[i];
    return 0;
}

/* Has another process the twin's memory? */
static inline int is_short(void)
{
    char path[256];
    glob_t found;
    int n = 0;

    snprintf(path, sizeof(path), "%s/*", getenv("TWIN_HELD"));
    if (glob(path, 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *f;

        snprintf(path, sizeof(path), "/proc/%d/cmdline",
                 atoi(strrchr(found.gl_pathv[i], '/') + 1));
        f = fopen(path, "re");
        n += f && fgetc(f) != EOF; /* nothing, when it has ended */
        if (f)
            fclose(f);
    }
    globfree(&found);
    return n > 0;
}

static inline int take_all(void)
{
    char path[256];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%d", getenv("TWIN_HELD"), (int)getpid());
    f = fopen(path, "we");
    if (!f)
        return OSW_ERROR;
    fputs("4096", f);
    return fclose(f) == 0 ? 0 : OSW_ERROR;
}
C
op() { # OP NAME BODY
    local kind=kernel_impl
    [ "$2" != reference ] || kind=reference
    printf '#include "../crowd.h"\n\nint %s_%s(const osw_call *call)\n{\n    %s\n}\n' \
        "$1" $kind "$3" >"$root/$1/$1_$2.c"
}
# Cases that grow: inputs, outputs and their copies need new memory.
for name in crowd need; do
    cat >"$root/$name/gen_input.json" <<'JSON'
{"correctness": [{"case": "((T([{n}], f32),), {})",
                  "for": {"n": [5, 9, 100000, 400000]}}],
 "performance": ["((T([4096], f32),), {})"]}
JSON
    op $name reference 'return twice(call);'
    op $name a_honest 'return twice(call);'
    op $name b_hog 'return take_all() ? OSW_ERROR : twice(call);'
    op $name c_honest 'return twice(call);'
done
# One that wants memory itself, and one that fails with all of it.
op need d_needs 'return is_short() ? 2 : twice(call);'
op need e_hog_returns 'return take_all() ? OSW_ERROR : 7;'
op need f_honest 'return twice(call);'

crowd() {
    rm -f "$TWIN_HELD/"*
    OPSWEEP_BATCH=$batch expect_exit 1 run_to_csv crowd --device twin \
        --custom-ops-root "$root" --profile $profile --keep-going
}

# crowded BATCH PROFILE: on a device of its own, as far as memory goes
crowded() {
    batch=$1 profile=$2
    export TMP=$TMP/$1_$2
    export TWIN_HELD=$TMP/held OPSWEEP_PASS_ENV='TWIN_*'
    export OPSWEEP_WRITABLE=/dev/shm:$TWIN_HELD
    mkdir -p "$TWIN_HELD"
    while_busy "$too_busy" "$TMP/crowd.csv" crowd
    python3 - "$TMP/crowd.csv" "$profile" <<'PY'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert len(rows) == 5 * (3 + 6), len(rows)
for r in rows:
    want = {"e_hog_returns": "returned"}.get(r["impl"], "pass")
    if r["impl"] == "b_hog" and "4096" in r["case"] and sys.argv[2] == "smoke":
        want = "returned" # it leaves its own timing none
    assert r["status"] == want, (r["impl"], r["case"], r["status"], r["reason"])
PY
}

# Timed calls want memory, too, and not of the op's asking.  All three mostly wait.
ways=("on correct" "off correct" "on smoke") running=()
for way in "${ways[@]}"; do
    # shellcheck disable=SC2086
    (crowded $way) >"$TMP/${way/ /_}.log" 2>&1 &
    running+=($!)
done
code=0
for i in "${!ways[@]}"; do
    rc=0
    wait "${running[i]}" || rc=$?
    echo "${ways[i]}: $rc"
    cat "$TMP/${ways[i]/ /_}.log"
    case $rc in
    0) ;;
    77) code=$((code ? code : 77)) why=$(tail -n 1 "$TMP/${ways[i]/ /_}.log") ;;
    *) code=$rc ;;
    esac
done
[ "$code" -ne 77 ] || skip "$why"
exit $code
