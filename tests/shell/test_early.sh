# A sandbox that ends before it is given a file, as where a GPU's memory is taken
# or another one has just broken it, is no file's fault: it is tried again, and
# where none starts the cells end as the device's.
#
# takes turns: going first
# mostly waits: for sandboxes that are tried again
# takes 120 s

go_first

# The twin has its memory there, and its settings.
export OPSWEEP_WRITABLE=/dev/shm OPSWEEP_PASS_ENV='TWIN_*'
opens=/dev/shm/opsweep-test-opens-$$
trap 'rm -f "$opens"' EXIT

# judge ROOT NAME SKIP FAIL OF [OPTION...]: see device_twin.c; $TMP/NAME.csv
judge() { while_busy "$too_busy" "$TMP/$2.csv" judge_once "$@"; }
judge_once() {
    rm -rf "$opens" "$TMP/$2.h5" "$TMP/$2.h5.journal"
    TWIN_OPENS="$opens $3 $4 $5" run_to_csv "$2" --custom-ops-root "$TMP/$1" \
        --device twin --profile smoke --fail-on none "${@:6}" 2>"$TMP/$2.log"
}

verdicts() { # NAME
    python3 - "$TMP/$1.csv" <<'PY'
import csv, sys

for r in csv.DictReader(open(sys.argv[1], newline="")):
    print(r["impl"], r["case"], r["status"], r["trials"])
PY
}

make_op "$TMP/root"
echo '{"correctness": ["((T([4, 8], f32), 2.0), {})"],
       "performance": ["((T([90000], f32), 2.0), {})"]}' \
    >"$TMP/root/scale/gen_input.json"
sed 's/a \* ((/1 + a * ((/' "$TMP/root/scale/scale_plain.c" \
    >"$TMP/root/scale/scale_wrong.c"
cp "$TMP/root/scale/scale_plain.c" "$TMP/root/scale/scale_two.c"

# Some fail, the worker's first one among them, and all is as if they had not.
judge root whole 0 0 1
verdicts whole >"$TMP/want"
expect_equal 6 "$(grep -cE ' (pass|value) ' "$TMP/want")" "cells that are judged"
for these in '0 2 5' '3 1 2' '3 2 4 short:0'; do
    read -r skip fail of fault <<<"$these"
    TWIN_FAULT=$fault judge root some "$skip" "$fail" "$of"
    verdicts some >"$TMP/got"
    expect_same_file "$TMP/want" "$TMP/got"
done

# None starts any more: no cell is charged, and the reason is shown.  What is left can be
# judged where they do.
rc=0
judge root none 2 1 1 || rc=$?
expect_equal 4 "$rc" "exit code where no sandbox starts"
verdicts none >"$TMP/got"
expect_no_grep ' (load|reference|crash|exited|skipped) ' "$TMP/got"
expect_grep ' pass ' "$TMP/got"
expect_grep ',device,.*no sandbox starts: ended the process with exit status 1: sandbox: cannot open the twin' \
    "$TMP/none.csv"
mkdir "$TMP/left"
cp -r "$TMP"/none.h5* "$TMP/left/"
resume_none() {
    rm -rf "$TMP"/none.h5*
    cp -r "$TMP"/left/none.h5* "$TMP/"
    expect_exit 0 "$OPSWEEP" run --resume "$TMP/none.h5" --fail-on none
    expect_exit 0 "$OPSWEEP" report "$TMP/none.h5" --fail-on none --format csv \
        -o "$TMP/none.csv"
}
while_busy "$too_busy" "$TMP/none.csv" resume_none
verdicts none >"$TMP/got"
expect_same_file "$TMP/want" "$TMP/got"

# The same for what was killed, where no other sandbox can say whether that was
# its own doing: an implementation, a reference, each on other inputs, too.  The
# two have their sandboxes, and none starts after them.
kills() { # ROOT FILE CALL
    mkdir -p "$TMP/$1"
    cp -r "$TMP/root/scale" "$TMP/$1/"
    rm "$TMP/$1/scale/scale_two.c" "$TMP/$1/scale/scale_wrong.c"
    echo '{"correctness": ["((T([4, 8], f32), 2.0), {})"]}' \
        >"$TMP/$1/scale/gen_input.json"
    sed -i "1i #include <signal.h>\nstatic int calls;
        s/^    return 0;/    if (++calls == $3)\n        raise(SIGKILL);\n&/" \
        "$TMP/$1/scale/scale_$2.c"
}
kills once plain 1
kills again plain 3
kills reference reference 1
kills other reference 2
while read -r root why; do
    judge "$root" "$root" 2 1 1 || true # tried in a batch of one first
    expect_grep ',device,.*no sandbox starts: ' "$TMP/$root.csv"
    OPSWEEP_BATCH=off judge "$root" "$root" 2 1 1 || true
    expect_grep ',device,.*no sandbox starts: ' "$TMP/$root.csv"
    python_h5 - "$TMP/$root.h5" "$why: no sandbox starts: " <<'PY'
import h5py, sys

texts = list(h5py.File(sys.argv[1])["events/text"].asstr()[:])
assert any(t.startswith(sys.argv[2]) for t in texts), texts
PY
done <<'ROOTS'
once a sandbox to confirm by
again a sandbox for other inputs
reference the reference cannot be started again
other on other inputs: the reference cannot be started again
ROOTS

# Nor is one that passed left without its times, where its sandbox gave way to
# another's (see test_gave_way.sh) and no other starts.
mkdir -p "$TMP/timed"
cp -r "$TMP/root/scale" "$TMP/timed/"
rm "$TMP/timed/scale/scale_wrong.c"
echo '{"performance": ["((T([300000], f32), 2.0), {})"]}' \
    >"$TMP/timed/scale/gen_input.json"
for skip in 5 6 7; do
    TWIN_MIB=440 judge timed "timed$skip" "$skip" 1 1 || true
    python_h5 - "$TMP/timed$skip.h5" "$TMP/timed$skip.csv" <<'PY' >>"$TMP/texts"
import csv, h5py, sys

print(*h5py.File(sys.argv[1])["events/text"].asstr()[:], sep="\n")
for r in csv.DictReader(open(sys.argv[2], newline="")):
    timed = r["status"] == "pass" and r["t_median_ns"]
    assert timed or r["status"] == "device", (r["status"], r["t_median_ns"])
PY
done
expect_grep '^a sandbox to be timed in: no sandbox starts: ' "$TMP/texts"

# A python that does not start is no op's fault either, and may start later.
OPSWEEP_PYTHON=$(python_with numpy) || fail "no python3 with numpy"
export OPSWEEP_PYTHON
mkdir -p "$TMP/python/add" "$TMP/site"
echo '{"correctness": ["((T([8], f32),), {})"]}' >"$TMP/python/add/gen_input.json"
cat >"$TMP/python/add/add_reference.py" <<'PY'
import numpy


def add_reference(x):
    return numpy.add(x, 1)
PY
sed 's/_reference/_kernel_impl/' "$TMP/python/add/add_reference.py" \
    >"$TMP/python/add/add_plain.py"
cat >"$TMP/site/sitecustomize.py" <<PY
import os, sys

if any("opsweep_host" in word for word in sys.orig_argv):
    with open("$opens", "a") as f:
        print(file=f)
        f.flush()
        n = f.tell()
    if n <= int(os.environ["TWIN_MOST"]):
        print("it is Monday", file=sys.stderr)
        os._exit(3)
PY
python() { # MOST
    rm -f "$opens" "$TMP/python.h5"
    PYTHONPATH=$TMP/site TWIN_MOST=$1 "$OPSWEEP" run -n 1 --profile correct \
        --custom-ops-root "$TMP/python" --seed 1 -o "$TMP/python.h5" || true
    "$OPSWEEP" report "$TMP/python.h5" --fail-on none --format csv \
        -o "$TMP/python.csv" || true
}
python 3
expect_grep ',plain,.*,pass,' "$TMP/python.csv"
python 100000
expect_grep ",plain,.*,device,.*the interpreter '.*python3?.*' ended the process with exit status 3: it is Monday" "$TMP/python.csv"

[ -z "$(ls /dev/shm/opsweep-twin-* 2>/dev/null)" ] || fail "memory is left"
