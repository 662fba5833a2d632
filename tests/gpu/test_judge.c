/* tests/gpu/test_judge.c - a GPU's row of judge_ops.h against the host's
 *
 * Every operation on a table of dtypes, fills, layouts, sizes and addresses:
 * bits, counts, offsets and maxima have to be the host's, sums nearly so and
 * the same in two runs.  Faults are put in and have to be found where they
 * are.  Without a GPU it says so and passes.
 *
 *     test_judge [SEED]
 *
 * takes 60 s
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/worker/judge_tensor.h"
#include "worker/judge/inputs/recipe.h"
#include "worker/judge/memory/judge_ops.h"

#define POOL_BYTES (UINT64_C(256) << 20)
#define MARGIN     ((size_t)64) /* bytes around what is written */

#define MEAN_SIZE 8.0 /* of what fills generate, at most */

enum { POISON = 0x5a, TENSOR = 3, REP = 2 };

static const struct osw_judge_ops *gpu;
static const struct osw_judge_ops *cpu = &osw_judge_cpu_ops;
static struct osw_device *dev;
static struct osw_map pool; /* of device memory; given out from `used` on */
static uint64_t used;
static uint64_t seed = 1;
static char where[512]; /* the row that is being looked at */

#define CHECK(what)                                                            \
    do {                                                                       \
        if (!(what)) {                                                         \
            print_error("%s:%d: %s: not so: %s\n", __FILE__, __LINE__, where,  \
                        #what);                                                \
            fail();                                                            \
        }                                                                      \
    } while (0)

static void gpu_is_well(void)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (gpu->sync(dev, &err) < 0)
        fail_msg("%s: %s", where, err.text);
}

/* --- random numbers --- */

static uint64_t drawn;

static uint32_t draw(uint32_t below)
{
    struct osw_philox p = osw_philox_element(seed, 99, 99, drawn++);

    return p.w[0] % below;
}

/* --- memory on both sides --- */

/* Device memory, `off` bytes after a multiple of 256. */
static void *on_device(uint64_t bytes, uint64_t off)
{
    uint64_t at = (used + 255) / 256 * 256 + off;

    if (at + bytes > pool.bytes)
        fail_msg("%s: the pool of device memory is too small", where);
    used = at + bytes;
    return (char *)pool.base + at;
}

static void *room(size_t bytes)
{
    void *p = malloc(bytes + 1);

    if (!p)
        abort();
    return p;
}

/* A tensor whose storage is there twice, with a margin on either side. */
struct twin {
    struct tensor t;
    void *mirror; /* the device's, of bytes and margins */
    struct osw_view view;
    size_t all; /* bytes with margins */
    void *host_all;
};

struct layout {
    const char *what;
    int32_t ndim;
    int64_t shape[4], strides[4];
    bool strided;
};

/* `off` elements from an aligned address. */
static void twin_make(struct twin *w, enum osw_dtype_id dtype,
                      const struct layout *l, size_t off)
{
    size_t bytes = osw_dtype_info((int)dtype)->bytes;

    memset(w, 0, sizeof(*w));
    tensor_make(&w->t, dtype, l->ndim, l->shape,
                l->strided ? l->strides : NULL);
    free(w->t.view.data);
    w->all = w->t.bytes + 2 * MARGIN;
    w->host_all = room(w->all);
    memset(w->host_all, POISON, w->all);
    w->t.view.data = (char *)w->host_all + MARGIN;
    w->mirror = on_device(w->all, off * bytes);
    w->view = w->t.view;
    w->view.data = (char *)w->mirror + MARGIN;
    w->view.desc = w->t.view.desc = &w->t.desc;
}

static void twin_free(struct twin *w)
{
    free(w->host_all);
}

static void twin_push(const struct twin *w)
{
    gpu->copy(dev, w->mirror, w->host_all, w->all);
}

/* Are both sides the same, margins too? */
static bool twin_is_same(const struct twin *w)
{
    void *back = room(w->all);
    bool same;

    gpu->copy(dev, back, w->mirror, w->all);
    same = memcmp(back, w->host_all, w->all) == 0;
    free(back);
    return same;
}

/* --- the table --- */

static const enum osw_dtype_id dtypes[] = {
    OSW_F64, OSW_F32, OSW_F16, OSW_BF16, OSW_I64,  OSW_I32, OSW_I16,
    OSW_I8,  OSW_U8,  OSW_B8,  OSW_C64,  OSW_C128, OSW_C32};

/* clang-format off */
static const struct layout layouts[] = {
    { "scalar",            0, { 0 },          { 0 },         false },
    { "empty",             2, { 0, 4 },       { 4, 1 },      true },
    { "1",                 1, { 1 },          { 1 },         false },
    { "2",                 1, { 2 },          { 1 },         false },
    { "7",                 1, { 7 },          { 1 },         false },
    { "16",                1, { 16 },         { 1 },         false },
    { "1001",              1, { 1001 },       { 1 },         false },
    { "4096",              1, { 4096 },       { 1 },         false },
    { "100003",            1, { 100003 },     { 1 },         false },
    { "matrix",            2, { 33, 65 },     { 65, 1 },     false },
    { "transposed",        2, { 70, 33 },     { 1, 70 },     true },
    { "permuted",          3, { 5, 7, 66 },   { 66, 330, 1 }, true },
    { "rows with gaps",    2, { 40, 65 },     { 71, 1 },     true },
    { "columns apart",     2, { 300, 3 },     { 10, 2 },     true },
    { "every third",       1, { 200 },        { 3 },         true },
    { "broadcast",         3, { 3, 4, 5 },    { 5, 0, 1 },   true },
    { "broadcast rows",    2, { 50, 64 },     { 0, 1 },      true },
    { "uniform",           2, { 50, 60 },     { 0, 0 },      true },
    { "windows",           2, { 10, 4 },      { 2, 1 },      true },
    { "interleaved",       2, { 4, 3 },       { 3, 2 },      true },
};

static const struct osw_fill fills[] = {
    { .kind = OSW_FILL_DEFAULT }, { .kind = OSW_FILL_NORMAL },
    { .kind = OSW_FILL_UNIFORM }, { .kind = OSW_FILL_POSITIVE },
    { .kind = OSW_FILL_SPECIAL }, { .kind = OSW_FILL_BOOL },
    { .kind = OSW_FILL_PERMUTATION },
    { .kind = OSW_FILL_SMALLINT, .a = 2 },
    { .kind = OSW_FILL_INT, .a = -1e5, .b = 1e5 },
    { .kind = OSW_FILL_INT, .a = -0x1p63, .b = 0x1p63 },
    { .kind = OSW_FILL_INT, .a = 0x1p24, .b = 0x1p25 },
    { .kind = OSW_FILL_INDEX, .a = 30522 },
    { .kind = OSW_FILL_INDEX, .a = 0x1p32 },
    { .kind = OSW_FILL_INDEX, .a = 0x1p40 },
    { .kind = OSW_FILL_CONSTANT, .a = -1.5 },
    { .kind = OSW_FILL_CONSTANT, .a = 0.1 },
    { .kind = OSW_FILL_CONSTANT, .a = -NAN },
    { .kind = OSW_FILL_CONSTANT, .a = INFINITY },
    { .kind = OSW_FILL_OFFSET, .a = 100 },
    { .kind = OSW_FILL_OFFSET, .a = 1e39 },
    { .kind = OSW_FILL_OFFSET, .a = -NAN },
    { .kind = OSW_FILL_WIDE }, { .kind = OSW_FILL_TIES },
    { .kind = OSW_FILL_UNIT },
    { .kind = OSW_FILL_ASCENDING, .a = -4.1, .b = 4.7 },
    { .kind = OSW_FILL_SHARES, .a = 1000 },
    { .kind = OSW_FILL_DISTINCT, .a = 1000, .b = 3 },
    { .kind = OSW_FILL_DISTINCT, .a = 0x1p25, .b = 1 },
    { .kind = OSW_FILL_DISTINCT, .a = 9000, .b = 2 },
};
/* clang-format on */

/* --- fills --- */

static void fill_both(enum osw_dtype_id dtype, const struct layout *l,
                      size_t fill, size_t off)
{
    struct twin w;

    used = 0;
    snprintf(where, sizeof(where), "%s, %s, fill %zu, %zu off, seed %llu",
             osw_dtype_info((int)dtype)->name, l->what, fill, off,
             (unsigned long long)seed);
    twin_make(&w, dtype, l, off);
    twin_push(&w);
    cpu->fill(dev, &w.t.view, &fills[fill], seed, TENSOR, REP);
    gpu->fill(dev, &w.view, &fills[fill], seed, TENSOR, REP);
    CHECK(twin_is_same(&w));
    twin_free(&w);
}

static void fills_have_the_hosts_bits(void **state)
{
    (void)state;
    for (size_t d = 0; d < N_ELEM(dtypes); d++)
        for (size_t l = 0; l < N_ELEM(layouts); l++)
            for (size_t f = 0; f < N_ELEM(fills); f++)
                for (size_t off = 0; off < 2; off++)
                    fill_both(dtypes[d], &layouts[l], f, off);
    gpu_is_well();
}

/* Rows so far apart that indices need more than 32 bits. */
static void fills_of_large_indices_have_the_hosts_bits(void **state)
{
    static const struct layout far = {
        "far rows", 2, {5000, INT64_C(1) << 31}, {1, 0}, true};

    (void)state;
    for (size_t d = 0; d < N_ELEM(dtypes); d++)
        for (size_t f = 0; f < N_ELEM(fills); f++)
            fill_both(dtypes[d], &far, f, 0);
    gpu_is_well();
}

/* --- copies --- */

static void copies_go_any_way(void **state)
{
    static const size_t sizes[] = {0, 1, 15, 4096, 100003, 1 << 24};

    (void)state;
    for (size_t i = 0; i < N_ELEM(sizes); i++) {
        size_t n = sizes[i];
        unsigned char *from = room(n), *to = room(n);
        void *a, *b;

        used = 0;
        a = on_device(n + 1, 1);
        b = on_device(n + 1, 0);
        snprintf(where, sizeof(where), "%zu bytes", n);
        for (size_t k = 0; k < n; k++)
            from[k] = (unsigned char)(k * 7 + k / 256);
        memset(to, 0, n);
        gpu->set(dev, b, 0xee, n + 1);
        gpu->copy(dev, a, from, n);
        gpu->copy(dev, b, a, n);
        gpu->copy(dev, to, b, n);
        CHECK(memcmp(from, to, n) == 0);
        gpu->copy(dev, to, (char *)b + n, 1);
        CHECK(to[0] == 0xee);
        free(from);
        free(to);
    }
    gpu_is_well();
}

/* --- bytes --- */

static const size_t byte_sizes[] = {0,  1,  2,  15,   16,   17,    31,
                                    33, 64, 70, 1000, 4099, 65536, 1000003};

static void check_finds(size_t n, size_t off, int64_t wrong)
{
    unsigned char *here = room(n), bad = 0x13;
    char *there;

    used = 0;
    there = on_device(n + 2, off);
    snprintf(where, sizeof(where), "%zu bytes, %zu off, wrong at %lld", n, off,
             (long long)wrong);
    gpu->set(dev, there, 0x13, n + 2); /* around it too */
    gpu->set(dev, there + 1, POISON, n);
    memset(here, POISON, n);
    if (wrong >= 0) {
        here[wrong] = bad;
        gpu->copy(dev, there + 1 + wrong, &bad, 1);
        if (wrong + 40 < (int64_t)n) /* and later ones */
            gpu->copy(dev, there + 1 + wrong + 40, &bad, 1);
    }
    CHECK(gpu->check(dev, there + 1, n, POISON) ==
          cpu->check(dev, here, n, POISON));
    free(here);
}

static void a_byte_that_is_not_poison_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(byte_sizes); i++)
        for (size_t off = 0; off < 16; off += off < 3 ? 1 : 6) {
            int64_t n = (int64_t)byte_sizes[i];

            check_finds(byte_sizes[i], off, -1);
            for (int k = 0; k < 6 && n > 0; k++)
                check_finds(byte_sizes[i], off, draw((uint32_t)n));
            if (n > 0) {
                check_finds(byte_sizes[i], off, 0);
                check_finds(byte_sizes[i], off, n - 1);
            }
        }
    gpu_is_well();
}

static void differs_finds(size_t n, size_t off_a, size_t off_b, int64_t wrong)
{
    unsigned char *here = room(n), other;
    char *a, *b;

    used = 0;
    a = on_device(n, off_a);
    b = on_device(n, off_b);
    snprintf(where, sizeof(where), "%zu bytes, %zu and %zu off, wrong at %lld",
             n, off_a, off_b, (long long)wrong);
    for (size_t i = 0; i < n; i++)
        here[i] = (unsigned char)draw(256);
    gpu->copy(dev, a, here, n);
    gpu->copy(dev, b, here, n);
    if (wrong >= 0) {
        other = here[wrong] ^ 0x80;
        gpu->copy(dev, (wrong % 2 ? a : b) + wrong, &other, 1);
    }
    CHECK(gpu->differs(dev, a, b, n) == wrong);
    free(here);
}

static void a_byte_that_differs_is_found(void **state)
{
    static const size_t offs[][2] = {{0, 0}, {1, 1}, {0, 1}, {7, 15}, {8, 8}};

    (void)state;
    for (size_t i = 0; i + 1 < N_ELEM(byte_sizes); i++)
        for (size_t k = 0; k < N_ELEM(offs); k++) {
            int64_t n = (int64_t)byte_sizes[i];

            differs_finds(byte_sizes[i], offs[k][0], offs[k][1], -1);
            if (n == 0)
                continue;
            differs_finds(byte_sizes[i], offs[k][0], offs[k][1], 0);
            differs_finds(byte_sizes[i], offs[k][0], offs[k][1], n - 1);
            differs_finds(byte_sizes[i], offs[k][0], offs[k][1],
                          draw((uint32_t)n));
        }
    gpu_is_well();
}

static void hashes_are_the_hosts(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(byte_sizes); i++)
        for (size_t off = 0; off < 17; off += off < 2 ? 1 : 3) {
            size_t n = byte_sizes[i];
            unsigned char *here = room(n);
            char *there, *to;

            used = 0;
            there = on_device(n, off);
            snprintf(where, sizeof(where), "%zu bytes, %zu off", n, off);
            for (size_t k = 0; k < n; k++)
                here[k] = (unsigned char)(k * 31 + (k >> 8) * 17 + off);
            gpu->copy(dev, there, here, n);
            for (uint64_t s = 0; s < 3; s++)
                CHECK(gpu->hash(dev, there, n, s * UINT64_C(0x9999999999)) ==
                      cpu->hash(dev, here, n, s * UINT64_C(0x9999999999)));
            to = on_device(n, 0);
            CHECK(gpu->copy_hash(dev, to, there, n, 1) ==
                  cpu->hash(dev, here, n, 1));
            CHECK(gpu->differs(dev, to, there, n) < 0);
            free(here);
        }
    gpu_is_well();
}

/* --- gaps --- */

static void gaps_with(struct twin *w, int64_t wrong)
{
    unsigned char *p = w->t.view.data;
    unsigned char was = 0;

    if (wrong >= 0) {
        was = p[wrong];
        p[wrong] ^= 0x21;
    }
    twin_push(w);
    CHECK(gpu->check_gaps(dev, &w->view, POISON) ==
          cpu->check_gaps(dev, &w->t.view, POISON));
    if (wrong >= 0)
        p[wrong] = was;
}

static void bytes_between_elements_are_checked(void **state)
{
    (void)state;
    for (size_t d = 0; d < N_ELEM(dtypes); d++)
        for (size_t l = 0; l < N_ELEM(layouts); l++) {
            struct twin w;

            used = 0;
            snprintf(where, sizeof(where), "%s, %s",
                     osw_dtype_info((int)dtypes[d])->name, layouts[l].what);
            twin_make(&w, dtypes[d], &layouts[l], 0);
            cpu->fill(dev, &w.t.view, &fills[0], seed, TENSOR, REP);
            gaps_with(&w, -1);
            for (int i = 0; i < 20 && w.t.bytes > 0; i++)
                gaps_with(&w, draw((uint32_t)w.t.bytes));
            twin_free(&w);
        }
    gpu_is_well();
}

/* --- comparisons --- */

static bool is_near(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    return a == b || fabs(a - b) <= 1e-12 * fabs(b);
}

static void same_errors(const struct osw_errors *got,
                        const struct osw_errors *want)
{
    CHECK(got->n_elem == want->n_elem);
    CHECK(got->n_bad == want->n_bad);
    CHECK(got->n_nan == want->n_nan);
    CHECK(got->first_bad == want->first_bad);
    CHECK(got->max_abs == want->max_abs);
    CHECK(got->max_rel == want->max_rel);
    CHECK(got->max_ulp == want->max_ulp);
    CHECK(got->n_norm == want->n_norm);
    CHECK(got->max_norm == want->max_norm);
    CHECK(is_near(got->sum_sq, want->sum_sq));
    CHECK(is_near(got->sum_norm_sq, want->sum_norm_sq));
    CHECK(is_near(got->sum_want_sq, want->sum_want_sq));
}

/* clang-format off */
static const struct osw_accept accepts[] = {
    { .exact = true },
    { .rtol = 1e-3, .atol = 1e-5 },
    { .rtol = 0.02 },
    { .rtol = 0.05 },
    { .atol = 1e300, .rtol = INFINITY },
    { .rtol = 1e-6, .ntol = 0.01 },
    { .rtol = 0.05, .atol = 2, .ntol = 1e-6 },
    { .atol = NAN },
    { .exact = true, .signed_zero = true },
    { .rtol = 1e-3, .atol = 1e-5, .signed_zero = true, .keep_tiny = true },
    { .rtol = 1e-3, .atol = 1e-5, .keep_tiny = true },
};

/* How outputs differ from what they should be. */
enum damage { NONE, CLOSE, GRADED, SPECIAL, FAR, TINY, N_DAMAGE };
static const char *const damages[] = { "equal", "close", "graded", "special",
                                       "far", "tiny" };
/* clang-format on */

static void copy_element(const struct tensor *to, int64_t i,
                         const struct tensor *from, int64_t k)
{
    memcpy(tensor_at(to, i), tensor_at(from, k),
           osw_view_elem_bytes(&to->view));
}

/* Some elements of t, which holds what `want` does. */
static void damage(struct tensor *t, const struct tensor *want,
                   const struct tensor *specials, enum damage how)
{
    int64_t n = osw_view_numel(&t->view);
    size_t bytes = osw_view_elem_bytes(&t->view);
    bool is_float =
        osw_dtype_info((int)t->desc.dtype)->class == OSW_CLASS_FLOAT;
    bool is_int = !is_float && t->desc.dtype < OSW_C64;

    for (int64_t i = 0; i < n; i++) {
        unsigned char *p = tensor_at(t, i);

        if (how == CLOSE && draw(2) && !is_int)
            p[bytes / (1 + draw(2)) % bytes] ^= 1; /* a last place, mostly */
        else if (how == GRADED && is_float)        /* from 0 to 1/32 */
            tensor_set(t, i, tensor_get(t, i) * (1 + draw(65) * 0x1p-11));
        else if (how == SPECIAL && draw(20) == 0)
            copy_element(t, i, specials, draw(4096));
        else if (how == CLOSE && t->desc.dtype == OSW_B8 && draw(8) == 0)
            *p = (unsigned char)draw(256);
        else if (how == TINY && is_float && draw(3) == 0) /* zeros, too */
            tensor_set(t, i, ((double)draw(9) - 4) * 0x1p-70);
        else if (how == TINY && is_float && draw(9) == 0)
            tensor_set(t, i, -0.0);
        else if (how == FAR && draw(30) == 0)
            copy_element(t, i, want, draw((uint32_t)n));
    }
}

struct comparison {
    struct twin got, want;
    double *exact, *norm; /* the host's; NULL: the view counts */
    struct osw_expected here, there;
};

static double *doubles_for(double *host, int64_t n, size_t off)
{
    double *there = (double *)on_device((uint64_t)n * 8 + 8, 8 * off);

    gpu->copy(dev, there, host, (uint64_t)n * 8);
    return there;
}

/* Unrounded values near those of `want`, and norms of any kind. */
static void make_exact(struct comparison *c, enum damage how, bool norms,
                       size_t off)
{
    static const double odd_wants[] = {NAN,    INFINITY, -INFINITY, 1e300,
                                       1e-310, 70000,    -3e38,     0.0};
    static const double odd_norms[] = {NAN,    INFINITY, 0,    -1,
                                       1e-305, 1e305,    1e20, 1e-20};
    int64_t n = osw_view_numel(&c->want.t.view);

    c->exact = room((size_t)n * 8);
    c->norm = room((size_t)n * 8);
    for (int64_t i = 0; i < n; i++) {
        double nudge = ((double)draw(2001) - 1000) * 1e-8;

        c->exact[i] = tensor_get(&c->want.t, i) * (1 + nudge);
        c->norm[i] = (double)draw(1000) * 0.01;
        if (how == SPECIAL && draw(25) == 0)
            c->exact[i] = odd_wants[draw(N_ELEM(odd_wants))];
        if (how == SPECIAL && draw(25) == 0)
            c->norm[i] = odd_norms[draw(N_ELEM(odd_norms))];
    }
    c->here.exact = c->exact;
    c->there.exact = doubles_for(c->exact, n, off);
    if (norms) {
        c->here.norm = c->norm;
        c->there.norm = doubles_for(c->norm, n, off);
    }
}

/* expected: 0 a view, 1 exact, 2 with norms. */
static void comparison_make(struct comparison *c, enum osw_dtype_id dtype,
                            const struct layout *l, bool want_like_it,
                            enum damage how, int expected, size_t off)
{
    struct layout plain = *l;
    struct tensor specials;

    memset(c, 0, sizeof(*c));
    plain.strided = false;
    twin_make(&c->got, dtype, l, off);
    twin_make(&c->want, dtype, want_like_it ? l : &plain, off);
    tensor_vector(&specials, dtype, 4096);
    cpu->fill(dev, &specials.view, &fills[4], seed, TENSOR + 1, REP);
    cpu->fill(dev, &c->want.t.view, &fills[1], seed, TENSOR, REP);
    for (int64_t i = 0; i < osw_view_numel(&c->got.t.view); i++)
        copy_element(&c->got.t, i, &c->want.t, i);
    damage(&c->got.t, &c->want.t, &specials, how);
    if (how == SPECIAL || how == TINY)
        damage(&c->want.t, &c->want.t, &specials, how);
    twin_push(&c->got);
    twin_push(&c->want);
    if (expected > 0)
        make_exact(c, how, expected == 2, off);
    c->here.view = c->want.t.view;
    c->there.view = c->want.view;
    tensor_free(&specials);
}

static void comparison_free(struct comparison *c)
{
    twin_free(&c->got);
    twin_free(&c->want);
    free(c->exact);
    free(c->norm);
}

static void compare_both(struct comparison *c, bool means)
{
    int64_t numel = osw_view_numel(&c->got.t.view);
    char row[256];

    snprintf(row, sizeof(row), "%.255s", where);
    for (size_t a = 0; a < N_ELEM(accepts); a++) {
        struct osw_errors here, there, again;

        snprintf(where, sizeof(where), "%s, accept %zu", row, a);
        cpu->compare(dev, &c->got.t.view, &c->here, &accepts[a], &here);
        gpu->compare(dev, &c->got.view, &c->there, &accepts[a], &there);
        gpu->compare(dev, &c->got.view, &c->there, &accepts[a], &again);
        same_errors(&there, &here);
        CHECK(memcmp(&there, &again, sizeof(there)) == 0);
        CHECK(gpu->passes(dev, &c->got.view, &c->there, &accepts[a]) ==
              (here.n_bad == 0));
    }
    if (means) /* sums of huge numbers are a matter of their order */
        CHECK(fabs(gpu->mean(dev, &c->there, numel) -
                   cpu->mean(dev, &c->here, numel)) <= 1e-12 * MEAN_SIZE);
}

static void comparisons_come_to_what_the_host_finds(void **state)
{
    struct comparison c;

    (void)state;
    for (size_t d = 0; d + 1 < N_ELEM(dtypes); d++) /* no op runs on c32 */
        for (size_t l = 0; l < N_ELEM(layouts); l++)
            for (int v = 0; v < 4 * N_DAMAGE; v++) {
                bool complex = dtypes[d] == OSW_C64 || dtypes[d] == OSW_C128;
                int how = v % N_DAMAGE, expected = v / N_DAMAGE % 4;
                bool alike = expected == 3;

                if (complex && (expected == 1 || expected == 2))
                    continue;
                used = 0;
                snprintf(where, sizeof(where), "%s, %s, %s, %s, seed %llu",
                         osw_dtype_info((int)dtypes[d])->name, layouts[l].what,
                         damages[how],
                         expected == 1   ? "exact"
                         : expected == 2 ? "exact with norms"
                         : alike         ? "view alike"
                                         : "view",
                         (unsigned long long)seed);
                comparison_make(&c, dtypes[d], &layouts[l], alike,
                                (enum damage)how, alike ? 0 : expected, l % 2);
                compare_both(&c, how != SPECIAL);
                comparison_free(&c);
            }
    gpu_is_well();
}

/* --- planted faults --- */

static const struct layout large = {"3000001", 1, {3000001}, {1}, false};

/* A single element among millions, at any place. */
static void plant(struct comparison *c, int64_t at)
{
    unsigned char flip = c->got.t.desc.dtype == OSW_B8 ? 1 : 0x41;
    size_t bytes = osw_view_elem_bytes(&c->got.t.view);
    char *there = (char *)c->got.view.data + at * (int64_t)bytes;
    unsigned char element[16], wrong[16];
    struct osw_errors e;

    memcpy(element, tensor_at(&c->got.t, at), bytes);
    memcpy(wrong, element, bytes);
    wrong[bytes - 1] ^= flip;
    snprintf(where, sizeof(where), "%s, planted at %lld",
             osw_dtype_info((int)c->got.t.desc.dtype)->name, (long long)at);
    gpu->copy(dev, there, wrong, bytes);
    gpu->compare(dev, &c->got.view, &c->there, &accepts[0], &e);
    CHECK(e.n_bad == 1);
    CHECK(e.first_bad == at);
    CHECK(!gpu->passes(dev, &c->got.view, &c->there, &accepts[0]));
    gpu->copy(dev, there, element, bytes);
    CHECK(gpu->passes(dev, &c->got.view, &c->there, &accepts[0]));
}

static void a_planted_fault_is_found_where_it_is(void **state)
{
    struct comparison c;

    (void)state;
    for (size_t d = 0; d + 1 < N_ELEM(dtypes); d++)
        for (int expected = 0; expected < 3; expected++) {
            int64_t n = large.shape[0];

            if (expected > 0 && dtypes[d] >= OSW_I64)
                continue; /* integers and complex numbers: views */
            used = 0;
            comparison_make(&c, dtypes[d], &large, false, NONE, expected, 0);
            if (expected > 0)
                for (int64_t i = 0; i < n; i++)
                    c.exact[i] = tensor_get(&c.want.t, i);
            if (expected > 0)
                gpu->copy(dev, (void *)(uintptr_t)c.there.exact, c.exact,
                          (uint64_t)n * 8);
            plant(&c, 0);
            plant(&c, n - 1);
            plant(&c, 1 << 20);
            plant(&c, (1 << 20) - 1);
            for (int i = 0; i < 5; i++)
                plant(&c, draw((uint32_t)n));
            comparison_free(&c);
        }
    gpu_is_well();
}

/* The views of weak.c: one element everywhere. */
static void a_uniform_view_is_compared_with_all(void **state)
{
    struct layout uniform = large;
    struct twin same, want;
    struct osw_expected there = {.exact = NULL};
    float one = 1;

    (void)state;
    uniform.strided = true;
    uniform.strides[0] = 0;
    used = 0;
    snprintf(where, sizeof(where), "uniform");
    twin_make(&same, OSW_F32, &uniform, 0);
    twin_make(&want, OSW_F32, &large, 0);
    gpu->set(dev, same.mirror, 0, same.all);
    gpu->set(dev, want.mirror, 0, want.all);
    there.view = want.view;
    CHECK(gpu->passes(dev, &same.view, &there, &accepts[0]));
    gpu->copy(dev, (float *)want.view.data + large.shape[0] - 1, &one, 4);
    CHECK(!gpu->passes(dev, &same.view, &there, &accepts[0]));
    twin_free(&same);
    twin_free(&want);
    gpu_is_well();
}

/* --- beyond 2^32 elements --- */

static void large_is(struct osw_device *d, const struct osw_map *map, int64_t n)
{
    const int64_t shape[] = {n}, strides[] = {1};
    const int64_t beyond = INT64_C(1) << 32;
    const int64_t at[] = {0,      beyond / 2,    beyond - 1,
                          beyond, beyond + 4097, n - 1};
    struct osw_tensor_desc desc = {
        .dtype = OSW_I8, .ndim = 1, .shape = shape, .strides = strides};
    struct osw_view got = {.data = map->base, .desc = &desc};
    struct osw_expected want = {
        .view = {.data = (char *)map->base + (n + 255) / 256 * 256,
                 .desc = &desc}};
    struct osw_recipe recipe =
        osw_recipe_make(&got, &fills[0], seed, TENSOR, REP);
    unsigned char byte, wrong;
    struct osw_errors e;

    gpu->fill(d, &got, &fills[0], seed, TENSOR, REP);
    gpu->copy(d, want.view.data, got.data, (uint64_t)n);
    CHECK(gpu->differs(d, got.data, want.view.data, (uint64_t)n) == -1);
    CHECK(gpu->hash(d, got.data, (uint64_t)n, 1) ==
          gpu->hash(d, want.view.data, (uint64_t)n, 1));
    for (size_t i = 0; i < N_ELEM(at); i++) {
        char *p = (char *)got.data + at[i];

        gpu->copy(d, &byte, p, 1);
        CHECK(byte == (osw_recipe_element(&recipe.rule, at[i]).part[0] & 255));
        wrong = byte ^ 1;
        gpu->copy(d, p, &wrong, 1);
        gpu->compare(d, &got, &want, &accepts[0], &e);
        CHECK(e.n_bad == 1 && e.first_bad == at[i]);
        CHECK(gpu->differs(d, got.data, want.view.data, (uint64_t)n) == at[i]);
        gpu->copy(d, p, &byte, 1);
    }
}

static void tensors_may_be_larger_than_32_bits(void **state)
{
    const int64_t n = (INT64_C(1) << 32) + 12345;
    struct osw_map map;

    (void)state;
    snprintf(where, sizeof(where), "%lld elements", (long long)n);
    if (dev->ops->map_private(dev, 2 * (uint64_t)n + 512, &map, NULL) < 0) {
        print_message("  no memory for %s\n", where);
        skip();
    }
    large_is(dev, &map, n);
    dev->ops->map_destroy(dev, &map);
    gpu_is_well();
}

/* --- failures; the GPU is of no use after it --- */

static void a_failure_is_told_and_stays(void **state)
{
    struct osw_error err = OSW_ERROR_INIT, later = OSW_ERROR_INIT;
    void *nowhere = (char *)pool.base + (UINT64_C(1) << 46);

    (void)state;
    snprintf(where, sizeof(where), "an address that is none");
    gpu_is_well();
    (void)gpu->check(dev, nowhere, 4096, POISON);
    CHECK(gpu->sync(dev, &err) < 0);
    CHECK(err.status == OSW_DEVICE);
    print_message("  %s\n", err.text);
    CHECK(gpu->check(dev, pool.base, 16, POISON) == -1);
    CHECK(gpu->sync(dev, &later) < 0);
    CHECK(strcmp(err.text, later.text) == 0);
}

/* --- the whole --- */

/* NULL, or why nothing can be tested here. */
static const char *open_device(struct osw_error *err)
{
    const struct osw_device_ops *ops = osw_device_find("cuda");
    size_t n = 0;

    if (!ops)
        return osw_device_missing("cuda");
    if (ops->count(&n, err) < 0)
        return err->text;
    if (n == 0)
        return "there is no GPU";
    if (osw_device_open(ops, 0, &dev, err) < 0)
        return err->text;
    gpu = osw_judge_ops_find("cuda");
    if (!gpu)
        return "the judge's plugin is not there";
    if (ops->map_private(dev, POOL_BYTES, &pool, err) < 0)
        return err->text;
    return NULL;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_go_any_way),
        cmocka_unit_test(fills_have_the_hosts_bits),
        cmocka_unit_test(fills_of_large_indices_have_the_hosts_bits),
        cmocka_unit_test(a_byte_that_is_not_poison_is_found),
        cmocka_unit_test(a_byte_that_differs_is_found),
        cmocka_unit_test(hashes_are_the_hosts),
        cmocka_unit_test(bytes_between_elements_are_checked),
        cmocka_unit_test(comparisons_come_to_what_the_host_finds),
        cmocka_unit_test(a_planted_fault_is_found_where_it_is),
        cmocka_unit_test(a_uniform_view_is_compared_with_all),
        cmocka_unit_test(tensors_may_be_larger_than_32_bits),
        cmocka_unit_test(a_failure_is_told_and_stays),
    };
    struct osw_error err = OSW_ERROR_INIT;
    const char *why = open_device(&err);

    if (why) {
        printf("skipped: %s\n", why);
        return 0;
    }
    if (argc > 1)
        seed = strtoull(argv[1], NULL, 10);
    printf("%s, seed %llu\n", dev->name, (unsigned long long)seed);
    return cmocka_run_group_tests_name("gpu/judge", tests, NULL, NULL);
}
