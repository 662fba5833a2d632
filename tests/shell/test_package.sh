# tests/shell/test_package.sh - from nothing to an installed wheel: new, check,
# run, package, pip install, torch.ops
#
# takes 20 s

cd "$TMP"
export NVCC=
refused() {
    local why=$1
    shift
    expect_exit 2 "$OPSWEEP" package "$@"
    expect_err "$why"
}
refused "'--output' is missing: expected a folder" relu --unjudged
refused "'--release': expected a version such as 1.2.*found 'v1'" relu -o x --unjudged --release v1
refused "'--march': expected a processor such as.*found 'a b'" relu -o x --unjudged --march 'a b'
refused "did you mean '--no-openmp'" relu -o x --unjudged --no-openm
refused 'cannot open' relu -o x --results none.h5
expect_exit 0 "$OPSWEEP" package relu --unjudged --dry-run
expect_out '^can be    aten.relu.default$'
expect_out 'left out; nothing was written$'
expect_no_file x x.part*

# --- the journey ----------------------------------------------------------------

expect_exit 0 "$OPSWEEP" new ops/mix \
    --schema 'mix(Tensor x, Tensor? w=None, *, float alpha=1) -> (Tensor, Tensor)'
expect_exit 0 "$OPSWEEP" check ops/mix
expect_exit 0 "$OPSWEEP" run --custom-ops-root ops --ops mix -n 1 --profile correct -f -o run.h5
expect_exit 0 "$OPSWEEP" package ops/mix -o plain --results run.h5 --no-openmp --release 1.2
cat out
expect_out '^exported  mix.default: cpu plain; 14 test cases'
expect_out '^needs     cpu: glibc 2\.[0-9]+ or newer$'
expect_out '^plain: 1 op, 0 left out; next: pip install plain/dist/myops-1\.2-py3-none-manylinux'
expect_grep '"packaged": ?"15 cells passed, none failed"' plain/ops.json
expect_no_file plain/judge plain/judge.mk plain.part*
ls -l plain/dist plain/myops

# A compiler that is killed with us leaves nothing.
mkdir held
cat >slow-cc <<'SH'
#!/bin/sh
case " $* " in *' -c '*) touch "$TMPDIR/cc.s" && mkdir -p "$0-began" && sleep 60 ;; esac
exec cc "$@"
SH
chmod +x slow-cc
TMPDIR=$PWD/held CC=$PWD/slow-cc NVCC= "$OPSWEEP" package ops/mix -o killed --results run.h5 &
pid=$!
until [ -e slow-cc-began ]; do
    kill -0 $pid
    sleep 0.1
done
kill -TERM $pid
wait $pid || true
until [ -z "$(ls -d killed.part* 2>/dev/null)" ]; do sleep 0.1; done
expect_equal '' "$(ls -A held)" 'what is left in TMPDIR'

# The same package has the same bytes.
expect_exit 0 "$OPSWEEP" package ops/mix -o twice --results run.h5 --no-openmp --release 1.2
cmp plain/dist/*.whl twice/dist/*.whl

# What its files say of themselves.
python3 - plain/dist/*.whl <<'PY'
import base64, csv, hashlib, io, sys, zipfile

z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
rows = list(csv.reader(io.StringIO(z.read("myops-1.2.dist-info/RECORD").decode())))
assert sorted(r[0] for r in rows) == sorted(z.namelist()), rows
for name, digest, size in rows:
    if name.endswith("RECORD"):
        continue
    data = z.read(name)
    want = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
    assert (digest, size) == ("sha256=" + want, str(len(data))), name
assert {i.external_attr >> 16 for i in z.infolist() if i.filename.endswith(".so")} == {0o100755}
PY

# Interrupted, it leaves no compiler running, and no folder.
printf '#!/bin/sh\necho $$ >"%s/compiler"\nexec sleep 300\n' "$TMP" >slow_cc
chmod +x slow_cc
CC=$TMP/slow_cc "$OPSWEEP" package ops/mix -o stopped --results run.h5 --no-openmp >out 2>err &
pid=$!
for ((i = 0; i < 600; i++)); do
    [ ! -s compiler ] || break
    sleep 0.05
done
kill -TERM "$pid"
wait "$pid" || :
for ((i = 0; i < 100; i++)); do
    if ! kill -0 "$(cat compiler)" 2>/dev/null && ! ls -d stopped.part* 2>/dev/null; then break; fi
    sleep 0.1
done
[ "$i" -lt 100 ] || fail 'the compiler still runs, or its folder is there'

# --- packaged objects are judged, not only compiled -----------------------------

# Right by a campaign's flags, wrong or no C by others.
sed 's/^int mix_kernel_impl/#ifndef _OPENMP\n#define osw_set(t, i, v) osw_set(t, i, (v) + 1)\n#endif\n&/' \
    ops/mix/mix_plain.c >ops/mix/mix_threads.c
sed 's/^int mix_kernel_impl/#ifndef _OPENMP\n#error needs threads\n#endif\n&/' \
    ops/mix/mix_plain.c >ops/mix/mix_parallel.c
expect_exit 0 "$OPSWEEP" run --custom-ops-root ops --ops mix -n 1 --profile correct -f -o run.h5
expect_exit 1 "$OPSWEEP" package ops/mix -o some --results run.h5 --no-openmp
cat out
expect_out '^left out  mix.default cpu threads: 12 of 15 cells failed as it is built here, the first as value'
expect_out '^left out  mix.default cpu parallel: it does not compile by the package.s flags: .*error.*needs threads'
expect_out '^exported  mix.default: cpu plain;'
expect_no_grep 'threads|parallel' some/ops.json
mkdir broken
cp -r ops/mix broken/
rm broken/mix/mix_threads.c broken/mix/mix_parallel.c
echo '#error not for a package' >>broken/mix/mix_plain.c
expect_exit 3 "$OPSWEEP" package broken/mix -o none --unjudged
expect_out '^left out  mix.default cpu plain: it does not compile .*not for a package'
expect_out '^left out  mix.default: no implementation is left'
expect_err 'no op can be packaged'
expect_no_file none none.part*

# Known before anything is compiled.
expect_exit 2 "$OPSWEEP" package ops/mix -o none --results run.h5 \
    --march no-such-processor
expect_err "option '--march': .*no-such-processor"
expect_no_file none none.part*

# --- installed, without a network -----------------------------------------------

python=${OPSWEEP_PYTHON:-$(python_with torch || true)}
[ -n "$python" ] || skip 'a wheel was made, not installed: no torch'
# A pip of its own takes the venv longer than all the rest: pip >= 22.3 needs none.
if "$python" -m pip --python "$python" --version >/dev/null 2>&1; then
    expect_exit 0 "$python" -m venv --without-pip venv
    pip=("$python" -m pip --python venv/bin/python)
else
    "$python" -c 'import ensurepip' 2>/dev/null || skip 'a wheel was made, not installed: no ensurepip'
    expect_exit 0 "$python" -m venv venv
    pip=(venv/bin/python -m pip)
fi
expect_exit 0 "${pip[@]}" install -q --no-index --disable-pip-version-check plain/dist/*.whl
# torch as it is; the wheel from the fresh venv alone.
"$python" -c 'import importlib.util, os
print(os.path.dirname(os.path.dirname(importlib.util.find_spec("torch").origin)))' \
    >"$(echo venv/lib/python3*/site-packages)/torch.pth"
expect_exit 0 venv/bin/python - "$PWD/venv" <<'PY'
import sys
import torch
import myops

assert myops.__file__.startswith(sys.argv[1]), myops.__file__
x, w = torch.randn(4, 6), torch.randn(4, 6)
one, two = torch.ops.myops.mix(x, w, alpha=3)
assert torch.allclose(one, 2 * x + w + 3, atol=1e-5) and torch.allclose(two, 2 * one, atol=1e-5)
print("torch", torch.__version__, "calls it")
if hasattr(torch.library, "opcheck"):
    call = torch.compile(lambda x: torch.ops.myops.mix(x)[1] + 1, fullgraph=True, dynamic=True,
                         backend="aot_eager")
    assert torch.allclose(call(x), 2 * (2 * x + 1) + 1, atol=1e-5)

    class Model(torch.nn.Module):
        def forward(self, x):
            return torch.ops.myops.mix(x)

    rows = torch.export.Dim("rows", min=2)
    program = torch.export.export(Model(), (x,), dynamic_shapes=({0: rows},))
    assert torch.allclose(program.module()(torch.ones(9, 6))[0], torch.full((9, 6), 3.0))
    print("compiled as one graph, exported")
else:
    print("not compiled: torch.export and opcheck are of newer versions")
# An older torch is refused with words.
torch.__version__ = "1.12.1"
try:
    myops._runtime.register("other", [], ".")
except ImportError as e:
    assert "other needs torch 1.13 or newer, found 1.12.1" in str(e), e
else:
    sys.exit("torch 1.12 was not refused")
PY
cat out
