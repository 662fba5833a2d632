# tests/shell/test_export_tvm.sh - a package's library has a function of TVM-FFI for
# each operator: called by C, and by apache-tvm-ffi where it is
#
# takes 10 s

cd "$TMP"
expect_exit 0 "$OPSWEEP" new ops/kinds \
    --schema 'kinds(Tensor x, Tensor[] xs, Tensor? w=None, int? k=None, *, float f=1, int[2] l=3, Scalar s=2, bool b=True, str m="abc") -> (Tensor, Tensor)'
expect_exit 0 "$OPSWEEP" new ops/rows__by --schema 'rows.by(Tensor x, float a=2) -> Tensor'
expect_exit 0 "$OPSWEEP" new ops/bump_ --schema 'bump_(Tensor(a!) self, float a=1) -> Tensor(a!)'
expect_exit 0 "$OPSWEEP" export-ops ops -o pkg --unjudged --namespace mine --cases 2
expect_exit 0 make -s -C pkg NVCC= CFLAGS='-std=gnu11 -O2 -Wall -Werror'

# --- by C, with a fake of the one function that is looked for ----------------------

cat >call.c <<'C'
#include <stdio.h>
#include <string.h>

#include <opsweep/op.h>

struct any {
    int32_t type;
    uint32_t small;
    union {
        int64_t i;
        double f;
        void *p;
        char text[8];
    } u;
};
struct object {
    uint64_t count;
    int32_t type;
    uint32_t pad;
    void *deleter;
    union {
        struct {
            const void *data;
            int64_t n;
        } cell;
        osw_tensor tensor;
    } u;
};

int __tvm_ffi_rows__by(void *, const struct any *, int32_t, struct any *);
int __tvm_ffi_kinds(void *, const struct any *, int32_t, struct any *);
int __tvm_ffi_bump_(void *, const struct any *, int32_t, struct any *);

static char said[1000];

void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *text)
{
    snprintf(said, sizeof(said), "%s: %s", kind, text);
}

static int wrong;

static void expect(const char *what, int ok)
{
    wrong += !ok;
    printf("%s %s%s%s\n", ok ? "ok   " : "WRONG", what, *said ? ": " : "", said);
    *said = '\0';
}

static osw_tensor tensor(void *data, int32_t ndim, int64_t *shape)
{
    osw_tensor t;

    memset(&t, 0, sizeof(t));
    t.data = data;
    t.device.type = OSW_CPU;
    t.ndim = ndim;
    t.dtype.code = OSW_FLOAT;
    t.dtype.bits = 32;
    t.dtype.lanes = 1;
    t.shape = shape; /* strides NULL: contiguous */
    return t;
}

int main(void)
{
    float x[6] = {1, 2, 3, 4, 5, 6}, y[6], z[6], more[12];
    int64_t shape[] = {2, 3}, turned[] = {3, 2}, steps[] = {6, 2};
    osw_tensor tx = tensor(x, 2, shape), ty = tensor(y, 2, shape), tz = tensor(z, 2, shape);
    osw_tensor tt = tensor(y, 2, turned), ts = tensor(more, 2, shape), th = tensor(x + 2, 2, shape);
    struct object held = {.type = 70, .u.tensor = tensor(x, 2, shape)};
    struct any a[12] = {{7, 0, {.p = &tx}}, {3, 0, {.f = 2}}, {7, 0, {.p = &ty}}};
    struct any items[] = {{7, 0, {.p = &tx}}, {70, 0, {.p = &held}}};
    int64_t ints[] = {3, 3};
    struct object list = {.type = 71, .u.cell = {items, 2}}, sizes = {.type = 69, .u.cell = {ints, 2}};
    struct object text = {.type = 65, .u.cell = {"abc", 3}};

    expect("a call", __tvm_ffi_rows__by(NULL, a, 3, NULL) == 0);
    expect("by its values", y[5] == 2 * x[5] + 2 && y[0] == 2 * x[0] + 2);
    a[0] = (struct any){70, 0, {.p = &held}};
    memset(y, 0, sizeof(y));
    expect("a tensor of its own", __tvm_ffi_rows__by(NULL, a, 3, NULL) == 0 && y[5] == 2 * x[5] + 2);
    expect("too few", __tvm_ffi_rows__by(NULL, a, 2, NULL) == -1 &&
           strstr(said, "ValueError: mine::rows.by: expected 2 arguments and 1 results, found 2 together"));
    a[2].u.p = &tt;
    expect("another shape", __tvm_ffi_rows__by(NULL, a, 3, NULL) == -1 && strstr(said, "result 0 is a"));
    ts.strides = steps;
    a[2].u.p = &ts;
    expect("strides", __tvm_ffi_rows__by(NULL, a, 3, NULL) == -1 && strstr(said, "expected contiguous"));
    ty.dtype.code = OSW_INT;
    a[2].u.p = &ty;
    expect("another dtype", __tvm_ffi_rows__by(NULL, a, 3, NULL) == -1 && strstr(said, "result 0 is a"));
    ty.dtype.code = OSW_FLOAT;
    a[2].u.p = &th;
    memcpy(z, x, sizeof(z));
    expect("the argument's memory", __tvm_ffi_rows__by(NULL, a, 3, NULL) == -1 && strstr(said, "shares memory") &&
           memcmp(x, z, sizeof(z)) == 0);
    a[2] = (struct any){1, 0, {.i = 3}};
    expect("a number", __tvm_ffi_rows__by(NULL, a, 3, NULL) == -1 && strstr(said, "expected a tensor for each"));
    a[0] = (struct any){68, 0, {.p = &held}};
    expect("a function", __tvm_ffi_rows__by(NULL, a, 3, NULL) == -1 && strstr(said, "of another kind"));
    tx.device.type = OSW_CUDA;
    a[0] = (struct any){7, 0, {.p = &tx}};
    expect("a GPU's", __tvm_ffi_rows__by(NULL, a, 3, NULL) == -1 && strstr(said, "not on a processor"));
    tx.device.type = OSW_CPU;

    struct any all[] = {{7, 0, {.p = &tx}},    {71, 0, {.p = &list}},          {0, 0, {.i = 0}},
                        {0, 0, {.i = 0}},      {3, 0, {.f = 1}},               {69, 0, {.p = &sizes}},
                        {1, 0, {.i = 2}},      {2, 0, {.i = 1}},               {11, 3, {.text = "abc"}},
                        {7, 0, {.p = &ty}},    {7, 0, {.p = &tz}}};
    float first[6];
    expect("each kind", __tvm_ffi_kinds(NULL, all, 11, NULL) == 0);
    memcpy(first, y, sizeof(y));
    all[8] = (struct any){65, 0, {.p = &text}};
    expect("a long text", __tvm_ffi_kinds(NULL, all, 11, NULL) == 0 && memcmp(first, y, sizeof(y)) == 0);
    all[8] = (struct any){8, 0, {.p = "abc"}};
    expect("a plain text", __tvm_ffi_kinds(NULL, all, 11, NULL) == 0 && memcmp(first, y, sizeof(y)) == 0);
    all[10].u.p = &ty;
    expect("one memory for two", __tvm_ffi_kinds(NULL, all, 11, NULL) == -1 && strstr(said, "another out"));
    a[0] = (struct any){7, 0, {.p = &tx}};
    memcpy(z, x, sizeof(z));
    expect("in place", __tvm_ffi_bump_(NULL, a, 2, NULL) == 0 && x[0] != z[0]);
    return wrong;
}
C
expect_exit 0 cc -std=gnu11 -Wall -rdynamic -Ipkg/csrc/include call.c -Lpkg/mine -lmine \
    -Wl,-rpath,"$PWD/pkg/mine" -o call
./call >calls || true
cat calls
expect_no_grep '^WRONG' calls
expect_equal 16 "$(grep -c '^ok' calls)"

# --- by apache-tvm-ffi ----------------------------------------------------------

python=${OPSWEEP_PYTHON:-$(python_with tvm_ffi || true)}
"${python:-false}" -c 'import tvm_ffi, numpy' 2>/dev/null || skip 'called by C alone: no tvm_ffi'
expect_exit 0 "$python" - pkg/mine/libmine.so <<'PY'
import sys

import numpy
import tvm_ffi

mine = tvm_ffi.load_module(sys.argv[1])
x = numpy.arange(6, dtype="f4").reshape(2, 3)
y, z = numpy.zeros_like(x), numpy.zeros_like(x)
view = tvm_ffi.from_dlpack
getattr(mine, "rows__by")(view(x), 2.0, view(y))
assert (y == 2 * x + 2).all(), y
mine.kinds(view(x), [view(x), view(x)], None, None, 1.0, (3, 3), 2, True, "abc", view(y), view(z))
assert not (y == 0).all() and (z != 0).any()
mine.kinds(view(x), [view(x), view(x)], view(x), 4, 1.0, (3, 3), 2.5, False, "a text that is long", view(y), view(z))
for bad, words in (((view(x), 2.0, view(y[:1])), "result 0 is a"), ((view(x), 2.0), "found 2 together"),
                   ((view(x), 2.0, view(x)), "shares memory")):
    try:
        getattr(mine, "rows__by")(*bad)
    except ValueError as e:
        assert "mine::rows.by" in str(e) and words in str(e), e
    else:
        sys.exit("no error: " + words)
try:
    import torch
except ImportError:
    print("no torch")
else:
    t, out = torch.ones(2, 3), torch.empty(2, 3)
    getattr(mine, "rows__by")(t, 2.0, out)
    assert torch.equal(out, 2 * t + 2)
    mine.bump_(t, 1.0)
    assert not torch.equal(t, torch.ones(2, 3))
print("apache-tvm-ffi", tvm_ffi.__version__, "calls it")
PY
cat out
