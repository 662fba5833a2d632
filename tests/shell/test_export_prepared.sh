# tests/shell/test_export_prepared.sh - a package keeps what implementations
# prepare: for calls that differ in values and addresses, and for captured graphs;
# and reports launch errors
#
# takes 5 s

cd "$TMP"
make_op ops
cat >ops/scale/op.json <<'J'
{"schema": "scale(Tensor x, float a) -> Tensor", "outputs": ["x"]}
J
expect_exit 0 "$OPSWEEP" export-ops ops/scale -o pkg --unjudged --cases 1
expect_no_grep OSW_EXPORT_CUDA pkg/csrc/table_cpu.c
expect_grep '^#define OSW_EXPORT_CUDA' pkg/csrc/table_cuda.c

# A table as a package's GPU library has it, with fakes of cudart.
cat >prepared.c <<'C'
#define OSW_EXPORT_CUDA
#include <opsweep/export.h>

static int capturing, mode, wrong;
static int n_prepared, n_alive, n_strict; /* n_strict: prepared in another mode */

int cudaStreamIsCapturing(void *stream, int *status)
{
    (void)stream;
    *status = capturing;
    return 0;
}

int cudaThreadExchangeStreamCaptureMode(int *to)
{
    int before = mode;

    mode = *to;
    *to = before;
    return 0;
}

static int launch_error, raises; /* what the next kernel leaves */

int cudaGetLastError(void)
{
    int error = launch_error;

    launch_error = 0;
    return error;
}

const char *cudaGetErrorString(int error)
{
    return error == 209 ? "no kernel image" : "another error";
}

struct state {
    int64_t n;
    int in_use;
};

static int prepare(const osw_call *call, void **state)
{
    struct state *s = calloc(1, sizeof(*s));

    *state = s;
    n_prepared++;
    n_alive++;
    n_strict += mode != OSW_EXPORT_CAPTURE_RELAXED;
    s->n = osw_numel(osw_arg_tensor(call, 0));
    if (s->n == 3)
        return OSW_UNSUPPORTED;
    return s->n == 5 ? osw_error(call, "five") : 0;
}

static void finish(void *state)
{
    n_alive--;
    free(state);
}

static int64_t call_of(int64_t n, double a, size_t shift);
static int nested;

static int first(const osw_call *call)
{
    struct state *s = call->state;
    const osw_tensor *x = osw_arg_tensor(call, 0);

    launch_error = raises;
    wrong += s->in_use || s->n != osw_numel(x);
    s->in_use = 1;
    while (nested-- > 0) /* as another thread would, while this call is on its way */
        call_of(s->n, 1.0, 0);
    s->in_use = 0;
    return osw_output(call, 0, x->dtype, 1, x->shape, 0) ? 0 : OSW_ERROR;
}

static int second(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);

    wrong += call->state != NULL;
    return osw_output(call, 0, x->dtype, 1, x->shape, 0) ? 0 : OSW_ERROR;
}

static const struct osw_export_impl impls[] = {
    {"first", first, prepare, finish},
    {"second", second, 0, 0},
    {0, 0, 0, 0},
};
const struct osw_export_op osw_export_ops[] = {{"ns::op", impls}};
const int osw_export_n_ops = 1;

/* x [n] f32, `shift` bytes after an aligned address; a */
static int64_t call_of(int64_t n, double a, size_t shift)
{
    static char memory[2][2][4096] __attribute__((aligned(256)));
    static int turn;
    int64_t x, out, bits;

    turn = !turn; /* another address each time */
    memcpy(&bits, &a, sizeof(bits));
    x = (int64_t)(intptr_t)(memory[turn][0] + shift);
    out = (int64_t)(intptr_t)memory[turn][1];
    return osw_export_call(
        0,
        (int64_t[]){OSW_CUDA, 0, 1, 0, 0, 0, 0, 2,
                    OSW_ARG_TENSOR, x, OSW_FLOAT, 32, 1, n, 1,
                    OSW_ARG_FLOAT, bits,
                    1, OSW_ARG_TENSOR, out, OSW_FLOAT, 32, 1, n, 1},
        25);
}

static void expect(const char *what, int prepared, int alive)
{
    if (n_prepared == prepared && n_alive == alive && !wrong && !mode)
        return;
    printf("%s: prepared %d, expected %d; alive %d, expected %d; %d wrong; "
           "mode %d\n", what, n_prepared, prepared, n_alive, alive, wrong, mode);
    exit(1);
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        wrong += call_of(8, 2.0, 0) != 0;
    expect("the same shape", 1, 1);
    call_of(9, 2.0, 0);
    call_of(8, 3.0, 0);
    call_of(8, 2.0, 4);
    expect("another shape, value, alignment", 4, 4);

    for (int i = 0; i < 3; i++)
        wrong += call_of(3, 2.0, 0) != 0;
    expect("what it does not take is asked once", 5, 5);
    for (int i = 0; i < 3; i++)
        wrong += call_of(5, 2.0, 0) != OSW_ERROR ||
                 strcmp(osw_export_error(), "five") != 0;
    expect("an error is not kept", 8, 5);

    raises = 209;
    wrong += call_of(8, 2.0, 0) != OSW_ERROR ||
             strcmp(osw_export_error(), "launch failed: no kernel image") != 0;
    raises = 0;
    launch_error = 1;
    wrong += call_of(8, 2.0, 0) != 0;
    expect("a launch error is of its own call", 8, 5);

    nested = 1;
    wrong += call_of(8, 1.0, 0) != 0;
    expect("a call within a call has a state of its own", 10, 7);

    capturing = 1;
    wrong += call_of(8, 2.0, 0) != 0 || call_of(700, 2.0, 0) != 0;
    capturing = 0;
    expect("a captured graph", 11, 8);
    for (int i = 0; i < 2 * OSW_EXPORT_MAX_KEPT; i++)
        call_of(100 + i, 2.0, 0);
    /* 700 is not among them */
    expect("not more than so many, beside two of a graph",
           11 + 2 * OSW_EXPORT_MAX_KEPT, OSW_EXPORT_MAX_KEPT + 2);
    call_of(8, 2.0, 0);
    call_of(700, 2.0, 0);
    call_of(99 + 2 * OSW_EXPORT_MAX_KEPT, 2.0, 0);
    expect("the graph's are there, and the last",
           11 + 2 * OSW_EXPORT_MAX_KEPT, OSW_EXPORT_MAX_KEPT + 2);
    call_of(9, 2.0, 0);
    expect("one of the first was dropped", 12 + 2 * OSW_EXPORT_MAX_KEPT,
           OSW_EXPORT_MAX_KEPT + 2);
    if (n_strict)
        printf("%d were prepared where capturing forbids to allocate\n", n_strict);
    return n_strict != 0;
}
C
cc -std=gnu11 -g -Wall -Wextra -Werror -fsanitize=address,undefined -Ipkg/csrc/include \
    -o prepared prepared.c
./prepared
