# tests/shell/test_doctor.sh - opsweep doctor: this node, and a broken one

export OPSWEEP_CACHE=$TMP/cache
fake=$TMP/libnvidia-ml.so.1
${CC:-cc} -std=c11 -shared -fPIC -o "$fake" tests/fixtures/nvml/fake_nvml.c

# A node that can compile and launch is ready for a campaign, on CPU.
expect_exit 0 "$OPSWEEP" doctor --device cpu --quick "$TMP"
expect_out '^opsweep [0-9.]+ on .*, for campaigns on cpu$'
expect_out '^ok    program +sandbox '
expect_out '^ok    C compiler .*an op compiled and loaded'
expect_out '^ok    HDF5 +1\.[0-9.]+, a file written and read'
expect_out '^ok    cpu 0 memory +64 MiB keep what they are given$'
expect_out '^ok    cpu 0 sharing +seen and written by another process'
expect_out '^ok    cpu 0 sandbox +ready'
expect_out ', 0 failures: fit for a campaign$'
expect_no_grep '^FAIL' "$TMP/out"
expect_no_file "$TMP"/.opsweep-doctor-*
expect_equal '' "$(ls -A "$TMP/cache")" 'left in the cache'

# Which Python, what it has, whether its torch has CUDA, how long imports take.
mkdir "$TMP/site"
for package in torch-9.1 numpy-8.2; do
    name=${package%-*}
    mkdir "$TMP/site/$name" "$TMP/site/$package.dist-info"
    printf 'Metadata-Version: 2.1\nName: %s\nVersion: %s\n' "$name" \
        "${package#*-}" >"$TMP/site/$package.dist-info/METADATA"
done
echo 'raise OSError("libblas")' >"$TMP/site/numpy/__init__.py"
cat >"$TMP/site/torch/__init__.py" <<'PYTHON'
class version:
    cuda = "13.0"


class cuda:
    is_available = staticmethod(lambda: False)
PYTHON
python=$(python_with json)
OPSWEEP_PYTHON=$python PYTHONPATH=$TMP/site expect_exit 0 "$OPSWEEP" doctor \
    --device cpu "$TMP"
expect_out "^note  Python +$python: python 3[0-9.]+, no numpy that works .OSErr"
expect_out 'torch 9\.1 with CUDA 13\.0, which sees no GPU \([0-9.]+ s\)'
sed -i 's/"13.0"/None/' "$TMP/site/torch/__init__.py"
OPSWEEP_PYTHON=$python PYTHONPATH=$TMP/site expect_exit 0 "$OPSWEEP" doctor \
    --device cpu "$TMP"
expect_out 'torch 9\.1 without CUDA \('
OPSWEEP_PYTHON=$TMP/none expect_exit 0 "$OPSWEEP" doctor --device cpu -q "$TMP"
expect_out "^note  Python +OPSWEEP_PYTHON '.*none': .*; cure: install python3"

# JSON, for programs.
expect_exit 0 "$OPSWEEP" doctor --device cpu --quick --json "$TMP"
python3 - "$TMP/out" <<'PYTHON'
import json, sys
out = json.load(open(sys.argv[1]))
assert out['format'] == 'opsweep doctor 1' and out['fit'] is True, out
assert {c['mark'] for c in out['checks']} <= {'ok', 'note', 'warn'}
assert all(c['name'] and c['found'] for c in out['checks'])
assert out['devices'][0]['memory'] and out['gpus'] == []
PYTHON

# A requirement of campaigns that is missing: exit 1, and the cure.
expect_exit 1 "$OPSWEEP" doctor --device cpu -q "$TMP/nowhere"
expect_out "^FAIL  target folder +'.*nowhere': No such file .*; cure: "
expect_exit 1 "$OPSWEEP" doctor --device cpu -q "$OPSWEEP"
expect_out "^FAIL  target folder +'.*' is no folder; cure: "
CC=false expect_exit 1 "$OPSWEEP" doctor --device cpu -q "$TMP"
expect_out '^FAIL  C compiler .*; cure: install gcc, or let CC name'
chmod 777 "$TMP/cache"
expect_exit 1 "$OPSWEEP" doctor --device cpu -q "$TMP"
expect_out '^FAIL  build cache .*; cure: name a folder of your own'
expect_out '^note  C compiler +not tried: the build cache cannot be written'
chmod 700 "$TMP/cache"
# Where no sandbox can work, nothing can be judged: run refuses it, too.
TMPDIR=/none/opsweep expect_exit 1 "$OPSWEEP" doctor --device cpu -q "$TMP"
expect_out "^FAIL  TMPDIR +cannot make a folder in TMPDIR '/none/opsweep': No such file or directory; cure: let TMPDIR name a folder"
expect_out "^FAIL  isolation +a sandbox could not be tried: cannot make folders in '/none/opsweep' \(TMPDIR\): No such"
expect_out ': not fit for a campaign$'
for n in 1 2; do
    TMPDIR=/none/opsweep expect_exit 2 "$OPSWEEP" run -n $n --device cpu \
        --suite smoke -o "$TMP/none.h5"
    expect_err "cannot make a folder in TMPDIR '/none/opsweep': No such file or directory; cure: let TMPDIR name"
    expect_no_file "$TMP"/none.h5*
done
long=/none/$(printf 'a%.0s' $(seq 40)) # not used by sandboxes, but by mpirun
TMPDIR=$long expect_exit 2 "$OPSWEEP" run -n 2 --device cpu --suite smoke \
    --ops relu -o "$TMP/none.h5"
expect_err "cannot make a folder in TMPDIR '$long': No such file or directory"
TMPDIR=$long expect_exit 0 "$OPSWEEP" run -n 1 --device cpu --suite smoke \
    --ops relu --profile smoke -f -o "$TMP/long.h5"
(ulimit -n 20 && expect_exit 2 "$OPSWEEP" run -n 1 --device cpu --suite smoke \
    -o "$TMP/none.h5")
expect_err 'the limit on open files is 20, expected at least 64; cure: ulimit -n 4096'
(ulimit -n 16 && expect_exit 1 "$OPSWEEP" doctor --device cpu -q "$TMP")
expect_out '^FAIL  cpu 0 sandbox +too many open files for a sandbox: ulimit -n 4096; cure: see the limits'
(ulimit -v 400000 && expect_exit 4 "$OPSWEEP" run -n 1 --device cpu --suite smoke \
    --ops relu -o "$TMP/none.h5")
expect_err 'cannot map [0-9]+ bytes, address space is limited to 409600000: ulimit -v unlimited'
SLURM_STEP_NUM_TASKS=4 expect_exit 1 "$OPSWEEP" doctor --device cpu -q "$TMP"
expect_out '^FAIL  MPI .*PMIX_RANK is not set.*; cure: srun --mpi=pmix$'
(ulimit -n 256 && expect_exit 0 "$OPSWEEP" doctor --device cpu -q "$TMP")
expect_out '^warn  limits +open files 256: .*; cure: ulimit -n 4096$'

# A missing driver is no fault, unless GPUs were asked for.
export OPSWEEP_NVML=$TMP/none.so
expect_exit 0 "$OPSWEEP" doctor -q "$TMP"
expect_out '^ok    driver +no GPU here'
expect_exit 1 "$OPSWEEP" doctor -q --device cuda "$TMP"
expect_out '^FAIL  driver +no NVIDIA driver: .*none\.so.*; cure: '

# GPUs as a driver shows them; whether CUDA can use any is another matter.
export OPSWEEP_NVML=$fake CUDA_MPS_PIPE_DIRECTORY=$TMP
"$OPSWEEP" doctor -q "$TMP" >"$TMP/out" || expect_equal 1 $? 'exit code'
expect_out 'for campaigns on cuda$'
expect_out '^ok    driver +NVIDIA 580\.65\.06, up to CUDA 13\.0, 2 GPUs$'
expect_out '^ok    gpu 1 +Fake H100 80GB, 80\.0 GiB'
expect_out '^ok    mps +not active$'
expect_no_grep '^(FAIL|warn)  gpu' "$TMP/out"

FAKE_NVML='exclusive pending ecc foreign' expect_exit 1 "$OPSWEEP" doctor -q \
    --json "$TMP"
python3 - "$TMP/out" <<'PYTHON'
import json, sys
out = json.load(open(sys.argv[1]))
found = [c for c in out['checks'] if c['name'] == 'gpu 1']
marks = [c['mark'] for c in found]
assert marks == ['ok', 'FAIL', 'FAIL', 'FAIL', 'warn'], found
assert 'nvidia-smi -i 1 -c DEFAULT' in found[1]['cure']
assert out['fit'] is False and out['driver'] == '580.65.06'
sick = out['gpus'][1]
assert (sick['compute_mode'], sick['ecc_uncorrected']) == (3, 3), sick
assert sick['processes'] == 2 and out['gpus'][0]['processes'] == 0
PYTHON
FAKE_NVML=exclusive CUDA_VISIBLE_DEVICES=0 "$OPSWEEP" doctor -q "$TMP" \
    >"$TMP/out" || expect_equal 1 $? 'exit code'
expect_no_grep '^FAIL  gpu' "$TMP/out"

# A live daemon of MPS.
mkfifo "$TMP/control"
exec 8<>"$TMP/control"
expect_exit 1 "$OPSWEEP" doctor -q "$TMP"
exec 8>&-
expect_out '^FAIL  mps +a daemon listens in .*; cure: '

expect_exit 2 "$OPSWEEP" doctor --device gpu
expect_err "option '--device'"
expect_exit 2 "$OPSWEEP" doctor "$TMP" "$TMP"
