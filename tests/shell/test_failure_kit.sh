# tests/shell/test_failure_kit.sh - a cell that failed: again, dumped, shrunk,
# under a sanitizer
#
# takes 15 s

# A Python that has numpy: the one in PATH, or the system's.
python_np() {
    local python
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import numpy' 2>/dev/null; then
            "$python" "$@"
            return
        fi
    done
    fail "no python3 with numpy"
}

# Outputs of every kind of element, and a list of tensors.
make_op "$TMP/ops"
mkdir "$TMP/ops/pack"
cat >"$TMP/ops/pack/gen_input.json" <<'JSON'
{"correctness": [
    {"case": "(([T([3, 5], {t}, stride=(1, 3)), T([5], {t}, stride=(2,))],), {})",
     "for": {"t": ["f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "u8",
                   "b8", "c64", "c128"]}}]}
JSON
cat >"$TMP/ops/pack/pack.h" <<'C'
/* Both tensors of the list, joined. */
#include <opsweep/op.h>
#include <string.h>

static int pack(const osw_call *call, int spoil)
{
    const osw_arg *list = osw_arg_at(call, 0);
    const osw_tensor *a = list->u.items[0].u.tensor, *b = list->u.items[1].u.tensor;
    int64_t n = osw_numel(a), size = a->dtype.bits / 8;
    int64_t shape = n + osw_numel(b);
    osw_tensor *y = osw_output(call, 0, a->dtype, 1, &shape, NULL);
    char *to = y ? osw_data(y) : NULL;

    for (int64_t i = 0; y && i < shape; i++) {
        const osw_tensor *t = i < n ? a : b;
        int64_t at = i < n ? i / a->shape[1] * a->strides[0] +
                                 i % a->shape[1] * a->strides[1]
                           : (i - n) * b->strides[0];

        memcpy(to + i * size, (char *)osw_data(t) + at * size, (size_t)size);
    }
    if (y && spoil)
        memset(to + 7 * size, 1, (size_t)size);
    return y ? 0 : OSW_ERROR;
}
C
for how in reference wrong right; do
    cat >"$TMP/ops/pack/pack_$how.c" <<C
#include "pack.h"

int pack_$([ $how = reference ] && echo reference || echo kernel_impl)(const osw_call *call)
{
    return pack(call, $([ $how = wrong ] && echo 1 || echo 0));
}
C
done

# Rows of a table by index: sizes that a fill depends on.
mkdir "$TMP/ops/pick"
cat >"$TMP/ops/pick/gen_input.json" <<'JSON'
{"correctness": [{"case": "((T([50, 8], f32), T([200], i64)), {})",
                  "fill": {"arg1": "index(50)"}}]}
JSON
for how in reference wrong; do
    cat >"$TMP/ops/pick/pick_$how.c" <<C
#include <opsweep/elements.h>

int pick_$([ $how = wrong ] && echo kernel_impl || echo reference)(const osw_call *call)
{
    const osw_tensor *table = osw_arg_tensor(call, 0);
    const osw_tensor *index = osw_arg_tensor(call, 1);
    int64_t shape[] = {index->shape[0], table->shape[1]};
    osw_tensor *y = osw_output(call, 0, table->dtype, 2, shape, NULL);
    const int64_t *at = osw_data(index);

    for (int64_t i = 0; y && i < osw_numel(y); i++) {
        int64_t row = at[i / shape[1]];

        if (row < 0 || row >= table->shape[0])
            return osw_error(call, "an index beyond the table");
        osw_set(y, i, $([ $how = wrong ] && echo "i == 19 ? 99 : ")
                osw_get(table, row * shape[1] + i % shape[1]));
    }
    return y ? 0 : OSW_ERROR;
}
C
done
cat >"$TMP/ops/scale/scale_deaf.c" <<'C'
#include <opsweep/op.h>
#include <stdlib.h>

int scale_kernel_impl(const osw_call *call)
{
    (void)call;
    abort();
}
C
# No check that the gain has as many elements as a row.
mkdir "$TMP/ops/gain"
echo '{"correctness": ["((T([6, 40], f32), T([40], f32)), {})"]}' \
    >"$TMP/ops/gain/gen_input.json"
for how in reference wrong; do
    cat >"$TMP/ops/gain/gain_$how.c" <<C
#include <opsweep/op.h>

int gain_$([ $how = wrong ] && echo kernel_impl || echo reference)(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const float *from = osw_data(x), *gain = osw_data(osw_arg_tensor(call, 1));
    osw_tensor *y = osw_output(call, 0, x->dtype, 2, x->shape, NULL);
    float *to = y ? osw_data(y) : NULL;

    for (int64_t i = 0; y && i < osw_numel(y); i++)
        to[i] = from[i] * gain[i % x->shape[1]]$([ $how = wrong ] &&
            echo " + (i % x->shape[1] == 3)");
    return y ? 0 : OSW_ERROR;
}
C
done
file=$TMP/run.h5
expect_exit 1 "$OPSWEEP" run --custom-ops-root "$TMP/ops" --profile smoke -n 1 \
    --seed 5 -o "$file"
show() { "$OPSWEEP" show "$file" "$@"; }

# Judged again, here, with the sources as they are now.
expect_exit 0 show pack.default/wrong/0 --rerun
expect_out '^again, here: value, as in the file$'
expect_no_grep 'not the code of the file' "$TMP/err"
expect_exit 0 show scale.default/plain/0 --rerun
expect_out '^again, here: pass, as in the file$'
expect_exit 0 show scale.default/deaf/0 --rerun
expect_out '^again, here: crash, as in the file$'
expect_out 'killed by signal 6'
mv "$TMP/ops/pick" "$TMP/away"
expect_exit 2 show pick.default/wrong/0 --rerun
expect_err "op 'pick.default' is not in '$TMP/ops'"
mv "$TMP/away" "$TMP/ops/pick"

# Tensors of every dtype read back, and are what the verdict says.
mkdir "$TMP/dump"
for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
    expect_exit 0 show "pack.default/wrong/$i" --dump "$TMP/dump/wrong$i"
    expect_exit 0 show "pack.default/right/$i" --dump "$TMP/dump/right$i/"
done
expect_exit 0 show scale.default/plain/0 --dump "$TMP/dump/scale"
expect_exit 0 show scale.default/deaf/0 --dump "$TMP/dump/deaf"
expect_no_file "$TMP"/dump/*.tmp.*
python_np - "$TMP/dump" <<'PY'
import glob, json, os, sys
import numpy as np

kinds = set()
for folder in sorted(glob.glob(sys.argv[1] + "/*")):
    cell = json.load(open(folder + "/cell.json"))
    t = {e["file"][:-4]: np.load(folder + "/" + e["file"])
         for e in cell["tensors"]}
    assert sorted(os.listdir(folder)) == sorted(
        ["cell.json"] + [e["file"] for e in cell["tensors"]]), folder
    for e in cell["tensors"]:
        assert list(t[e["file"][:-4]].shape) == e["shape"], e
    if cell["op"] == "scale.default":
        x = t["input_arg0"]
        assert np.array_equal(t["expected_0"], 2.0 * x.astype("f8")), folder
        assert t["expected_0"].dtype == np.float64
        assert ("got_0" in t) == (cell["impl"] == "plain"), cell["impl"]
        if "got_0" in t:
            assert np.array_equal(t["got_0"], np.float32(2) * x)
        continue
    a, b = t["input_arg0_0"], t["input_arg0_1"]
    kinds.add(str(a.dtype))
    joined = np.concatenate([a.ravel(), b])
    assert a.dtype == b.dtype == t["got_0"].dtype
    assert joined.tobytes() == t["expected_0"].tobytes(), folder
    bad = np.flatnonzero(t["got_0"] != t["expected_0"])
    assert (cell["status"] == "pass") == (bad.size == 0), (folder, bad)
    if bad.size:
        assert cell["first_bad"] == {"output": 0, "index": 7, "place": [7]}
        assert bad.tolist() == [7], bad
    if cell["tensors"][0]["dtype"] == "bf16":
        kinds.add("bf16")
        for name in list(t):
            if not name.endswith("_f32"):
                wide = (t[name].astype("u4") << 16).view("f4")
                assert np.array_equal(wide, t[name + "_f32"])
        assert np.isfinite(t["input_arg0_0_f32"]).all()
want = {"float64", "float32", "float16", "uint16", "bf16", "int64", "int32",
        "int16", "int8", "uint8", "bool", "complex64", "complex128"}
assert kinds == want, kinds ^ want
PY

# A folder that is in use, or cannot be made, is refused before anything runs.
expect_exit 2 show scale.default/plain/0 --dump "$TMP/dump/scale"
expect_err "dump/scale' is not empty"
expect_exit 2 show scale.default/plain/0 --dump "$TMP/none/dump"
expect_err "none/dump'"
expect_no_file "$TMP/none"

# The smallest case, in any state; its command fails in the same way.
wide=$TMP/wide.h5
expect_exit 1 "$OPSWEEP" run --custom-ops-root tests/fixtures/ops --ops wide \
    --profile smoke -n 1 -o "$wide"
shrunk() {
    expect_exit 0 "$OPSWEEP" show "$wide" "wide.default/$1" --shrink "${@:3}"
    expect_equal "$2" "$(sed -n '/^the smallest/{n;p}' "$TMP/out")" "$1"
}
shrunk value__beyond_37/0 '((T([1, 38], f32), T([1, 38], f32)), {})'
shrunk value__beyond_37/1 '((T([1, 1, 38], f32), T([38], f32)), {})'
shrunk crash__beyond_37/0 '((T([38, 1], f32), T([38, 1], f32)), {})'
shrunk crash__beyond_37/1 '((T([1, 38, 1], f32), T([1], f32)), {})' \
    --dump "$TMP/small"
expect_grep '"case": "\(\(T\(\[1, 38, 1\], f32\), T\(\[1\], f32\)\), \{\}\)"' \
    "$TMP/small/cell.json"
command=$(sed -n '/^run it again:$/{n;p}' "$TMP/out" | tail -n 1)
command=${command#opsweep}
rc=0
eval "\"$OPSWEEP\" ${command% -o cell.h5} -o \"$TMP/cell.h5\"" >/dev/null 2>&1 ||
    rc=$?
expect_equal 1 "$rc" 'exit code of the smallest case'
expect_exit 0 "$OPSWEEP" show "$TMP/cell.h5" 0 --verbose
expect_out '^status +crash$'

# Bounded; nothing to shrink is told.
expect_exit 0 "$OPSWEEP" show "$wide" wide.default/value__beyond_37/0 --shrink \
    --shrink-trials 3
expect_out 'the smallest of 3 cases tried that ends as .value.; more could be tried'
expect_exit 3 "$OPSWEEP" show "$wide" wide.default/pass__plain/0 --shrink
expect_err "does not fail here, it ends as 'pass'"

# Indices stay within a table that shrinks.
expect_exit 0 show pick.default/wrong/0 --shrink
expect_equal '((T([1, 7], f32), T([3], i64)), {})' \
    "$(sed -n '/^the smallest/{n;p}' "$TMP/out")" 'a table and its indices'
expect_out "fill 'normal,index\(1\)'"

# A case that a reference read beyond its tensors for is none.
expect_exit 0 show gain.default/wrong --shrink
expect_equal '((T([1, 4], f32), T([4], f32)), {})' \
    "$(sed -n '/^the smallest/{n;p}' "$TMP/out")" 'a size that is not checked'

# Under a tool: its report, and an exit code by what it found.
mkdir "$TMP/bin"
cat >"$TMP/bin/valgrind" <<'SH'
#!/bin/sh
# Runs the command as it is, and finds what FAKE_ERRORS says.
while [ "${1#-}" != "$1" ]; do
    case $1 in --log-file=*) log=${1#*=} ;; esac
    shift
done
"$@" || exit
printf '==1== Command: opsweep-sandbox\n%s\n' "$FAKE_ERRORS" >"${log%/*}/1.log"
SH
chmod +x "$TMP/bin/valgrind"
fake() { PATH=$TMP/bin:$PATH FAKE_ERRORS=$1 "$OPSWEEP" show "$file" "${@:2}"; }
expect_exit 1 fake '==1== <error>' pack.default/wrong/0 --sanitize=memcheck
expect_out '^==1== <error>$'
expect_out '^memcheck: errors found$'
expect_exit 0 fake 'all is well' pack.default/wrong/0 --sanitize=memcheck \
    -o "$TMP/report.txt"
expect_grep 'all is well' "$TMP/report.txt"
expect_out '^memcheck: no errors found$'
expect_no_file "$TMP"/report.txt.tmp.*
if mknod "$TMP/device" c 1 3 2>/dev/null && : 2>/dev/null >"$TMP/device"; then
    # A rename by root would put a file in its place.
    expect_exit 1 fake '==1== <error>' pack.default/wrong/0 --sanitize=memcheck \
        -o "$TMP/device"
    [ -c "$TMP/device" ] || fail 'a device was replaced'
fi
expect_exit 2 fake x pack.default/wrong/0 --sanitize=racecheck
expect_err "'racecheck' looks at cells on cuda, this one ran on cpu"
expect_exit 2 fake x pack.default/wrong/0 --profile=ncu
expect_err "'ncu' looks at cells on cuda"
expect_exit 2 fake x pack.default/wrong/0 --sanitize=memcheck --dump "$TMP/d"
expect_err "'--sanitize' does not go together with '--dump'"
expect_exit 5 env PATH=/nowhere "$OPSWEEP" show "$file" 0 --sanitize=memcheck
expect_err "no 'valgrind' in PATH: it comes with the package valgrind"

# The real tool, if it is installed: a write past a block of the op's own.
if command -v valgrind >/dev/null; then
    cat >"$TMP/ops/scale/scale_plain.c" <<'C'
#include <opsweep/elements.h>
#include <stdlib.h>

int scale_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    volatile char *block = malloc(3);

    block[3] = 1;
    for (int64_t i = 0; y && i < osw_numel(x); i++)
        osw_set(y, i, osw_arg_float(call, 1, 1.0) * osw_get(x, i));
    free((void *)block);
    return y ? 0 : OSW_ERROR;
}
C
    expect_exit 1 show scale.default/plain/0 --sanitize=memcheck
    expect_out 'Invalid write of size 1'
    expect_out 'scale_plain.c:10'
    expect_out '^again, here: pass, as in the file$'
fi

# No tool looks at Python, and none waits for it to start.
cat >"$TMP/ops/scale/scale_slow.py" <<'PY'
import numpy  # so that no torch is imported


def scale_kernel_impl(x, a=1.0):
    return x * a
PY
"$OPSWEEP" run --suite custom_ops --custom-ops-root "$TMP/ops" --device cpu \
    --ops scale.default --impls slow -n 1 --profile correct --fail-on none -f \
    -o "$TMP/python.h5" >/dev/null 2>&1
file=$TMP/python.h5 expect_exit 2 fake x 0 --sanitize=memcheck
expect_err "'memcheck' looks at native code: '.*/scale_slow.py' is Python"
rm "$TMP/ops/scale/scale_slow.py"

# Typing mistakes are told with what was meant.
for typo in rerum:rerun dmup:dump shirnk:shrink sanitise:sanitize \
    profle:profile shrink-trails:shrink-trials; do
    expect_exit 2 show 0 "--${typo%:*}"
    expect_err "unknown option '--${typo%:*}' \(did you mean '--${typo#*:}'"
done
expect_exit 2 show 0 --sanitize=memchek
expect_err 'expected one of memcheck, racecheck, initcheck, synccheck'
expect_exit 2 show 0 --sanitize memcheck
expect_err "unexpected operand 'memcheck' \(did you mean '--sanitize=memcheck'\?\)"
expect_exit 2 show 0 --output x
expect_err "'--output' needs --sanitize or --profile"
expect_exit 2 show 0 --shrink --shrink-seconds 0
expect_err "'--shrink-seconds': expected more than 0, found '0'"
