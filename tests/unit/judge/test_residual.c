/* tests/unit/judge/test_residual.c - is C near plus + A @ B?
 *
 * optimised, too: its loops are vectors then
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include <opsweep/elements.h>

#include "tests/unit/chaos.h"
#include "tests/unit/worker/judge_tensor.h"
#include "worker/judge/compare/residual.h"
#include "worker/judge/inputs/fill.h"

enum { BATCHES = 2, M = 96, K = 64, N = 80 };

/* A product of two batches, and what is added to each row; b is transposed in
 * memory.
 */
struct made {
    struct tensor a, b, c, plus;
    double of_a[BATCHES * M * K], of_b[BATCHES * K * N], of_plus[N];
    struct osw_matmul job;
    struct osw_op op;
    struct osw_tolerance_job allowed;
};

static double a_at(const struct made *m, int64_t batch, int64_t i, int64_t k)
{
    return m->of_a[(batch * M + i) * K + k];
}

static double b_at(const struct made *m, int64_t batch, int64_t k, int64_t j)
{
    return m->of_b[(batch * K + k) * N + j];
}

static double exact(const struct made *m, int64_t batch, int64_t i, int64_t j)
{
    double sum = m->of_plus[j];

    for (int64_t k = 0; k < K; k++)
        sum += a_at(m, batch, i, k) * b_at(m, batch, k, j);
    return sum;
}

/* The norm of an element's terms. */
static double norm(const struct made *m, int64_t batch, int64_t i, int64_t j)
{
    double sum = pow(m->of_plus[j], 2);

    for (int64_t k = 0; k < K; k++)
        sum += pow(a_at(m, batch, i, k) * b_at(m, batch, k, j), 2);
    return sqrt(sum);
}

/* What an implementation does with a factor's element before it multiplies. */
static double as_it_is(double v)
{
    return v;
}

static double as_tf32(double v)
{
    return (double)osw_f32_from_bits((osw_f32_bits((float)v) + 0x1000) &
                                     0xffffe000u);
}

static double as_bf16(double v)
{
    return (double)osw_bf16_to_f32(osw_f32_to_bf16((float)v));
}

static double as_two_bf16(double v)
{
    return as_bf16(v) + as_bf16(v - as_bf16(v));
}

/* Fills c with sums in float. */
static void multiply(struct made *m, double (*a)(double), double (*b)(double))
{
    for (int64_t at = 0; at < BATCHES * M * N; at++) {
        int64_t batch = at / (M * N), i = at / N % M, j = at % N;
        float sum = (float)m->of_plus[j];

        for (int64_t k = 0; k < K; k++)
            sum +=
                (float)a(a_at(m, batch, i, k)) * (float)b(b_at(m, batch, k, j));
        tensor_set(&m->c, at, (double)sum);
    }
}

/* What multiplies right. */
static void round_once(struct made *m)
{
    for (int64_t at = 0; at < BATCHES * M * N; at++)
        tensor_set(&m->c, at, exact(m, at / (M * N), at / N % M, at % N));
}

static void read_all(const struct tensor *t, int64_t n, double *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = tensor_get(t, i);
}

static void make(struct made *m, enum osw_dtype_id dtype, uint64_t seed)
{
    const int64_t a[] = {BATCHES, M, K}, b[] = {BATCHES, K, N};
    const int64_t c[] = {BATCHES, M, N}, plus[] = {N};
    const int64_t strides_b[] = {K * N, 1, K};
    const struct osw_fill fill = {.kind = OSW_FILL_NORMAL};

    memset(m, 0, sizeof(*m));
    tensor_make(&m->a, dtype, 3, a, NULL);
    tensor_make(&m->b, dtype, 3, b, strides_b);
    tensor_make(&m->c, dtype, 3, c, NULL);
    tensor_make(&m->plus, dtype, 1, plus, NULL);
    osw_fill_tensor(&m->a.view, &fill, seed, 0, 0);
    osw_fill_tensor(&m->b.view, &fill, seed, 1, 0);
    osw_fill_tensor(&m->plus.view, &fill, seed, 2, 0);
    read_all(&m->a, N_ELEM(m->of_a), m->of_a);
    read_all(&m->b, N_ELEM(m->of_b), m->of_b);
    read_all(&m->plus, N, m->of_plus);
    m->job = (struct osw_matmul){.c = &m->c.view,
                                 .a = &m->a.view,
                                 .b = &m->b.view,
                                 .plus = &m->plus.view,
                                 .seed = seed + 1000};
    m->allowed = (struct osw_tolerance_job){.op = &m->op,
                                            .dtype = osw_dtype_info(dtype),
                                            .centred = true,
                                            .short_inputs = dtype == OSW_F16 ||
                                                            dtype == OSW_BF16,
                                            .terms = 1,
                                            .repeats = 1,
                                            .trial = OSW_TRIAL_REDRAW};
}

static void drop(struct made *m)
{
    tensor_free(&m->a);
    tensor_free(&m->b);
    tensor_free(&m->c);
    tensor_free(&m->plus);
}

static struct osw_residual check(const struct made *m)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_residual out;

    assert_int_equal(osw_residual_check(&m->job, &m->allowed, &out, &err), 0);
    assert_string_equal(out.why, "");
    assert_int_equal(out.n_rows, BATCHES * (M + N));
    return out;
}

static bool is_right(const struct osw_residual *r)
{
    return r->n_bad == 0 && !osw_residual_is_coarse(r);
}

static void honest_products_of_all_dtypes_are_right(void **state)
{
    static const enum osw_dtype_id dtypes[] = {OSW_F64, OSW_F32, OSW_F16,
                                               OSW_BF16};

    (void)state;
    for (size_t d = 0; d < N_ELEM(dtypes); d++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            struct osw_residual r;
            struct made m;

            print_message("  %s\n", osw_dtype_info((int)dtypes[d])->name);
            make(&m, dtypes[d], seed);
            round_once(&m);
            r = check(&m);
            assert_true(is_right(&r));
            if (dtypes[d] != OSW_F64) { /* sums in float */
                multiply(&m, as_it_is, as_it_is);
                r = check(&m);
                assert_true(is_right(&r));
                assert_true(r.of_allowed > 0.05 && r.of_allowed < 0.8);
            }
            drop(&m);
        }
}

static void coarse_arithmetic_is_seen_everywhere(void **state)
{
    static const struct {
        const char *what;
        double (*a)(double), (*b)(double);
    } ways[] = {
        {"TF32", as_tf32, as_tf32},
        {"TF32 of one factor", as_it_is, as_tf32},
        {"bfloat16", as_bf16, as_bf16},
        {"two of three terms of bfloat16", as_two_bf16, as_bf16},
        {"two parts of bfloat16", as_two_bf16, as_two_bf16},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(ways); i++) {
        struct osw_residual r;
        struct made m;

        print_message("  %s\n", ways[i].what);
        make(&m, OSW_F32, 7);
        multiply(&m, ways[i].a, ways[i].b);
        r = check(&m);
        assert_true(osw_residual_is_coarse(&r));
        assert_true(r.everywhere);
        assert_true(r.rms > r.allowed);
        drop(&m);
    }
}

/* The estimated rms of error over norm is that of all elements. */
static void the_rms_is_that_of_a_full_comparison(void **state)
{
    struct osw_residual r;
    double sum_sq = 0;
    struct made m;

    (void)state;
    make(&m, OSW_F32, 7);
    multiply(&m, as_tf32, as_tf32);
    for (int64_t at = 0; at < BATCHES * M * N; at++) {
        int64_t batch = at / (M * N), i = at / N % M, j = at % N;

        sum_sq += pow((tensor_get(&m.c, at) - exact(&m, batch, i, j)) /
                          norm(&m, batch, i, j),
                      2);
    }
    r = check(&m);
    assert_true(fabs(r.rms / sqrt(sum_sq / (BATCHES * M * N)) - 1) < 0.15);
    drop(&m);
}

static void one_wrong_element_is_found_wherever_it_is(void **state)
{
    static const int64_t places[] = {
        0, 79, 80, 5000, M * N - 1, M * N, BATCHES * M * N - 1};
    struct made m;

    (void)state;
    make(&m, OSW_F32, 3);
    for (size_t p = 0; p < N_ELEM(places); p++) {
        int64_t at = places[p];
        double s = norm(&m, at / (M * N), at / N % M, at % N);
        double off = 26 * 0x1p-24 * sqrt((K + 1) * N) * s;
        struct osw_residual r;

        multiply(&m, as_it_is, as_it_is);
        tensor_set(&m.c, at, tensor_get(&m.c, at) + off);
        r = check(&m);
        assert_true(r.n_bad >= 1);
        assert_false(r.everywhere);
        assert_int_equal(r.bad_index, at);
        assert_true(r.got == tensor_get(&m.c, at));
        assert_true(fabs(r.expected + off - r.got) < off / 2);
    }
    drop(&m);
}

static void one_wrong_column_is_found(void **state)
{
    struct osw_residual r;
    struct made m;

    (void)state;
    make(&m, OSW_F32, 4);
    multiply(&m, as_it_is, as_it_is);
    for (int64_t i = 0; i < M; i++)
        tensor_set(&m.c, i * N + 5, tensor_get(&m.c, i * N + 5) * 1.001);
    r = check(&m);
    assert_true(r.n_bad >= 1);
    assert_false(r.everywhere);
    assert_int_equal(r.bad_index % N, 5);
    drop(&m);
}

static void what_is_not_finite_is_bad(void **state)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY};

    (void)state;
    for (size_t i = 0; i < N_ELEM(odd); i++) {
        struct osw_residual r;
        struct made m;

        make(&m, OSW_F32, 4);
        multiply(&m, as_it_is, as_it_is);
        tensor_set(&m.c, 777, odd[i]);
        r = check(&m);
        assert_true(r.n_bad >= 1);
        assert_false(r.everywhere);
        assert_int_equal(r.bad_index, 777);
        assert_true(isnan(odd[i]) ? isnan(r.got) : r.got == odd[i]);
        drop(&m);
    }
}

/* Coarse arithmetic that op.json allows is right, and what is worse is not. */
static void a_named_tolerance_is_allowed(void **state)
{
    static const struct {
        double rtol, atol;
        bool right;
    } rows[] = {{NAN, NAN, false}, {0, 0, false},  {0.016, 0.3, true},
                {0, 0.3, true},    {0.1, 0, true}, {1e-6, 1e-5, false}};
    struct osw_residual r;
    struct made m;

    (void)state;
    make(&m, OSW_F32, 7);
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        m.op.tolerance[OSW_F32] =
            (struct osw_tolerance){rows[i].rtol, rows[i].atol};
        multiply(&m, as_bf16, as_bf16);
        r = check(&m);
        assert_true(is_right(&r) == rows[i].right);
        tensor_set(&m.c, 777, tensor_get(&m.c, 777) + 1000);
        r = check(&m);
        assert_false(is_right(&r));
        if (rows[i].right)
            assert_int_equal(r.bad_index, 777);
    }
    drop(&m);
}

/* Errors everywhere that no rounding has: another formula. */
static void large_errors_everywhere_are_no_matter_of_precision(void **state)
{
    struct osw_residual r;
    struct made m;

    (void)state;
    make(&m, OSW_F32, 4);
    multiply(&m, as_it_is, as_it_is);
    for (int64_t at = 0; at < BATCHES * M * N; at++)
        tensor_set(&m.c, at, tensor_get(&m.c, at) * 1.5);
    r = check(&m);
    assert_true(r.n_bad == r.n_rows);
    assert_false(r.everywhere);
    drop(&m);
}

static void what_is_no_product_is_not_judged(void **state)
{
    const int64_t c[] = {3, 4};
    struct osw_residual r;
    struct tensor other;
    struct made m;

    (void)state;
    make(&m, OSW_F32, 4);
    tensor_make(&other, OSW_F32, 2, c, NULL);
    m.job.c = &other.view;
    assert_int_equal(osw_residual_check(&m.job, &m.allowed, &r, NULL), 0);
    assert_string_equal(r.why, "shapes or dtypes are no matrix product's");
    tensor_free(&other);
    drop(&m);
}

static void no_memory_is_an_error(void **state)
{
    struct made m;
    bool struck = true;

    (void)state;
    make(&m, OSW_F32, 4);
    for (int n = 0; struck; n++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_residual r;
        int rc;

        chaos_arm(n);
        rc = osw_residual_check(&m.job, &m.allowed, &r, &err);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
        assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
    }
    drop(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_products_of_all_dtypes_are_right),
        cmocka_unit_test(coarse_arithmetic_is_seen_everywhere),
        cmocka_unit_test(the_rms_is_that_of_a_full_comparison),
        cmocka_unit_test(one_wrong_element_is_found_wherever_it_is),
        cmocka_unit_test(one_wrong_column_is_found),
        cmocka_unit_test(what_is_not_finite_is_bad),
        cmocka_unit_test(a_named_tolerance_is_allowed),
        cmocka_unit_test(large_errors_everywhere_are_no_matter_of_precision),
        cmocka_unit_test(what_is_no_product_is_not_judged),
        cmocka_unit_test(no_memory_is_an_error),
    };

    return cmocka_run_group_tests_name("judge/residual", tests, NULL, NULL);
}
