/* tests/unit/worker/test_tolerance.c - which errors an output may have */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "worker/judge/compare/tolerance.h"

static struct osw_op op; /* no tolerance of its own */

static struct osw_tolerance_job job_of(enum osw_dtype_id dtype, double terms)
{
    return (struct osw_tolerance_job){.op = &op,
                                      .dtype = osw_dtype_info((int)dtype),
                                      .norms = true,
                                      .centred = true,
                                      .terms = terms,
                                      .repeats = 1,
                                      .trial = -1};
}

/* Errors over norm as they come out of honest and of worse arithmetic on 4096
 * dot products of K terms, inputs of mean 0.
 */
static void classes_lie_between_honest_and_worse_arithmetic(void **state)
{
    static const struct {
        double terms, honest, worse; /* rms of error over norm */
    } f32[] = {
        {64, 1.4e-7, 2.9e-4}, /* in order; inputs cut to TF32 */
        {512, 4.0e-7, 2.9e-4},
        {4096, 1.2e-6, 2.9e-4},
        {16384, 2.3e-6, 3.0e-4},
    };
    struct osw_errors e = {.n_norm = 4096, .sum_want_sq = 4096};

    (void)state;
    for (size_t i = 0; i < sizeof(f32) / sizeof(f32[0]); i++) {
        struct osw_tolerance_job job = job_of(OSW_F32, f32[i].terms);
        double limit = osw_tolerance_class(&job, &e);

        assert_true(f32[i].honest < limit);
        assert_true(f32[i].worse > 10 * limit);
    }
}

/* A sum in order over 31 random numbers, 67 times each in a row: 21 times what
 * 2077 different ones explain (rms of 300).  No sum has more equal terms than
 * terms.
 */
static void equal_terms_in_a_row_add_up(void **state)
{
    struct osw_errors e = {.n_norm = 4096, .sum_want_sq = 4096};
    struct osw_tolerance_job job = job_of(OSW_F32, 2077), few;
    double limit = osw_tolerance_class(&job, &e);
    struct osw_tolerance_rounding one = osw_tolerance_rounding(&job, 24), more;

    (void)state;
    job.equal = 67;
    assert_in_range(100 * osw_tolerance_class(&job, &e) / limit, 6690, 6710);
    more = osw_tolerance_rounding(&job, 24);
    assert_true(osw_tolerance_sensitive(&more, 1, 1, 1, 5).usual >
                60 * osw_tolerance_sensitive(&one, 1, 1, 1, 5).usual);
    /* The errors of 25 groups cannot be as far off as those of many. */
    assert_true(osw_tolerance_sensitive(&more, 1, 1, 1, 5).most >
                15 * osw_tolerance_sensitive(&one, 1, 1, 1, 5).most);
    assert_true(osw_tolerance_sensitive(&more, 1, 1, 1, 5).most <
                25 * osw_tolerance_sensitive(&one, 1, 1, 1, 5).most);
    job.equal = 2077;
    assert_true(osw_tolerance_accept(&job).ntol <
                2.1 * 2077 * sqrt(2077) * 0x1p-24);
    few = job_of(OSW_F32, 1);
    limit = osw_tolerance_class(&few, &e);
    few.equal = 67;
    assert_true(osw_tolerance_class(&few, &e) == limit);
}

static void
rounding_of_a_short_output_is_allowed_and_cutting_is_not(void **state)
{
    struct osw_tolerance_job job = job_of(OSW_BF16, 512);
    struct osw_errors e = {.n_norm = 4096, .sum_want_sq = 4096};
    double limit;

    (void)state;
    job.short_inputs = true;
    limit = osw_tolerance_class(&job, &e);
    assert_true(0.42 * 0x1p-8 < limit);
    assert_true(0.84 * 0x1p-8 > limit);
}

/* With few errors their rms says less. */
static void few_elements_get_more_room(void **state)
{
    struct osw_tolerance_job job = job_of(OSW_F32, 512);
    struct osw_errors one = {.n_norm = 1, .sum_want_sq = 1};
    struct osw_errors many = {.n_norm = 10000, .sum_want_sq = 10000};

    (void)state;
    assert_true(osw_tolerance_class(&job, &one) >
                3 * osw_tolerance_class(&job, &many));
}

/* All elements of a product of expanded factors are one: its error may be the
 * largest there is.
 */
static void elements_that_inputs_repeat_count_once(void **state)
{
    struct osw_tolerance_job job = job_of(OSW_F16, 67);
    struct osw_errors e = {.n_norm = 1517, .sum_want_sq = 1517};

    (void)state;
    job.short_inputs = true;
    assert_true(osw_tolerance_class(&job, &e) < 0x1p-11);
    job.repeats = 37.0 * 41;
    assert_true(osw_tolerance_class(&job, &e) > 0x1p-11);
    job.repeats *= 1000; /* fewer than one there cannot be */
    assert_true(osw_tolerance_class(&job, &e) < 4 * 0x1p-11);
}

/* Sums of n terms of one sign: v n s is what the usual one is off by; less,
 * where the result is no larger than the norm.
 */
static void a_mean_allows_what_sums_of_one_sign_need(void **state)
{
    struct osw_tolerance_job job = job_of(OSW_F32, 1e6);
    struct osw_errors one_sign = {.n_norm = 1, .sum_want_sq = 1e6},
                      any = {.n_norm = 1000000, .sum_want_sq = 1e6};
    struct osw_accept a;

    (void)state;
    job.centred = false;
    a = osw_tolerance_accept(&job);
    assert_true(a.rtol * 1e3 + a.ntol > 1e6 * 0x1p-24);
    assert_true(a.rtol * 1e3 + a.ntol < 5e6 * 0x1p-24);
    assert_true(osw_tolerance_class(&job, &one_sign) > 1e6 * 0x1p-24);
    assert_true(osw_tolerance_class(&job, &any) < 2e3 * 0x1p-24);
    job.equal = 1e6; /* a constant: additions in a row err alike */
    assert_true(osw_tolerance_accept(&job).ntol > 1e8 * 0x1p-24);
}

static void the_class_rule_needs_norms(void **state)
{
    struct osw_errors e = {.n_norm = 10, .sum_want_sq = 10};
    struct osw_tolerance_job job = job_of(OSW_F32, 64);

    (void)state;
    assert_true(osw_tolerance_class(&job, &e) > 0);
    job = job_of(OSW_F32, 64);
    job.norms = false;
    assert_true(osw_tolerance_class(&job, &e) == 0);
    job = job_of(OSW_I32, 64);
    assert_true(osw_tolerance_class(&job, &e) == 0);
    e.n_norm = 0;
    job = job_of(OSW_F32, 64);
    assert_true(osw_tolerance_class(&job, &e) == 0);
    assert_true(osw_tolerance_rms(&e) == 0);
}

static void elements_are_accepted_by_what_is_known(void **state)
{
    struct osw_tolerance_job job = job_of(OSW_F32, 4096);
    struct osw_accept centred, shifted, integers, plain;

    (void)state;
    centred = osw_tolerance_accept(&job);
    assert_true(centred.atol == 0 && centred.ntol > 0 && !centred.exact);
    job.centred = false;
    shifted = osw_tolerance_accept(&job);
    assert_true(shifted.rtol > centred.rtol && shifted.ntol == centred.ntol);
    job.trial = OSW_TRIAL_INTEGERS;
    integers = osw_tolerance_accept(&job);
    assert_true(integers.ntol < 0x1p-20 && integers.atol < 0x1p-20);
    job.norms = false;
    job.trial = -1;
    plain = osw_tolerance_accept(&job);
    assert_true(!plain.keep_tiny && !plain.signed_zero);
    job.special = job.signed_zero = true;
    assert_true(osw_tolerance_accept(&job).keep_tiny);
    assert_true(osw_tolerance_accept(&job).signed_zero);
    job.special = job.signed_zero = false;
    assert_true(plain.ntol == 0 && plain.atol > 0);
    job = job_of(OSW_I64, 1);
    assert_true(osw_tolerance_accept(&job).exact);
    op.tolerance[OSW_I64] = (struct osw_tolerance){.rtol = 0, .atol = 1};
    assert_false(osw_tolerance_accept(&job).exact);
    assert_true(osw_tolerance_accept(&job).atol == 1);
    op.tolerance[OSW_I64] = (struct osw_tolerance){NAN, NAN};
}

/* What is named is right whatever its norm says, and so is what the norms
 * allow; the mean of errors does not count.  On small integers it does.
 */
static void a_named_tolerance_decides_beside_norms(void **state)
{
    static const struct osw_tolerance named = {.rtol = 0.05, .atol = 2};
    struct osw_tolerance_job job = job_of(OSW_F32, 4096);
    struct osw_errors e = {.n_norm = 4096, .sum_want_sq = 4096};
    struct osw_accept plain = osw_tolerance_accept(&job), both;

    (void)state;
    assert_true(isnan(osw_tolerance_named(&job).rtol));
    op.tolerance[OSW_F32] = named;
    both = osw_tolerance_accept(&job);
    assert_true(both.rtol == 0.05 && both.atol == 2 && both.ntol == plain.ntol);
    assert_true(osw_tolerance_class(&job, &e) == 0);
    job.trial = OSW_TRIAL_INTEGERS;
    assert_true(osw_tolerance_accept(&job).atol < 0x1p-20);
    op.tolerance[OSW_F32] = (struct osw_tolerance){.rtol = 0, .atol = 0};
    job.trial = -1;
    both = osw_tolerance_accept(&job);
    assert_true(both.rtol == plain.rtol && both.atol == 0 &&
                both.ntol == plain.ntol && !both.exact);
    op.tolerance[OSW_F32] = (struct osw_tolerance){NAN, NAN};
    op.tolerance[OSW_F16] = named; /* of another dtype */
    assert_true(osw_tolerance_accept(&job).atol == 0);
    assert_true(osw_tolerance_class(&job, &e) > 0);
    op.tolerance[OSW_F16] = (struct osw_tolerance){NAN, NAN};
}

static int no_tolerances(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(op.tolerance) / sizeof(op.tolerance[0]); i++)
        op.tolerance[i] = (struct osw_tolerance){NAN, NAN};
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_lie_between_honest_and_worse_arithmetic),
        cmocka_unit_test(
            rounding_of_a_short_output_is_allowed_and_cutting_is_not),
        cmocka_unit_test(equal_terms_in_a_row_add_up),
        cmocka_unit_test(few_elements_get_more_room),
        cmocka_unit_test(elements_that_inputs_repeat_count_once),
        cmocka_unit_test(a_mean_allows_what_sums_of_one_sign_need),
        cmocka_unit_test(the_class_rule_needs_norms),
        cmocka_unit_test(elements_are_accepted_by_what_is_known),
        cmocka_unit_test(a_named_tolerance_decides_beside_norms),
    };

    return cmocka_run_group_tests(tests, no_tolerances, NULL);
}
