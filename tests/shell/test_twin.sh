# A processor that behaves like a GPU: memory of its own, a window for small
# cases, sandboxes that stay.  What runs only there runs here.
#
# runs alone: its clock knows nothing of others
# takes 10 s

go_first

# The twin has its memory there, and its settings.
export OPSWEEP_WRITABLE=/dev/shm OPSWEEP_PASS_ENV='TWIN_*'

# Library ops, small cases and large ones, judged and timed.
mkdir -p "$TMP/root"
cp -r ops/library/shared "$TMP/root/"
for op in relu _softmax mm add___Tensor; do
    mkdir "$TMP/root/$op"
    cp ops/library/$op/*.c "$TMP/root/$op/"
    python3 - "ops/library/$op/op.json" "$TMP/root/$op/op.json" <<'PY'
import json, sys

spec = json.load(open(sys.argv[1]))
spec.pop("baseline", None)  # names files for a GPU too
for name in ("cublaslt", "cudnn"):
    spec.get("build", {}).pop(name, None)
json.dump(spec, open(sys.argv[2], "w"))
PY
done
write() { printf '{"correctness": [%s], "performance": [%s]}' "$2" "$3" \
    >"$TMP/root/$1/gen_input.json"; }
write relu '"((T([7], bf16),), {})", "((T([300000], f32),), {})"' \
    '"((T([1024], f32),), {})", "((T([200000], f32),), {})"'
write _softmax '"((T([31, 65], f32), -1, False), {})"' \
    '"((T([400, 512], f32), -1, False), {})"'
write mm '"((T([31, 65], f32), T([65, 33], f32)), {})"' \
    '"((T([256, 300], f32), T([300, 200], f32)), {})"'
write add___Tensor '"((T([31, 65], f32), T([31, 65], f32)), {})"' \
    '"((T([300, 300], f32), T([300, 300], f32)), {})"'

# One thread: a second one that is woken for some of the calls makes these five times
# as long, and a GPU has none such.
for i in 1 2; do
    while_busy "$too_busy" "$TMP/$i.csv" run_to_csv $i --custom-ops-root "$TMP/root" --device twin \
        --profile smoke --threads 1
done
expect_exit 0 "$OPSWEEP" run --suite custom_ops --custom-ops-root "$TMP/root" \
    --device cpu -n 2 --profile correct --threads 1 --seed 1 -o "$TMP/cpu.h5"
expect_exit 0 "$OPSWEEP" report "$TMP/cpu.h5" --format csv -o "$TMP/cpu.csv"
python3 - "$TMP/1.csv" "$TMP/2.csv" "$TMP/cpu.csv" <<'PY'
import csv, sys

one, two, cpu = ([r for r in csv.DictReader(open(f, newline=""))]
                 for f in sys.argv[1:])
key = lambda r: (r["op"], r["impl"], r["case"])
judged = ("status", "max_abs_err", "max_ulp_err", "n_elem", "rms_norm_err")
for a, b in ((one, two), (one, cpu)):
    a, b = ({key(r): [r[c] for c in judged] for r in x} for x in (a, b))
    assert a.keys() == b.keys(), "other cells"
    for k in a:
        assert a[k] == b[k], "%s: %s here, %s there" % (k, a[k], b[k])
timed = [r for r in one if r["t_median_ns"]]
assert len(timed) >= 5, "timed: %d" % len(timed)
for r in timed:
    inplace = r["op"].startswith("aten.add_.")  # put back between calls
    assert inplace or float(r["t_hot_ns"]) > 0 < float(r["t_wall_ns"]), "beside"
    assert int(r["trials"]) & 1, "not judged on other inputs"
print(len(one), "cells as on the processor,", len(timed), "timed")
PY

# One process makes the reference outputs of all ops: if one op breaks it, the
# other ops' cells are not affected.
for i in 1 2 3 4; do
    make_op "$TMP/shared"
    mv "$TMP/shared/scale" "$TMP/shared/op$i"
    for f in reference plain; do
        sed "s/scale_/op${i}_/" "$TMP/shared/op$i/scale_$f.c" \
            >"$TMP/shared/op$i/op${i}_$f.c"
        rm "$TMP/shared/op$i/scale_$f.c"
    done
    echo '{"correctness": ["((T([300000], f32), 2.0), {})"]}' \
        >"$TMP/shared/op$i/gen_input.json"
done
for i in 3 4; do # long enough to be struck
    sed -i '1i #include <unistd.h>
        s/^    return 0;/    usleep(100000);\n&/' "$TMP/shared/op$i/op${i}_reference.c"
done
sed -i '1i #include <pthread.h>\n#include <stdlib.h>\n#include <unistd.h>\nstatic void *later(void *p) { usleep(1000 * (unsigned)(size_t)p); abort(); }
    s/^    return 0;/    pthread_t t;\n    pthread_create(\&t, NULL, later, (void *)(size_t)MS);\n&/' \
    "$TMP/shared/op2/op2_reference.c"
for ms in 20 80 160 320; do
    sed "s/)MS/)$ms/" "$TMP/shared/op2/op2_reference.c" >"$TMP/op2.c"
    mkdir -p "$TMP/shared$ms"
    cp -r "$TMP/shared/." "$TMP/shared$ms/"
    mv "$TMP/op2.c" "$TMP/shared$ms/op2/op2_reference.c"
    run_to_csv shared --custom-ops-root "$TMP/shared$ms" --device twin --profile correct || true
    expect_equal 3 "$(grep -cE 'op[134].*,pass,' "$TMP/shared.csv")" \
        "other ops' cells that pass where one breaks the process after $ms ms"
done

# A process that ends while the judge looks at its clock, which it does after
# some hundred calls, crashed: nothing is known of what it claimed.
make_op "$TMP/ends"
echo '{"performance": ["((T([2000], f32), 2.0), {})"]}' >"$TMP/ends/scale/gen_input.json"
mv "$TMP/ends/scale/scale_plain.c" "$TMP/plain.c"
for n in 400 500 600 700; do
    sed '1i #include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>
        s/^    return 0;/    char text[24]; \/* what is static goes with each load *\/\n    const char *n = getenv("N_CALLS");\n    snprintf(text, sizeof(text), "%d", n ? atoi(n) + 1 : 1);\n    setenv("N_CALLS", text, 1);\n    if (atoi(text) > MOST)\n        raise(SIGSEGV);\n&/' \
        "$TMP/plain.c" | sed "s/> MOST/> $n/" >"$TMP/ends/scale/scale_plain.c"
    run_to_csv ends$n --custom-ops-root "$TMP/ends" --device twin --profile smoke || true
    expect_no_grep "judge's clock says (inf|nan)" "$TMP/ends$n.csv"
done
cat "$TMP"/ends[4-7]00.csv >"$TMP/ends.csv"
expect_grep ',crash,.*while it was timed: killed by signal 11' "$TMP/ends.csv"

# The same for one that ends in warm calls after its samples (the first of which
# more than forty follow each other at once), and for one that ends as it is
# loaded anew between two rounds, while it is still measured: what is freed too
# early is overwritten.  On a busy machine few calls may follow each other at once.
burst='#include <signal.h>\n#include <time.h>\nstatic long last;\nstatic int n_quick;'
burst_end='    struct timespec t;\n    clock_gettime(CLOCK_MONOTONIC, \&t);\n    long now = t.tv_sec * 1000000000 + t.tv_nsec;\n    n_quick = now - last < 10000 ? n_quick + 1 : n_quick > 20 ? n_quick - 20 : 0;\n    last = now;\n    if (n_quick > 40)\n        raise(SIGSEGV);'
sed "1i $burst
    s/^    return 0;/$burst_end\n&/" "$TMP/plain.c" >"$TMP/ends/scale/scale_burst.c"
sed '1i #include <stdlib.h>
    $a __attribute__((constructor)) static void loaded(void)\n{\n    if (getenv("LOADED"))\n        abort();\n    setenv("LOADED", "1", 1);\n}' \
    "$TMP/plain.c" >"$TMP/ends/scale/scale_anew.c"
cp "$TMP/plain.c" "$TMP/ends/scale/scale_plain.c"
echo '{"performance": ["((T([200], f32), 2.0), {})"]}' >"$TMP/ends/scale/gen_input.json"
for seed in 1 2 3; do
    MALLOC_PERTURB_=165 while_busy "$too_busy|,burst,.*,pass," "$TMP/ends$seed.csv" \
        run_to_csv ends$seed --custom-ops-root "$TMP/ends" --device twin --profile sweep \
        --baseline plain --fail-on none --seed $seed
    expect_grep ',burst,.*,crash,.*while it was timed: killed by signal 11' \
        "$TMP/ends$seed.csv"
    expect_grep ',anew,.*,crash,.*while it was timed: killed by signal 6' \
        "$TMP/ends$seed.csv"
    expect_grep ',plain,.*,pass,' "$TMP/ends$seed.csv"
done

# Inputs that no description says are read need not be read: an op that looks at one element of
# much is honest.  So is one of which all could lie in caches, which the twin
# does not clear, however fast they are.  One that would have to read more than
# memory can is not.
make_op "$TMP/light"
sed -i 's/x->ndim, x->shape, NULL/0, x->shape, NULL/; s/i < osw_numel(x)/i < 1/' \
    "$TMP/light/scale/"*.c
echo '{"performance": ["((T([30000000], f32), 2.0), {})"]}' >"$TMP/light/scale/gen_input.json"
for reads in '' '"reads": "1e9"' '"reads": "1e12"'; do
    echo "{$reads}" >"$TMP/light/scale/op.json"
    while_busy "$too_busy" "$TMP/light.csv" run_to_csv light --custom-ops-root "$TMP/light" \
        --device twin --profile smoke --max-work 1000000 || true
    if [ "$reads" != '"reads": "1e12"' ]; then
        expect_grep ',pass,' "$TMP/light.csv"
    else
        expect_grep ',implausible,.*claims a cold call of .* its bytes and operations take' "$TMP/light.csv"
    fi
done

# Nothing is left of its memory.
# Workspace of an earlier call stays in a device's memory: what writes there is seen.
run_to_csv kept --custom-ops-root tests/mutants --ops life --device twin \
    --impls crash__kept_workspace,pass__plain --profile correct || true
expect_grep ',crash__kept_workspace,.*,guard,.*or to that of an earlier call' "$TMP/kept.csv"
expect_grep ',pass__plain,.*,pass,' "$TMP/kept.csv"

[ -z "$(ls /dev/shm/opsweep-twin-* 2>/dev/null)" ] || fail "memory is left"

# Few sandboxes fit beside each other on a small GPU, so that implementations are judged
# in groups: all are timed against the baseline, whichever comes first by name.
mkdir -p "$TMP/groups/relu"
cp -r ops/library/shared "$TMP/groups/"
cp ops/library/relu/relu_reference.c "$TMP/groups/relu/"
for impl in a b c d e z; do
    cp ops/library/relu/relu_plain.c "$TMP/groups/relu/relu_$impl.c"
done
python3 - ops/library/relu/op.json "$TMP/groups/relu/op.json" <<'PY'
import json, sys

spec = json.load(open(sys.argv[1]))
spec["baseline"] = ["z"]
spec.pop("build", None)
json.dump(spec, open(sys.argv[2], "w"))
PY
echo '{"performance": ["((T([20000], f32),), {})"]}' >"$TMP/groups/relu/gen_input.json"
while_busy "$too_busy" "$TMP/groups.csv" run_to_csv groups --custom-ops-root "$TMP/groups" \
    --device twin --profile smoke --threads 1
python3 - "$TMP/groups.csv" <<'PY'
import csv, sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert len(rows) == 6 and all(r["status"] == "pass" for r in rows), rows
for r in rows:
    assert r["baseline"] == "z" and r["speedup"], (r["impl"], r["speedup"])
PY

# Phases add up where a device works in groups, too.
python_h5 tests/shell/phases.py "$TMP/groups.h5" "$TMP/light.h5" "$TMP/cpu.h5"
