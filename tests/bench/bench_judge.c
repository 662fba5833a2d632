/* tests/bench/bench_judge.c - how fast the judge fills and looks at memory
 *
 * Bytes per second of one core.  memcpy: the bytes copied, counted once.
 * compare: the bytes read, got and want.  Everything else: the bytes of the
 * tensor.  Each line is the best of a few passes, by the thread's own CPU time,
 * and its percentage is of the best memcpy among passes taken in turn with it.
 *
 *     bench_judge [MiB of each buffer, default 32]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <opsweep/elements.h>

#include "worker/hash.h"
#include "worker/judge/compare/compare.h"
#include "worker/judge/compare/freivalds.h"
#include "worker/judge/compare/residual.h"
#include "worker/judge/inputs/fill.h"
#include "worker/judge/memory/guard.h"

enum { REPEATS = 5 };

struct bench {
    size_t bytes; /* of each buffer */
    unsigned char *a, *b;
    double *want;           /* [bytes / 2]: room for every dtype */
    volatile uint64_t sink; /* results go here, so that they are needed */
};

static struct osw_fill normal = {.kind = OSW_FILL_NORMAL};
static struct osw_fill index_fill = {.kind = OSW_FILL_INDEX, .a = 30522};
static struct osw_fill small = {.kind = OSW_FILL_SMALLINT, .a = 2};

/* A vector over the first buffer. */
struct subject {
    int64_t shape[1], strides[1];
    struct osw_tensor_desc desc;
    struct osw_view view;
    const struct osw_fill *fill;
};

static void make_subject(struct subject *s, struct bench *b,
                         enum osw_dtype_id dtype, const struct osw_fill *fill)
{
    s->shape[0] = (int64_t)(b->bytes / osw_dtype_info((int)dtype)->bytes);
    s->strides[0] = 1;
    s->desc = (struct osw_tensor_desc){
        .dtype = dtype, .ndim = 1, .shape = s->shape, .strides = s->strides};
    s->view = (struct osw_view){.data = b->a, .desc = &s->desc};
    s->fill = fill;
}

static void do_memcpy(struct bench *b, struct subject *s)
{
    (void)s;
    memcpy(b->b, b->a, b->bytes);
    b->sink += b->b[b->bytes / 2];
}

static void do_fill(struct bench *b, struct subject *s)
{
    osw_fill_tensor(&s->view, s->fill, 1, 0, 0);
    b->sink += b->a[b->bytes / 2];
}

static void do_fill_differs(struct bench *b, struct subject *s)
{
    b->sink += (uint64_t)osw_fill_differs(&s->view, s->fill, 1, 0, 0);
}

static void do_compare(struct bench *b, struct subject *s)
{
    const struct osw_dtype_info *info = osw_dtype_info((int)s->desc.dtype);
    struct osw_expected want = {.exact = b->want};
    struct osw_accept accept = {.rtol = info->rtol, .atol = info->atol};
    struct osw_errors errors;

    osw_compare(&s->view, &want, &accept, &errors);
    b->sink += (uint64_t)errors.n_bad;
}

static void do_guard_fill(struct bench *b, struct subject *s)
{
    (void)s;
    osw_guard_fill(b->b, b->bytes, 0x5A);
}

static void do_guard_check(struct bench *b, struct subject *s)
{
    (void)s;
    b->sink += (uint64_t)osw_guard_check(b->b, b->bytes, 0x5A);
}

static void do_hash(struct bench *b, struct subject *s)
{
    (void)s;
    b->sink += osw_hash_bytes(b->a, b->bytes, 1);
}

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds_of(struct bench *b, struct subject *s,
                         void (*pass)(struct bench *, struct subject *))
{
    double start = cpu_seconds();

    pass(b, s);
    return cpu_seconds() - start;
}

static void line(struct bench *b, const char *what, enum osw_dtype_id dtype,
                 const struct osw_fill *fill,
                 void (*pass)(struct bench *, struct subject *),
                 double bytes_per_byte)
{
    double best = INFINITY, copy = INFINITY;
    struct subject s;

    make_subject(&s, b, dtype, fill);
    for (int r = 0; r < REPEATS; r++) {
        best = fmin(best, seconds_of(b, &s, pass));
        if (pass != do_guard_check) /* it looks at what memcpy overwrites */
            copy = fmin(copy, seconds_of(b, &s, do_memcpy));
    }
    if (pass == do_guard_check)
        copy = seconds_of(b, &s, do_memcpy);
    printf("%-14s %-5s %8.2f GB/s %6.0f %%\n", what,
           pass == do_memcpy ? "" : osw_dtype_info((int)dtype)->name,
           bytes_per_byte * (double)b->bytes / best / 1e9,
           100 * bytes_per_byte * copy / best);
}

/* What `fill check` finds unchanged. */
static void make_f32(struct bench *b)
{
    struct subject s;

    make_subject(&s, b, OSW_F32, &normal);
    do_fill(b, &s);
}

static void compare_line(struct bench *b, enum osw_dtype_id dtype)
{
    size_t bytes = osw_dtype_info((int)dtype)->bytes;
    struct subject s;

    make_subject(&s, b, dtype, &normal);
    osw_fill_tensor(&s.view, &normal, 1, 0, 0);
    osw_view_load(dtype, b->a, 1, s.shape[0], b->want);
    line(b, "compare", dtype, &normal, do_compare,
         1 + (double)sizeof(double) / (double)bytes);
}

/* --- a matrix product --- */

static struct osw_tensor_desc matrix_of(enum osw_dtype_id dtype,
                                        int64_t shape[2], int64_t strides[2])
{
    strides[0] = shape[1];
    strides[1] = 1;
    return (struct osw_tensor_desc){
        .dtype = dtype, .ndim = 2, .shape = shape, .strides = strides};
}

/* Of the same product: what its values are takes no time. */
static void residual_line(const struct osw_matmul *p)
{
    const struct osw_op op = {.name = "mm"};
    const struct osw_tolerance_job allowed = {
        .op = &op,
        .dtype = osw_dtype_info((int)p->c->desc->dtype),
        .centred = true,
        .repeats = 1};
    struct osw_residual r;
    double best = INFINITY;

    for (int i = 0; i < REPEATS; i++) {
        double start = cpu_seconds();

        if (osw_residual_check(p, &allowed, &r, NULL) < 0)
            abort();
        best = fmin(best, cpu_seconds() - start);
    }
    printf("residuals of the next one: %.1f ms, %s\n", best * 1e3,
           r.n_bad == 0 ? "right" : "NOT RIGHT");
}

/* C is left full of zeros, of which the first row is computed and refused:
 * so bring a C that is right, from A of zeros but for its first column.
 */
static void freivalds_line(enum osw_dtype_id dtype, int64_t m, int64_t k,
                           int64_t n)
{
    size_t bytes = osw_dtype_info((int)dtype)->bytes;
    int64_t shape_a[2] = {m, k}, shape_b[2] = {k, n}, shape_c[2] = {m, n};
    int64_t strides_a[2], strides_b[2], strides_c[2];
    struct osw_tensor_desc da = matrix_of(dtype, shape_a, strides_a);
    struct osw_tensor_desc db = matrix_of(dtype, shape_b, strides_b);
    struct osw_tensor_desc dc = matrix_of(dtype, shape_c, strides_c);
    struct osw_view va = {calloc((size_t)(m * k), bytes), &da};
    struct osw_view vb = {calloc((size_t)(k * n), bytes), &db};
    struct osw_view vc = {calloc((size_t)(m * n), bytes), &dc};
    struct osw_matmul p = {.c = &vc, .a = &va, .b = &vb, .seed = 7};
    struct osw_freivalds f = {.answer = OSW_FREIVALDS_NOT_APPLICABLE};
    double best = INFINITY;

    if (!va.data || !vb.data || !vc.data)
        abort();
    osw_fill_tensor(&vb, &small, 1, 0, 0);
    for (int64_t i = 0; i < m; i++) { /* row i of A picks row i % k of B */
        osw_store(osw_dtype_info((int)dtype)->dl,
                  (char *)va.data + (i * k + i % k) * (int64_t)bytes, 1);
        memcpy((char *)vc.data + i * n * (int64_t)bytes,
               (char *)vb.data + i % k * n * (int64_t)bytes, (size_t)n * bytes);
    }
    for (int r = 0; r < REPEATS; r++) {
        double start = cpu_seconds();

        if (osw_freivalds_check(&p, &f, NULL) < 0)
            abort();
        best = fmin(best, cpu_seconds() - start);
    }
    residual_line(&p);
    printf("freivalds %-4s [%lld, %lld] @ [%lld, %lld]: %.1f ms, %s, "
           "%d vectors, miss %.1e\n",
           osw_dtype_info((int)dtype)->name, (long long)m, (long long)k,
           (long long)k, (long long)n, best * 1e3,
           f.answer == OSW_FREIVALDS_RIGHT ? "right" : "NOT RIGHT", f.n_vectors,
           f.miss);
    free(va.data);
    free(vb.data);
    free(vc.data);
}

int main(int argc, char **argv)
{
    static const enum osw_dtype_id floats[] = {OSW_F64, OSW_F32, OSW_F16,
                                               OSW_BF16};
    struct bench b = {.bytes = 32};

    if (argc > 1)
        b.bytes = strtoul(argv[1], NULL, 10);
    if (b.bytes < 1 || b.bytes > 4096)
        return 2;
    b.bytes <<= 20;
    b.a = malloc(b.bytes);
    b.b = malloc(b.bytes);
    b.want = malloc(b.bytes / 2 * sizeof(double));
    if (!b.a || !b.b || !b.want)
        return 5;
    memset(b.a, 1, b.bytes);
    memset(b.b, 1, b.bytes);
    line(&b, "memcpy", OSW_F32, &normal, do_memcpy, 1);
    for (size_t i = 0; i < 4; i++)
        line(&b, "fill normal", floats[i], &normal, do_fill, 1);
    line(&b, "fill smallint", OSW_F16, &small, do_fill, 1);
    line(&b, "fill index", OSW_I64, &index_fill, do_fill, 1);
    make_f32(&b);
    line(&b, "fill check", OSW_F32, &normal, do_fill_differs, 1);
    for (size_t i = 0; i < 4; i++)
        compare_line(&b, floats[i]);
    line(&b, "hash", OSW_U8, &normal, do_hash, 1);
    line(&b, "guard fill", OSW_U8, &normal, do_guard_fill, 1);
    osw_guard_fill(b.b, b.bytes, 0x5A);
    line(&b, "guard check", OSW_U8, &normal, do_guard_check, 1);
    freivalds_line(OSW_F16, 8192, 768, 768);
    freivalds_line(OSW_F16, 8192, 768, 3072);
    freivalds_line(OSW_F32, 2048, 768, 30522);
    free(b.a);
    free(b.b);
    free(b.want);
    return b.sink == 0x5eed; /* never: but it has to be known */
}
