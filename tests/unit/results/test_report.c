/* tests/unit/results/test_report.c - adding up, and what an outcome is */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>

#include "results/report/report.h"
#include "results/report/report_devices.h"
#include "tests/unit/chaos.h"
#include "tests/unit/results/fixture.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
    struct folder folder;
    osw_file_t *file;
    struct osw_report_summary sum;
};

static int set_up(void **state)
{
    static struct fixture f;
    struct osw_error err = OSW_ERROR_INIT;

    memset(&f, 0, sizeof(f));
    *state = &f;
    if (folder_make(&f.folder) || fixture_file(f.folder.path, &err))
        return -1;
    f.file = osw_file_open(f.folder.path, &err);
    return f.file ? osw_report_summarize(f.file, &f.sum, &err) : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    osw_report_summary_free(&f->sum);
    osw_file_close(f->file);
    return folder_remove(&f->folder);
}

static void rows_are_sorted_and_add_up(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *op, *impl;
        uint64_t n, pass, fail, error, not_judged, freivalds, timed, faster;
        double geomean, rel;
    } want[] = {
        {"add", "fast", 2, 1, 1, 0, 0, 0, 1, 0, 2, 0.25},
        {"add", "slow", 1, 1, 0, 0, 0, 0, 1, 0, 0.5, 2e-7},
        {"mm", "fast", 2, 1, 0, 1, 0, 1, 1, 1, 8, 3e-6},
        {"rms", "", 1, 0, 0, 0, 1, 0, 0, 0, NAN, NAN},
    };

    assert_int_equal(f->sum.n_rows, N_ELEM(want));
    for (size_t i = 0; i < N_ELEM(want); i++) {
        const struct osw_report_row *r = &f->sum.rows[i];
        double g = osw_report_geomean(r);

        assert_string_equal(osw_file_text(f->file, OSW_DICT_OP, r->op_id),
                            want[i].op);
        assert_string_equal(osw_file_text(f->file, OSW_DICT_IMPL, r->impl_id),
                            want[i].impl);
        assert_int_equal(r->n_cells, want[i].n);
        assert_int_equal(r->n_group[OSW_GROUP_PASS], want[i].pass);
        assert_int_equal(r->n_group[OSW_GROUP_FAIL], want[i].fail);
        assert_int_equal(r->n_group[OSW_GROUP_ERROR], want[i].error);
        assert_int_equal(r->n_group[OSW_GROUP_NOT_JUDGED], want[i].not_judged);
        assert_int_equal(r->n_freivalds, want[i].freivalds);
        assert_int_equal(r->n_timed, want[i].timed);
        assert_int_equal(r->n_faster, want[i].faster);
        assert_true(isnan(want[i].geomean) ? isnan(g)
                                           : fabs(g - want[i].geomean) < 1e-12);
        assert_true(isnan(want[i].rel) ? isnan(r->max_rel_err)
                                       : r->max_rel_err == want[i].rel);
    }
}

static void the_total_is_the_sum_of_the_rows(void **state)
{
    struct fixture *f = *state;
    const struct osw_report_row *t = &f->sum.total;

    assert_int_equal(t->n_cells, 6);
    assert_int_equal(t->n_state[OSW_STATE_PASS], 3);
    assert_int_equal(t->n_state[OSW_STATE_VALUE], 1);
    assert_int_equal(t->n_state[OSW_STATE_CRASH], 1);
    assert_int_equal(t->n_state[OSW_STATE_SKIPPED], 1);
    assert_int_equal(t->n_timed, 3);
    assert_int_equal(t->n_faster, 1); /* intervals above 1 */
    assert_true(fabs(osw_report_geomean(t) - 2) < 1e-12); /* cbrt(2 / 2 * 8) */
    /* log2: add 1 and -1, mm 3; mean 1, residuals -2 and 2, n 3, t 12.7062. */
    assert_int_equal(f->sum.n_headlines, 1);
    assert_true(fabs(log2(f->sum.headlines[0].hi) -
                     (1 + 12.7062 * sqrt(2.0 / 1 * 8 / 9))) < 1e-4);
    assert_true(fabs(f->sum.headlines[0].lo * f->sum.headlines[0].hi - 4) <
                1e-9);
    assert_int_equal(t->n_light, 3);
    assert_true(fabs(t->light_median - 0.5) < 1e-12);
    assert_true(t->max_of_allowed == 250);
    assert_int_equal(f->sum.n_missing, 0);
    assert_int_equal(f->sum.n_reasons, 1);
    assert_int_equal(f->sum.reasons[0].row, 3);
    assert_int_equal(f->sum.reasons[0].n, 1);
    assert_int_equal(f->sum.n_totals, 1);
}

/* Outcome of a file with the given cells, all of the fixture but left out. */
static enum osw_status outcome(const struct folder *f, unsigned leave_out,
                               uint64_t n_planned, uint32_t fail_on)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_run_info info = fixture_info();
    struct osw_report_summary sum;
    enum osw_status status;
    osw_file_t *file;
    osw_run_t *run;

    info.n_planned = n_planned;
    run = osw_run_create(f->path, &info, true, &err);
    assert_non_null(run);
    for (uint64_t i = 0, k = 0; i < FIXTURE_CELLS; i++) {
        struct osw_record r = fixture_record(i);
        struct osw_cell_names names = fixture_names(i);

        if (leave_out >> i & 1)
            continue;
        r.cell = k++;
        assert_int_equal(osw_run_result(run, &r, &names, &err), 0);
    }
    (void)!osw_run_seal(run, true, &err);
    osw_run_close(run);
    err = (struct osw_error)OSW_ERROR_INIT;
    file = osw_file_open(f->path, &err);
    assert_non_null(file);
    assert_int_equal(osw_report_summarize(file, &sum, &err), 0);
    status = osw_report_outcome(file, &sum, fail_on);
    osw_report_summary_free(&sum);
    osw_file_close(file);
    return status;
}

#define BIT(state) (UINT32_C(1) << OSW_STATE_##state)

static void the_outcome_is_the_worst_that_counts(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *what;
        unsigned leave_out;
        uint64_t n_planned;
        uint32_t fail_on; /* bits of states */
        enum osw_status want;
    } cases[] = {
        {"failed", 0, 6, BIT(VALUE) | BIT(CRASH), OSW_FAILED},
        {"nothing counts", 0, 6, 0, OSW_OK},
        {"the crash counts", 0x04, 5, BIT(CRASH), OSW_FAILED},
        {"no nan among them", 0, 6, BIT(NAN), OSW_OK},
        {"all passed or skipped", 0x14, 4, BIT(VALUE) | BIT(CRASH), OSW_OK},
        {"skipped only", 0x1f, 1, BIT(VALUE) | BIT(CRASH), OSW_NOTHING},
        {"skipped counts", 0x1f, 1, BIT(SKIPPED), OSW_FAILED},
        {"no cell planned", 0x3f, 0, BIT(VALUE) | BIT(CRASH), OSW_NOTHING},
        {"a cell is missing", 0x14, 5, BIT(VALUE) | BIT(CRASH), OSW_INCOMPLETE},
    };

    for (size_t i = 0; i < N_ELEM(cases); i++) {
        print_message("  case: %s\n", cases[i].what);
        assert_int_equal(outcome(&f->folder, cases[i].leave_out,
                                 cases[i].n_planned, cases[i].fail_on),
                         cases[i].want);
    }
}

static const struct osw_column *column(const char *name)
{
    size_t n;
    const struct osw_column *columns = osw_record_columns(&n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(columns[i].name, name) == 0)
            return &columns[i];
    return NULL;
}

static void values_print_as_short_as_they_read_back(void **state)
{
    struct fixture *f = *state;
    static const struct {
        double value;
        const char *want;
    } cases[] = {
        {0, "0"},          {-0.0, "-0"},
        {0.1, "0.1"},      {1.0 / 3, "0.333333333333333"},
        {1e300, "1e+300"}, {DBL_MIN, "2.2250738585072e-308"},
        {NAN, ""},         {INFINITY, "inf"},
    };
    struct osw_record r = fixture_record(0);
    char text[64];

    for (size_t i = 0; i < N_ELEM(cases); i++) {
        r.gbps = cases[i].value;
        osw_report_value(f->file, &r, column("gbps"), text, sizeof(text));
        if (!isnan(r.gbps))
            assert_true(strtod(text, NULL) == r.gbps);
        if (i != 3 && i != 5) /* these need more than 15 digits */
            assert_string_equal(text, cases[i].want);
    }
    assert_string_equal(
        osw_report_value(f->file, &r, column("cell_key"), text, sizeof(text)),
        "0xfedcba9876543210");
    assert_string_equal(
        osw_report_value(f->file, &r, column("status_id"), text, sizeof(text)),
        "pass");
    assert_string_equal(
        osw_report_value(f->file, &r, column("first_bad"), text, sizeof(text)),
        "-1");
    assert_string_equal(
        osw_report_value(f->file, &r, column("rank"), text, sizeof(text)), "1");
}

static void formats_are_found_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(osw_report_find("text"), &osw_report_table);
    assert_ptr_equal(osw_report_find("csv"), &osw_report_csv);
    assert_ptr_equal(osw_report_find("json"), &osw_report_json);
    assert_ptr_equal(osw_report_find("text"), &osw_report_table);
    assert_ptr_equal(osw_report_find("markdown"), &osw_report_markdown);
    assert_ptr_equal(osw_report_find("junit"), &osw_report_junit);
    assert_ptr_equal(osw_report_find("backendbench"), &osw_report_backendbench);
    assert_ptr_equal(osw_report_find("html"), &osw_report_html);
    assert_null(osw_report_find("pdf"));
    for (size_t i = 0; osw_report_at(i); i++)
        assert_ptr_equal(osw_report_find(osw_report_at(i)->name),
                         osw_report_at(i));
}

/* The i-th format that is one file, those of folders included. */
static const struct osw_report_format *one_file(size_t i)
{
    for (size_t k = 0; osw_report_at(k); k++) {
        const struct osw_report_format *f = osw_report_at(k);

        for (size_t j = 0; f->files ? f->files[j] != NULL : j < 1; j++)
            if (i-- == 0)
                return f->files ? f->files[j] : f;
    }
    return NULL;
}

static void a_report_that_cannot_be_written_is_told(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; one_file(i); i++) {
        struct osw_report_options options = {0};
        struct osw_error err = OSW_ERROR_INIT;
        FILE *full = fopen("/dev/full", "w");

        if (!full)
            skip();
        assert_int_equal(
            osw_report_write(one_file(i), f->file, &options, full, &err), -1);
        assert_int_equal(err.status, OSW_SYSTEM);
        fclose(full);
    }
}

static void every_allocation_failure_is_reported(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; one_file(i); i++) {
        int failures = 0;

        for (bool struck = true; struck; failures += struck) {
            struct osw_report_options options = {0};
            struct osw_error err = OSW_ERROR_INIT;
            FILE *null = fopen("/dev/null", "w");
            int rc;

            chaos_arm(failures);
            rc = osw_report_write(one_file(i), f->file, &options, null, &err);
            struck = chaos_struck();
            fclose(null);
            /* a table may do without a piece of its own text */
            if (!struck)
                assert_int_equal(rc, 0);
            else if (rc)
                assert_int_equal(err.status, OSW_NO_MEMORY);
        }
        assert_true(failures > 1);
    }
}

/* --- devices --- */

/* A row of /devices. */
struct there {
    int32_t rank;
    const char *host, *model, *health;
};

/* The lines of a file with these rows; the caller's to free. */
static struct osw_text lines_of(const char *path, const struct there *rows,
                                size_t n)
{
    struct osw_text t = OSW_TEXT_INIT;
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run;
    osw_file_t *file;

    run = osw_run_create(path, &info, true, &err);
    assert_non_null(run);
    for (size_t i = 0; i < n; i++) {
        struct osw_device_info d;

        osw_device_info_init(&d);
        strcpy(d.kind, "cuda");
        strcpy(d.name, rows[i].model);
        strcpy(d.uuid, "GPU-1");
        strcpy(d.health, rows[i].health);
        assert_int_equal(
            osw_run_device(run, rows[i].host, &d, rows[i].rank, &err), 0);
    }
    assert_int_equal(osw_run_seal(run, false, &err), 0);
    osw_run_close(run);
    file = osw_file_open(path, &err);
    assert_non_null(file);
    osw_report_devices_lines(file, &t);
    osw_file_close(file);
    return t;
}

/* Ranks 1 and 2 were resumed on other nodes. */
static void a_rank_of_two_sessions_is_one_worker(void **state)
{
    const struct fixture *f = *state;
    static const struct there rows[] = {{1, "n1", "H200", "ok"},
                                        {2, "n1", "H200", "ok"},
                                        {1, "n2", "H200", "ok"},
                                        {2, "n3", "H200", "ok"}};
    struct osw_text t = lines_of(f->folder.path, rows, 4);

    assert_string_equal(osw_text_str(&t), "2 workers on H200\n");
    osw_text_free(&t);
}

static void a_rank_that_was_left_out_may_be_a_worker_later(void **state)
{
    const struct fixture *f = *state;
    static const struct there rows[] = {{1, "n1", "H200", "it smokes"},
                                        {1, "n1", "H200", "ok"},
                                        {2, "n2", "A100", "ok"}};
    struct osw_text t = lines_of(f->folder.path, rows, 3);

    assert_string_equal(osw_text_str(&t),
                        "1 worker on H200\n1 worker on A100\n"
                        "left out: rank 1 on n1, cuda -1, GPU-1: it smokes\n");
    osw_text_free(&t);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(rows_are_sorted_and_add_up),
        T(the_total_is_the_sum_of_the_rows),
        T(the_outcome_is_the_worst_that_counts),
        T(values_print_as_short_as_they_read_back),
        cmocka_unit_test(formats_are_found_by_name),
        T(a_report_that_cannot_be_written_is_told),
        T(a_rank_of_two_sessions_is_one_worker),
        T(a_rank_that_was_left_out_may_be_a_worker_later),
        T(every_allocation_failure_is_reported),
    };
#undef T

    return cmocka_run_group_tests_name("results/report", tests, NULL, NULL);
}
