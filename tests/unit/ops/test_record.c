/* tests/unit/ops/test_record.c - records over the wire, from strangers too */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/record/record.h"
#include "ops/record/state.h"

static float samples[OSW_RECORD_MAX_SAMPLES];
static unsigned char bytes[OSW_RECORD_MAX_BYTES];

/* Every column another value, so that no two can be mixed up. */
static struct osw_record sample(void)
{
    static const float t[] = {1.5F, 2.5F, 3.5F};
    struct osw_record r;
    size_t n;
    const struct osw_column *c = osw_record_columns(&n);

    osw_record_init(&r);
    for (size_t i = 0; i < n; i++) {
        char *p = (char *)&r + c[i].offset;
        uint64_t u = 0x0101010101010101u * (i + 1);
        double d = (double)i + 0.5;
        int32_t i32 = -(int32_t)i - 1;
        int64_t i64 = -((int64_t)i << 40);
        uint32_t u32 = (uint32_t)u;

        switch (c[i].type) {
        case OSW_COLUMN_u8:
            *p = 1;
            break;
        case OSW_COLUMN_u32:
            memcpy(p, &u32, 4);
            break;
        case OSW_COLUMN_u64:
            memcpy(p, &u, 8);
            break;
        case OSW_COLUMN_i32:
            memcpy(p, &i32, 4);
            break;
        case OSW_COLUMN_i64:
            memcpy(p, &i64, 8);
            break;
        case OSW_COLUMN_f64:
            memcpy(p, &d, 8);
            break;
        }
    }
    r.status_id = OSW_STATE_TIMEOUT;
    r.sample_n = 3;
    r.samples = t;
    r.reason = "deadline passed";
    r.output = "line\n";
    r.reference = "mm_reference.c";
    r.baseline = "blas";
    return r;
}

static size_t encode(const struct osw_record *r)
{
    struct osw_writer w = osw_writer(bytes, sizeof(bytes));

    osw_record_encode(r, &w);
    assert_false(w.overrun);
    return w.used;
}

static int decode(size_t n, struct osw_record *r, struct osw_error *err)
{
    struct osw_reader rd = osw_reader(bytes, n);

    return osw_record_decode(&rd, r, samples, err);
}

static void a_new_record_misses_everything(void **state)
{
    struct osw_record r;
    size_t n;
    const struct osw_column *c = osw_record_columns(&n);

    (void)state;
    memset(&r, 0x55, sizeof(r));
    osw_record_init(&r);
    for (size_t i = 0; i < n; i++)
        if (c[i].type == OSW_COLUMN_f64) {
            double d;

            memcpy(&d, (char *)&r + c[i].offset, sizeof(d));
            assert_true(isnan(d));
        }
    assert_int_equal(r.rank, -1);
    assert_int_equal(r.first_bad, -1);
    assert_int_equal(r.bad_output, -1);
    assert_int_equal(r.status_id, OSW_STATE_NONE);
    assert_int_equal(r.sample_n, 0);
    assert_string_equal(r.reason, "");
    assert_string_equal(r.baseline, "");
}

static void every_column_comes_back(void **state)
{
    struct osw_record r = sample(), got;
    struct osw_error err = OSW_ERROR_INIT;
    size_t n, n_columns;
    const struct osw_column *c = osw_record_columns(&n_columns);
    static const size_t width[] = {
        [OSW_COLUMN_u8] = 1,  [OSW_COLUMN_u32] = 4, [OSW_COLUMN_u64] = 8,
        [OSW_COLUMN_i32] = 4, [OSW_COLUMN_i64] = 8, [OSW_COLUMN_f64] = 8};

    (void)state;
    n = encode(&r);
    assert_int_equal(decode(n, &got, &err), 0);
    for (size_t i = 0; i < n_columns; i++)
        if (memcmp((char *)&r + c[i].offset, (char *)&got + c[i].offset,
                   width[c[i].type]) != 0)
            fail_msg("column %s differs", c[i].name);
    assert_string_equal(got.reason, r.reason);
    assert_string_equal(got.output, r.output);
    assert_string_equal(got.reference, r.reference);
    assert_string_equal(got.baseline, r.baseline);
    assert_memory_equal(got.samples, r.samples, 3 * sizeof(float));
}

static void columns_are_named_once_and_described(void **state)
{
    size_t n;
    const struct osw_column *c = osw_record_columns(&n);

    (void)state;
    assert_true(n > 60);
    for (size_t i = 0; i < n; i++) {
        assert_true(*c[i].units && *c[i].text);
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(c[i].name, c[k].name);
            assert_int_not_equal(c[i].offset, c[k].offset);
        }
    }
}

static void a_record_cut_anywhere_is_refused(void **state)
{
    struct osw_record r = sample(), got;
    size_t n = encode(&r);

    (void)state;
    for (size_t cut = 0; cut < n; cut++) {
        struct osw_error err = OSW_ERROR_INIT;

        memset(&got, 0x11, sizeof(got));
        assert_int_equal(decode(cut, &got, &err), -1);
        assert_int_equal(err.status, OSW_PROTOCOL);
        assert_int_equal(*(unsigned char *)&got, 0x11); /* untouched */
    }
}

static void numbers_out_of_their_tables_are_refused(void **state)
{
    static const struct {
        const char *what;
        size_t offset;
        uint8_t value;
    } cases[] = {
        {"status 0", offsetof(struct osw_record, status_id), 0},
        {"status 30", offsetof(struct osw_record, status_id), 30},
        {"phase 11", offsetof(struct osw_record, phase_id), 11},
        {"check 4", offsetof(struct osw_record, check_id), 4},
        {"stop 4", offsetof(struct osw_record, stop_id), 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct osw_record r = sample(), got;
        struct osw_error err = OSW_ERROR_INIT;

        *((uint8_t *)&r + cases[i].offset) = cases[i].value;
        assert_int_equal(decode(encode(&r), &got, &err), -1);
        if (!strstr(err.text, cases[i].what))
            fail_msg("'%s' does not say '%s'", err.text, cases[i].what);
    }
}

/* sample_n in the bytes, after what precedes it. */
static void more_samples_than_allowed_are_refused(void **state)
{
    struct osw_record r = sample(), got;
    struct osw_error err = OSW_ERROR_INIT;
    size_t n, at;
    uint32_t mark = 0x5a5a5a5a, lie = OSW_RECORD_MAX_SAMPLES + 1;
    void *found;

    (void)state;
    r.n_inner = mark; /* the column after it */
    n = encode(&r);
    found = memmem(bytes, n, &mark, sizeof(mark));
    assert_non_null(found);
    at = (size_t)((unsigned char *)found - bytes) - sizeof(lie);
    memcpy(bytes + at, &lie, sizeof(lie));
    assert_int_equal(decode(sizeof(bytes), &got, &err), -1);
    assert_string_equal(err.text, "record with 2049 samples, at most 2048");
}

static void the_largest_record_fits_its_bound(void **state)
{
    struct osw_record r = sample(), got;
    struct osw_error err = OSW_ERROR_INIT;
    char *text = malloc(OSW_RECORD_MAX_TEXT);

    (void)state;
    memset(text, 'x', OSW_RECORD_MAX_TEXT - 1);
    text[OSW_RECORD_MAX_TEXT - 1] = '\0';
    r.reason = r.output = r.reference = r.baseline = text;
    r.sample_n = OSW_RECORD_MAX_SAMPLES;
    r.samples = calloc(OSW_RECORD_MAX_SAMPLES, sizeof(float));
    assert_int_equal(decode(encode(&r), &got, &err), 0);
    assert_string_equal(got.output, text);
    assert_int_equal(got.sample_n, OSW_RECORD_MAX_SAMPLES);
    free((void *)(uintptr_t)r.samples);
    free(text);
}

static void a_longer_text_is_cut_with_dots(void **state)
{
    struct osw_record r = sample(), got;
    struct osw_error err = OSW_ERROR_INIT;
    char *text = malloc(3 * OSW_RECORD_MAX_TEXT);

    (void)state;
    memset(text, 'x', 3 * OSW_RECORD_MAX_TEXT - 1);
    text[3 * OSW_RECORD_MAX_TEXT - 1] = '\0';
    r.output = text;
    assert_int_equal(decode(encode(&r), &got, &err), 0);
    assert_int_equal(strlen(got.output), OSW_RECORD_MAX_TEXT - 1);
    assert_string_equal(got.output + OSW_RECORD_MAX_TEXT - 5, "x...");
    free(text);
}

static void checks_and_stops_have_names(void **state)
{
    (void)state;
    assert_string_equal(osw_check_name(OSW_CHECK_NONE), "none");
    assert_string_equal(osw_check_name(OSW_CHECK_FULL), "full");
    assert_string_equal(osw_check_name(OSW_CHECK_EXACT), "exact");
    assert_string_equal(osw_check_name(OSW_CHECK_FREIVALDS), "freivalds");
    assert_string_equal(osw_check_name((enum osw_check)4), "?");
    assert_string_equal(osw_stop_name(OSW_STOP_NONE), "none");
    assert_string_equal(osw_stop_name(OSW_STOP_CONVERGED), "converged");
    assert_string_equal(osw_stop_name(OSW_STOP_MAX_SAMPLES), "max_samples");
    assert_string_equal(osw_stop_name(OSW_STOP_TIME_LIMIT), "time_limit");
    assert_string_equal(osw_stop_name((enum osw_stop)4), "?");
}

static void phases_add_up_whatever_is_taken_from_one(void **state)
{
    struct osw_record r;

    (void)state;
    osw_record_init(&r);
    r.fill_ns = 30;
    r.run_ns = 100;
    r.verify_ns = 20;
    osw_record_charge(&r, &r.time_ns, 7);
    assert_int_equal(r.time_ns, 7);
    osw_record_charge(&r, &r.time_ns, -5);
    assert_int_equal(r.time_ns, 2);
    osw_record_charge(&r, &r.time_ns, -42); /* it has 2, verify 20, run 100 */
    assert_int_equal(r.time_ns, 0);
    assert_int_equal(r.verify_ns, 0);
    assert_int_equal(r.run_ns, 80);
    assert_int_equal(osw_record_phases_ns(&r), 110);
    osw_record_charge(&r, &r.time_ns, -200);
    assert_int_equal(osw_record_phases_ns(&r), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_record_misses_everything),
        cmocka_unit_test(every_column_comes_back),
        cmocka_unit_test(columns_are_named_once_and_described),
        cmocka_unit_test(a_record_cut_anywhere_is_refused),
        cmocka_unit_test(numbers_out_of_their_tables_are_refused),
        cmocka_unit_test(more_samples_than_allowed_are_refused),
        cmocka_unit_test(the_largest_record_fits_its_bound),
        cmocka_unit_test(a_longer_text_is_cut_with_dots),
        cmocka_unit_test(checks_and_stops_have_names),
        cmocka_unit_test(phases_add_up_whatever_is_taken_from_one),
    };

    return cmocka_run_group_tests_name("ops/record", tests, NULL, NULL);
}
