# What a campaign checks and records about its devices before cells run: a
# processor that behaves like a GPU, working and with one fault.
#
# takes turns: going first
# takes 30 s

go_first

# The twin has its memory there, and its settings.
export OPSWEEP_WRITABLE=/dev/shm OPSWEEP_PASS_ENV='TWIN_*'
export OPSWEEP_CACHE=$TMP/cache OMPI_MCA_rmaps_base_oversubscribe=1
export OPSWEEP_NVML=$TMP/none.so CUDA_MPS_PIPE_DIRECTORY=$TMP/none
export TWIN_DEVICES=3
make_op "$TMP/root"
fake=$TMP/libnvidia-ml.so.1
${CC:-cc} -std=c11 -shared -fPIC -o "$fake" tests/fixtures/nvml/fake_nvml.c

# sweep EXIT NAME WORDS...: three workers, into $TMP/NAME.h5
sweep() {
    local want=$1 name=$2
    shift 2
    rm -rf "$TMP/$name".h5*
    expect_exit "$want" "$OPSWEEP" run --suite custom_ops --custom-ops-root \
        "$TMP/root" --profile correct --device twin -n 4 -o "$TMP/$name.h5" "$@"
}

# devices NAME: rank, index and health
devices() {
    "$OPSWEEP" report "$TMP/$1.h5" --format json >"$TMP/json" || :
    python3 - "$TMP/json" <<'PY'
import json, sys
rows = [(d["rank"], d["index"], d["health"])
        for d in json.load(open(sys.argv[1]))["devices"]]
for row in sorted(rows): print(*row)
PY
}

# Working ones: one row each, in three lines of h5py; the driver's words beside.
OPSWEEP_NVML=$fake TWIN_DEVICES=2 sweep 0 sound -n 3
python_h5 - "$TMP/sound.h5" "$(hostname)" <<'PY'
import sys
path = sys.argv[1]

import h5py
f = h5py.File(path)
d = {k: v.asstr()[:] if v.dtype == object else v[:] for k, v in f["devices"].items()}

order = list(d["rank"].argsort())
col = lambda k: [d[k][i] for i in order]
assert col("rank") == [1, 2] and col("index") == [0, 1], d
assert col("uuid") == ["GPU-0000000%d-1111-2222-3333-444444444444" % i
                       for i in (0, 1)], d
assert set(d["hostname"]) == {sys.argv[2]}, d
for k, v in dict(kind="twin", name="Twin", driver="580.65.06", health="ok",
                 runtime="12.8", driver_cuda="13.0", capability="9.0",
                 notes="").items():
    assert col(k) == [v, v], (k, d[k])
assert col("max_clock_mhz") == [1980, 1980], d["max_clock_mhz"]
assert col("max_memory_clock_mhz") == [2619, 2619]
assert col("memory_bytes") == [1 << 30] * 2 and min(d["cores"]) > 0
assert 0 < min(d["check_ns"]) and max(d["check_ns"]) < 5e9
for k, v in f["devices"].items():
    assert v.dtype == object or v.attrs["units"], k
    assert v.attrs["long_name"], k
PY
expect_exit 0 "$OPSWEEP" report "$TMP/sound.h5"
expect_out '^2 workers on Twin, driver 580\.65\.06, CUDA 12\.8$'
expect_exit 0 "$OPSWEEP" show "$TMP/sound.h5" 0 --verbose
expect_out '^measured on +twin [01], GPU-0000000[01]-1111-.*, CUDA 12\.8, ok$'
expect_exit 0 "$OPSWEEP" report "$TMP/sound.h5" --format json
python3 - "$TMP/out" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))["devices"]
assert [x["health"] for x in d] == ["ok"] * 2, d
assert d[0]["memory_bytes"] == 1 << 30, d
PY

# Timed cells have what the driver said of their device around them, others
# nothing.
OPSWEEP_NVML=$fake TWIN_DEVICES=1 expect_exit 1 "$OPSWEEP" run --device twin \
    -n 1 --suite custom_ops --custom-ops-root tests/fixtures/ops --ops timed \
    --impls '!implausible__*' --profile smoke -o "$TMP/timed.h5"
python_h5 - "$TMP/timed.h5" <<'PY'
import h5py, sys
r = h5py.File(sys.argv[1])["results"]
timed = r["sample_n"][:] > 0
assert timed.sum() == 2 and len(timed) == 5, timed
for k, want in dict(clock_mhz=1755, temperature_c=54, throttle=4).items():
    assert (r[k][:][timed] == want).all(), (k, r[k][:])
    assert not (r[k][:][~timed] == want).any(), (k, r[k][:])
assert (r["energy_j"][:][timed] > 0).all(), r["energy_j"][:]
PY

# How far launches of the same code differ there is measured once, kept, and
# measured again when what is kept cannot be read.  Only timed campaigns ask.
floors() { # FILE
    python_h5 - "$1" <<'PY'
import h5py, sys
d = h5py.File(sys.argv[1])["devices"]
print(*["%.6g" % x for c in ("launch_ns", "launch_part") for x in sorted(d[c][:])])
PY
}
launches() { # FILE PROFILE [OPTION...]: a campaign on two devices at once
    TWIN_DEVICES=2 OPSWEEP_CACHE=$TMP/floors expect_exit 0 "$OPSWEEP" run \
        --device twin -n 3 --suite custom_ops --custom-ops-root "$TMP/root" \
        --profile "$2" --force -o "$1" "${@:3}"
}
launches "$TMP/l0.h5" correct
expect_equal "nan nan nan nan" "$(floors "$TMP/l0.h5")" "floor of an untimed campaign"
launches "$TMP/l1.h5" smoke
expect_equal 1 "$(grep -c 'launches of the same code differ by' "$TMP/err")" \
    "devices of one model on which it was measured"
first=$(floors "$TMP/l1.h5")
python3 - $first <<'PY'
import sys
a, b, c, d = map(float, sys.argv[1:])
assert 250 <= a == b < 1e6 and 0.0005 <= c == d <= 1, sys.argv
PY
launches "$TMP/l2.h5" smoke
expect_equal "$first" "$(floors "$TMP/l2.h5")" "floor of the next campaign"
echo '{"launch_ns": -1, "launch_part": 0}' | tee "$TMP"/floors/launches-*.json >/dev/null
launches "$TMP/l3.h5" smoke
expect_equal 1 "$(grep -c 'launches of the same code differ by' "$TMP/err")" \
    "floors measured again, what was kept being damaged"

# What is kept is in the intervals of speedups: half as wide as the ratio, at
# least.
cp "$TMP/root/scale/scale_plain.c" "$TMP/root/scale/scale_other.c"
sed -i 's/"correctness"/"performance": ["((T([40000], f32), 2.0), {})"], &/' \
    "$TMP/root/scale/gen_input.json"
echo '{"launch_ns": 250, "launch_part": 0.5}' | tee "$TMP"/floors/launches-*.json >/dev/null
intervals() {
    launches "$TMP/l4.h5" smoke --baseline plain
    "$OPSWEEP" report "$TMP/l4.h5" --fail-on none --format csv -o "$TMP/l4.csv"
    python3 - "$TMP/l4.csv" >"$TMP/l4.said" <<'PY'
import csv, sys
if not any(r["speedup_lo"] for r in csv.DictReader(open(sys.argv[1]))):
    print("machine too busy: no speedup has an interval")
PY
}
while_busy "$too_busy" "$TMP/l4.said" intervals
python3 - "$TMP/l4.csv" <<'PY'
import csv, sys
speedups = [[float(r["speedup" + x]) for x in ("", "_lo", "_hi")]
            for r in csv.DictReader(open(sys.argv[1])) if r["speedup_lo"]]
for of, lo, hi in speedups:
    assert lo <= 0.5 * of and hi >= 1.5 * of, (lo, of, hi)
PY

# On a processor: model, cores, memory.
expect_exit 0 "$OPSWEEP" run --suite custom_ops --custom-ops-root "$TMP/root" \
    --profile correct --device cpu -n 3 -o "$TMP/cpu.h5"
python_h5 - "$TMP/cpu.h5" <<'PY'
import h5py, os, sys
d = h5py.File(sys.argv[1])["devices"]
assert sorted(d["rank"][:]) == [1, 2]
assert set(d["kind"].asstr()[:]) == {"cpu"} and set(d["uuid"].asstr()[:]) == {""}
assert set(d["cores"][:]) == {os.sysconf("SC_NPROCESSORS_ONLN")}
assert set(d["memory_bytes"][:]) == {os.sysconf("SC_PHYS_PAGES") *
                                     os.sysconf("SC_PAGESIZE")}
model = [l.split(": ")[1].strip() for l in open("/proc/cpuinfo")
         if l.startswith("model name")][:1] or ["cpu"]
assert set(d["name"].asstr()[:]) == set(model), d["name"][:]
PY

# A device that fails its check is left out, with the reason once; the others
# judge everything.
left_out() {
    local name=${1%%:*} why=$2
    TWIN_FAULT=$1 sweep 0 "$name"
    expect_out '; 2 workers, 1 left out, '
    expect_equal 1 "$(grep -cE "rank 2 is left out: twin 1, GPU-00000001-.* on $(hostname): $why" "$TMP/err")" "lines on '$why'"
    devices "$name" >"$TMP/rows"
    expect_grep '^1 0 ok$' "$TMP/rows"
    expect_grep "^2 1 $why" "$TMP/rows"
    expect_grep '^3 2 ok$' "$TMP/rows"
}
left_out canary:1 'it computes [0-9a-f]{16} .*; cure: take it out of service: '
python_h5 - "$TMP/canary.h5" <<'PY'
import h5py, sys
f = h5py.File(sys.argv[1])
assert f.attrs["complete"] and 2 not in set(f["results/rank"][:])
e = f["events"]
told = [t for k, t in zip(e["kind"].asstr()[:], e["text"].asstr()[:])
        if k == "quarantine"]
assert len(told) == 1 and "twin 1" in told[0], told
PY
left_out memory:1 '0\.25 of 1\.0 GiB of its memory are free, .*; cure: end the other'
left_out share:1 'memory of the twin cannot be shared .*; cure: in a container, give it --ipc=host and --pid=host'
left_out foreign:1 "a sandbox cannot use its memory: .*cannot open the twin's memory; cure: in a container, give it --ipc=host"
left_out exclusive:1 'compute mode EXCLUSIVE_PROCESS: judge and sandboxes are several processes; cure: nvidia-smi -i GPU-00000001-1111-2222-3333-444444444444 -c DEFAULT, as root'
left_out wake:1 'cannot use the twin'
expect_exit 0 "$OPSWEEP" report "$TMP/canary.h5"
expect_out '^2 workers on Twin, CUDA 12\.8$'
expect_out "^left out: rank 2 on $(hostname), twin 1, GPU-00000001-"

# What the driver says, in the doctor's messages.
export OPSWEEP_NVML=$fake
faults='prohibited failed pending ecc recovery'
FAKE_NVML=$faults "$OPSWEEP" doctor -q --json "$TMP" >"$TMP/doctor" || :
for fault in $faults; do
    FAKE_NVML="$fault noecc" TWIN_DEVICES=2 sweep 0 driver -n 3
    devices driver | sed -n 's/^2 1 //p' >>"$TMP/said"
done
python3 - "$TMP/said" "$TMP/doctor" <<'PY'
import json, sys
said = [l.rstrip("\n") for l in open(sys.argv[1])]
want = ["%s; cure: %s" % (c["found"], c["cure"].replace(
            "-i 1 ", "-i GPU-00000001-1111-2222-3333-444444444444 "))
        for c in json.load(open(sys.argv[2]))["checks"]
        if c["name"] == "gpu 1" and c["mark"] == "FAIL"]
assert len(want) == 5 and sorted(said) == sorted(want), (said, want)
PY
FAKE_NVML=noecc TWIN_DEVICES=2 sweep 0 driver -n 3
python_h5 - "$TMP/driver.h5" <<'PY'
import h5py, sys
d = h5py.File(sys.argv[1])["devices"]
notes = dict(zip(d["rank"][:], d["notes"].asstr()[:]))
assert notes[1] == "" and notes[2].startswith("ECC is off: "), notes
assert set(d["health"].asstr()[:]) == {"ok"}
PY

# No worker is left: incomplete (4), the file says why, and so does the last line.
export OPSWEEP_NVML=$TMP/none.so
TWIN_FAULT='canary:0 canary:1 share:2' sweep 4 none
expect_out ' not run; 0 workers, 3 left out, '
expect_err 'no worker could judge anything; rank [123]: twin'
devices none >"$TMP/rows"
expect_equal 3 "$(grep -c 'cure: ' "$TMP/rows")" 'reasons'

# MPS: every GPU of the node is refused, with the doctor's cure.
mkdir "$TMP/mps"
mkfifo "$TMP/mps/control"
exec 8<>"$TMP/mps/control"
CUDA_MPS_PIPE_DIRECTORY=$TMP/mps sweep 4 mps
exec 8>&-
expect_err "rank 1 is left out: .*a daemon listens in '.*/mps': under MPS .*; cure: echo quit \| nvidia-cuda-mps-control"

# Two ranks that found one GPU: an error before cells run, and nothing is left,
# also when the second says so late.
for fault in 'same:2' 'same:2 slow:2'; do
    TWIN_FAULT=$fault sweep 2 same
    expect_err 'ranks 1 and 3 on .* both found GPU GPU-00000000-1111-.*; cure: .*--share-gpus'
    expect_no_file "$TMP/same.h5" "$TMP/same.h5.journal"
done
TWIN_FAULT=same:2 sweep 0 same --share-gpus
expect_equal '1 0 ok 2 1 ok 3 2 ok' "$(devices same | tr '\n' ' ' | sed 's/ $//')"
[ -z "$(ls /dev/shm/opsweep-twin-* 2>/dev/null)" ] || fail "memory is left"

# What times copies on a device says why it cannot.
expect_exit 1 "$(dirname "$(readlink -f "$OPSWEEP")")/opsweep-sandbox" --launch none 0 ''
expect_err "^device 'none': "
