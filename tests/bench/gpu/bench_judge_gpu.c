/* tests/bench/gpu/bench_judge_gpu.c - how fast a judge looks at GPU memory
 *
 * Bytes read and written per second, of which share of what a copy within the
 * GPU moves, or of the roof where that is lower: the median of RUNS runs after
 * one that warms up, then slowest and fastest.  Each run is timed by the
 * host's clock until the GPU is done, so launch and wait are in it.
 *
 * Roofs of fills: the kernels of usual fills need the instructions per element
 * of the table below, counted in the machine code of their inner loop for
 * compute capability 9.0.  A multiprocessor has a pipe for multiplications
 * (64 lanes a clock; one of 32 x 32 to 64 bits takes it twice), one for logic,
 * additions, shifts and conversions (64 lanes), and issues for 128 lanes: the
 * one that takes longest bounds the element.  `pipes` measures these rates.
 * Philox alone is 20 wide multiplications; the keys and the upper word of the
 * index settle two of them, and that of the lower word is an addition from one
 * element to the next.  For a normal f32 that leaves 17: 35.25 / 64 clocks, so
 * 132 multiprocessors at 1.98 GHz make 474 billion elements/s, 1.90 TB/s.
 * Where memory takes less than the pipes make, it is the roof: what `set`
 * writes.
 *
 * Pipes are not busy all at once, so usual fills have a second roof, measured:
 * what the same instructions make in registers alone (fill_roof.cu).  Its line
 * stands below that of the fill: bytes/s, share of the pipes, elements/s, and
 * which share of it, or of `set` where that is less, the fill reaches.
 *
 *     bench_judge_gpu [MiB of outputs, default 1024]
 *
 * takes 20 s
 * stopped after 120 s
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "tests/bench/gpu/fill_roof.h"
#include "worker/judge/inputs/recipe.h"
#include "worker/judge/memory/judge_ops.h"

enum { RUNS = 7 };

struct bench {
    const struct osw_judge_ops *ops;
    struct osw_device *dev;
    uint64_t bytes;            /* of a, b and of all that is compared */
    struct osw_map a, b;       /* outputs, and a view of what they should be */
    struct osw_map want, norm; /* doubles for 2-byte outputs */
    double copy, set;          /* bytes/s, once measured */
    int64_t sink;              /* what comes out of it all: must be 0 */
};

/* A tensor over the first buffer; matrix: one that is transposed. */
struct subject {
    int64_t n, shape[2], strides[2];
    struct osw_tensor_desc desc, want_desc;
    struct osw_view got;
    struct osw_expected want;
    struct osw_fill fill;
    struct osw_accept accept;
};

static struct subject subject_of(struct bench *b, enum osw_dtype_id dtype)
{
    const struct osw_dtype_info *info = osw_dtype_info((int)dtype);
    struct subject s = {.n = (int64_t)(b->bytes / info->bytes)};

    s.accept = (struct osw_accept){.rtol = info->rtol, .atol = info->atol};
    s.desc.dtype = dtype;
    s.desc.ndim = 1;
    s.shape[0] = s.n;
    s.strides[0] = 1;
    return s;
}

/* Pointers into the struct itself, once it lies still. */
static void subject_bind(struct bench *b, struct subject *s)
{
    s->desc.shape = s->shape;
    s->desc.strides = s->strides;
    s->want_desc = s->desc;
    s->got = (struct osw_view){b->a.base, &s->desc};
    s->want.view = (struct osw_view){b->b.base, &s->want_desc};
}

/* --- what is timed --- */

static void do_copy(struct bench *b, struct subject *s)
{
    (void)s;
    b->ops->copy(b->dev, b->b.base, b->a.base, b->bytes);
}

static void do_set(struct bench *b, struct subject *s)
{
    (void)s;
    b->ops->set(b->dev, b->b.base, 0x5a, b->bytes);
}

static void do_fill(struct bench *b, struct subject *s)
{
    b->ops->fill(b->dev, &s->got, &s->fill, 1, 0, 0);
}

static void do_compare(struct bench *b, struct subject *s)
{
    struct osw_errors errors;

    b->ops->compare(b->dev, &s->got, &s->want, &s->accept, &errors);
    b->sink += errors.n_bad;
}

static void do_passes(struct bench *b, struct subject *s)
{
    b->sink += !b->ops->passes(b->dev, &s->got, &s->want, &s->accept);
}

static void do_mean(struct bench *b, struct subject *s)
{
    b->sink += b->ops->mean(b->dev, &s->want, s->n) > 1e6;
}

static void do_hash(struct bench *b, struct subject *s)
{
    (void)s;
    b->sink += b->ops->hash(b->dev, b->a.base, b->bytes, 1) == 1;
}

static void do_check(struct bench *b, struct subject *s)
{
    (void)s;
    b->sink += b->ops->check(b->dev, b->b.base, b->bytes, 0x5a) + 1;
}

static void do_differs(struct bench *b, struct subject *s)
{
    (void)s;
    b->sink += b->ops->differs(b->dev, b->a.base, b->b.base, b->bytes) + 1;
}

/* --- timing and printing --- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void wait(struct bench *b)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (b->ops->sync(b->dev, &err) == 0)
        return;
    fprintf(stderr, "%s\n", err.text);
    exit(5);
}

static void seconds_of(struct bench *b, struct subject *s,
                       void (*what)(struct bench *, struct subject *),
                       double seconds[RUNS])
{
    for (int r = -1; r < RUNS; r++) {
        int64_t start = osw_clock_ns();

        what(b, s);
        wait(b);
        if (r >= 0)
            seconds[r] = (double)(osw_clock_ns() - start) * 1e-9;
    }
    qsort(seconds, RUNS, sizeof(seconds[0]), by_value);
}

/* Bytes that one run moves, and the bytes/s that are its roof. */
static double line(struct bench *b, struct subject *s, const char *what,
                   void (*pass)(struct bench *, struct subject *), double bytes,
                   double roof)
{
    double t[RUNS], median;

    seconds_of(b, s, pass, t);
    median = bytes / t[RUNS / 2];
    printf("%-26s %-5s %8.1f GB/s", what,
           s->n ? osw_dtype_info((int)s->desc.dtype)->name : "", median / 1e9);
    printf(roof > 0 ? " %5.0f %%" : "        ", 100 * median / roof);
    printf("   %.1f .. %.1f\n", bytes / t[RUNS - 1] / 1e9, bytes / t[0] / 1e9);
    if (b->sink != 0)
        printf("  NOT RIGHT: %lld\n", (long long)b->sink);
    b->sink = 0;
    return median;
}

/* --- comparisons --- */

/* b becomes a, with every last place flipped if asked for. */
static void make_view(struct bench *b, const struct subject *s, bool flip)
{
    size_t width = osw_dtype_info((int)s->desc.dtype)->bytes;
    uint64_t ones = width == 2 ? UINT64_C(0x0001000100010001)
                               : UINT64_C(0x0000000100000001);
    uint64_t *host = malloc(b->bytes);

    b->ops->copy(b->dev, b->b.base, b->a.base, b->bytes);
    if (!flip || !host || width > 4) {
        free(host);
        return;
    }
    b->ops->copy(b->dev, host, b->a.base, b->bytes);
    for (uint64_t i = 0; i < b->bytes / 8; i++)
        host[i] ^= ones;
    b->ops->copy(b->dev, b->b.base, host, b->bytes);
    free(host);
}

static const struct osw_fill normal = {.kind = OSW_FILL_NORMAL};
static const struct osw_fill positive = {.kind = OSW_FILL_POSITIVE};

static void compare_views(struct bench *b, enum osw_dtype_id dtype)
{
    struct subject s = subject_of(b, dtype);
    double bytes = 2 * (double)b->bytes;

    subject_bind(b, &s);
    s.fill =
        dtype == OSW_I32 ? (struct osw_fill){.kind = OSW_FILL_DEFAULT} : normal;
    do_fill(b, &s);
    make_view(b, &s, false);
    line(b, &s, "compare, equal", do_compare, bytes, b->copy);
    if (dtype == OSW_I32 || dtype == OSW_F64)
        return;
    make_view(b, &s, true);
    s.accept.rtol = 0.02;
    s.accept.atol = 1e-6; /* of f16's subnormals */
    line(b, &s, "compare, a place off", do_compare, bytes, b->copy);
}

/* Doubles of the same random values: outputs are off by their rounding. */
static void compare_exact(struct bench *b, enum osw_dtype_id dtype)
{
    struct subject s = subject_of(b, dtype), d;
    double bytes = (double)b->bytes + 8 * (double)s.n;

    subject_bind(b, &s);
    s.fill = normal;
    do_fill(b, &s);
    d = s;
    d.desc.dtype = OSW_F64;
    d.got = (struct osw_view){b->want.base, &d.desc};
    do_fill(b, &d);
    d.fill = positive;
    d.got.data = b->norm.base;
    do_fill(b, &d);
    s.want.exact = b->want.base;
    line(b, &s, "compare, exact", do_compare, bytes, b->copy);
    s.want.norm = b->norm.base;
    s.accept.ntol = 1e-3;
    line(b, &s, "compare, exact and norm", do_compare, bytes + 8 * (double)s.n,
         b->copy);
    s.want.norm = NULL;
    line(b, &s, "mean, exact", do_mean, 8 * (double)s.n, b->copy);
}

/* Both transposed: read in the order of rows, as slowly as that is. */
static void compare_strided(struct bench *b)
{
    struct subject s = subject_of(b, OSW_F32);

    s.desc.ndim = 2;
    s.desc.strided = true;
    s.shape[0] = 4096;
    s.shape[1] = s.n / 4096;
    s.strides[0] = 1;
    s.strides[1] = 4096;
    subject_bind(b, &s);
    s.fill = normal;
    line(b, &s, "fill normal, transposed", do_fill, (double)b->bytes, b->set);
    make_view(b, &s, false);
    line(b, &s, "compare, transposed", do_compare, 2 * (double)b->bytes,
         b->copy);
}

/* --- fills --- */

static const struct {
    const char *what;
    struct osw_fill fill;
    enum osw_dtype_id dtype;
    struct {
        double wide, multiply, logic, all; /* instructions; all 0: unknown */
    } per_element;
} fills[] = {
    /* clang-format off */
    {"fill normal", {.kind = OSW_FILL_NORMAL}, OSW_F64, {17, 1.5, 29.5, 53.5}},
    {"fill normal", {.kind = OSW_FILL_NORMAL}, OSW_F32, {17, 1.25, 29.25, 49.75}},
    {"fill normal", {.kind = OSW_FILL_NORMAL}, OSW_F16, {17.12, 1.25, 30.25, 50.25}},
    {"fill normal", {.kind = OSW_FILL_NORMAL}, OSW_BF16, {17.12, 1.25, 30.25, 50.25}},
    {"fill normal", {.kind = OSW_FILL_NORMAL}, OSW_C64, {0}},
    {"fill uniform", {.kind = OSW_FILL_UNIFORM}, OSW_F64, {15, 1.5, 26.5, 48}},
    {"fill uniform", {.kind = OSW_FILL_UNIFORM}, OSW_F32, {15, 1.25, 22.25, 40.75}},
    {"fill uniform", {.kind = OSW_FILL_UNIFORM}, OSW_BF16, {15, 1.25, 23, 40.88}},
    {"fill positive", {.kind = OSW_FILL_POSITIVE}, OSW_F32, {15, 1.25, 22.25, 40.75}},
    {"fill positive", {.kind = OSW_FILL_POSITIVE}, OSW_F16, {15, 1.25, 23, 40.88}},
    {"fill smallint(2)", {.kind = OSW_FILL_SMALLINT, .a = 2}, OSW_F32, {16, 2.5, 24, 43.75}},
    {"fill smallint(2)", {.kind = OSW_FILL_SMALLINT, .a = 2}, OSW_BF16, {16, 2.25, 23, 41.88}},
    {"fill default", {.kind = OSW_FILL_DEFAULT}, OSW_I64, {16, 4.5, 22.5, 45.5}},
    {"fill default", {.kind = OSW_FILL_DEFAULT}, OSW_I32, {16, 2.5, 23, 42.75}},
    {"fill default", {.kind = OSW_FILL_DEFAULT}, OSW_I16, {16, 2.38, 22.75, 41.75}},
    {"fill default", {.kind = OSW_FILL_DEFAULT}, OSW_U8, {16, 2.19, 21.62, 40.12}},
    {"fill default", {.kind = OSW_FILL_DEFAULT}, OSW_B8, {16, 4.19, 24.75, 46.12}},
    {"fill index(30522)", {.kind = OSW_FILL_INDEX, .a = 30522}, OSW_I64, {16, 4.5, 22.5, 45.5}},
    {"fill special", {.kind = OSW_FILL_SPECIAL}, OSW_F32, {0}},
    {"fill offset(100)", {.kind = OSW_FILL_OFFSET, .a = 100}, OSW_F32, {0}},
    {"fill permutation", {.kind = OSW_FILL_PERMUTATION}, OSW_I64, {0}},
    {"fill constant(1)", {.kind = OSW_FILL_CONSTANT, .a = 1}, OSW_F32, {0}},
    /* clang-format on */
};

/* Elements per second, as the pipes allow; 0: unknown. */
static double pipes_roof(const struct bench *b, size_t i)
{
    double multiply = fills[i].per_element.multiply / 64;
    double logic = fills[i].per_element.logic / 64;
    double issue = fills[i].per_element.all / 128, most;

    multiply += 2 * fills[i].per_element.wide / 64;
    most = multiply > logic ? multiply : logic;
    most = most > issue ? most : issue;
    if (most == 0) /* 256 operations a clock: see device_cuda.c */
        return 0;
    return b->dev->peak_flops[OSW_ARITHMETIC_F32] / 256 / most;
}

static double lower(double roof, double memory)
{
    return roof == 0 || roof > memory ? memory : roof;
}

#pragma weak fill_roof /* where there is no nvcc */

/* Below the line of a fill that took `done` bytes/s: what registers alone make.
 * Pipes: elements/s; 0: unknown.
 */
static void registers_line(struct bench *b, const struct subject *s,
                           double done, double pipes)
{
    struct osw_recipe recipe = osw_recipe_make(&s->got, &s->fill, 1, 0, 0);
    double rate = fill_roof ? fill_roof(&recipe.rule) : 0;
    double bytes = rate * (double)b->bytes / (double)s->n;

    if (rate < 0) {
        printf("  registers alone: an error of CUDA\n");
        exit(5);
    }
    if (rate == 0)
        return;
    printf("  registers alone %24.1f GB/s", bytes / 1e9);
    printf(pipes > 0 ? " %5.0f %%" : "        ", 100 * rate / pipes);
    printf("   %.1f billion elements/s; the fill is at %.0f %%\n", rate / 1e9,
           100 * done / lower(bytes, b->set));
}

static void fill_line(struct bench *b, size_t i)
{
    struct subject s = subject_of(b, fills[i].dtype);
    double pipes = pipes_roof(b, i), done;

    subject_bind(b, &s);
    s.fill = fills[i].fill;
    done = line(b, &s, fills[i].what, do_fill, (double)b->bytes,
                lower(pipes * (double)b->bytes / (double)s.n, b->set));
    registers_line(b, &s, done, pipes);
}

/* --- small ones: what a call costs --- */

static void latency(struct bench *b)
{
    struct subject s = subject_of(b, OSW_F32);
    double t[RUNS];

    s.shape[0] = 1024;
    subject_bind(b, &s);
    s.fill = normal;
    do_fill(b, &s);
    make_view(b, &s, false);
    seconds_of(b, &s, do_compare, t);
    printf("compare of 4 KiB           %.1f us\n", t[RUNS / 2] * 1e6);
    s.shape[0] = s.n;
    seconds_of(b, &s, do_passes, t);
    printf("passes, all of it          %.1f us\n", t[RUNS / 2] * 1e6);
    b->ops->set(b->dev, b->b.base, 0x5a, 4096);
    seconds_of(b, &s, do_passes, t);
    printf("passes, wrong at once      %.1f us\n", t[RUNS / 2] * 1e6);
    b->sink = 0;
}

/* --- the whole --- */

static const char *open_all(struct bench *b, struct osw_error *err)
{
    const struct osw_device_ops *ops = osw_device_find("cuda");
    struct osw_map *maps[] = {&b->a, &b->b, &b->want, &b->norm};
    size_t n = 0;

    if (!ops)
        return osw_device_missing("cuda");
    if (ops->count(&n, err) < 0)
        return err->text;
    if (n == 0)
        return "there is no GPU";
    b->ops = osw_judge_ops_find("cuda");
    if (!b->ops)
        return "the judge's plugin is not there";
    if (osw_device_open(ops, 0, &b->dev, err) < 0)
        return err->text;
    for (size_t i = 0; i < 4; i++)
        if (ops->map_private(b->dev, i < 2 ? b->bytes : 4 * b->bytes, maps[i],
                             err) < 0)
            return err->text;
    return NULL;
}

static void run(struct bench *b)
{
    static const enum osw_dtype_id floats[] = {OSW_F64, OSW_F32, OSW_F16,
                                               OSW_BF16};
    struct subject none = {.n = 0};
    double bytes = (double)b->bytes;

    b->ops->set(b->dev, b->a.base, 0x5a, b->bytes);
    b->copy = line(b, &none, "copy", do_copy, 2 * bytes, 0);
    b->set = line(b, &none, "set", do_set, bytes, 0);
    line(b, &none, "check", do_check, bytes, b->copy);
    line(b, &none, "differs", do_differs, 2 * bytes, b->copy);
    line(b, &none, "hash", do_hash, bytes, b->copy);
    for (size_t i = 0; i < 4; i++)
        compare_views(b, floats[i]);
    compare_views(b, OSW_I32);
    for (size_t i = 0; i < 4; i++)
        compare_exact(b, floats[i]);
    for (size_t i = 0; i < sizeof(fills) / sizeof(fills[0]); i++)
        fill_line(b, i);
    compare_strided(b);
    latency(b);
}

int main(int argc, char **argv)
{
    struct bench b = {.bytes = 1024};
    struct osw_error err = OSW_ERROR_INIT;
    const char *why;

    if (argc > 1)
        b.bytes = strtoul(argv[1], NULL, 10);
    if (b.bytes < 1 || b.bytes > 16384)
        return 2;
    b.bytes <<= 20;
    why = open_all(&b, &err);
    if (why) {
        printf("skipped: %s\n", why);
        return 77;
    }
    printf("%s, %llu MiB\n", b.dev->name, (unsigned long long)(b.bytes >> 20));
    run(&b);
    return 0;
}
