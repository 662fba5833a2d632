/* tests/unit/results/test_seal_rows.c - more rows and samples than a block */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/file/file.h"
#include "tests/unit/results/fixture.h"

/* Row chunks are 16384, sample chunks 65536, blocks 4 chunks of rows. */
static const struct {
    const char *what;
    uint64_t n;
    uint32_t every; /* cells of which one has samples */
    uint32_t samples;
} cases[] = {
    {"one row", 1, 1, 1},
    {"a chunk of rows exactly", 16384, 1, 4},
    {"a row more than a block", 65537, 1, 3},
    {"samples of one block end within a chunk", 70001, 7, 13},
    {"blocks without any sample", 66000, 65999, 2048},
};

static int set_up(void **state)
{
    static struct folder f;

    *state = &f;
    return folder_make(&f);
}

static int tear_down(void **state)
{
    return folder_remove(*state);
}

/* What cell i holds is a function of i, so that it can be checked. */
static void make(struct osw_record *r, float *samples, uint64_t i, size_t c)
{
    osw_record_init(r);
    r->cell = i;
    r->cell_key = i * 0x9e3779b97f4a7c15u;
    r->status_id = (uint8_t)(1 + i % 26); /* not infra: its journal stays */
    r->wall_ns = (int64_t)(i * i);
    r->t_median_ns = (double)i / 3;
    r->sample_n = i % cases[c].every == 0 ? cases[c].samples : 0;
    for (uint32_t k = 0; k < r->sample_n; k++)
        samples[k] = (float)(i * 7 + k);
    r->samples = samples;
}

/* Record the cells in another order than the plan's. */
static void write_cells(const struct folder *f, size_t c)
{
    static const struct osw_cell_names names = {"op",     "impl", "case", "f32",
                                                "normal", "n1",   "cpu"};
    static float samples[OSW_RECORD_MAX_SAMPLES];
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    uint64_t n = cases[c].n;
    struct osw_record r;
    osw_run_t *run;

    info.n_planned = n;
    run = osw_run_create(f->path, &info, false, &err);
    assert_non_null(run);
    osw_run_set_relaxed(run, true);
    for (uint64_t i = 0; i < n; i++) {
        make(&r, samples, i % 2 ? i : n - 1 - i - (n - 1) % 2, c);
        if (osw_run_result(run, &r, &names, &err))
            fail_msg("%s", err.text);
    }
    if (osw_run_seal(run, true, &err))
        fail_msg("%s", err.text);
    osw_run_close(run);
}

static void check_block(const osw_file_t *file, const struct osw_record *got,
                        uint64_t from, size_t n, size_t c, uint64_t *off)
{
    static float want_samples[OSW_RECORD_MAX_SAMPLES];
    static float samples[OSW_RECORD_MAX_SAMPLES];
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_record want;

    for (size_t i = 0; i < n; i++) {
        make(&want, want_samples, from + i, c);
        assert_int_equal(got[i].cell, want.cell);
        assert_int_equal(got[i].cell_key, want.cell_key);
        assert_int_equal(got[i].status_id, want.status_id);
        assert_int_equal(got[i].wall_ns, want.wall_ns);
        assert_true(got[i].t_median_ns == want.t_median_ns);
        assert_int_equal(got[i].sample_n, want.sample_n);
        assert_int_equal(got[i].sample_off, *off);
        *off += want.sample_n;
        if (!want.sample_n || i % 101)
            continue;
        assert_int_equal(osw_file_samples(file, got[i].sample_off,
                                          got[i].sample_n, samples, &err),
                         0);
        assert_memory_equal(samples, want_samples,
                            want.sample_n * sizeof(float));
    }
}

static void check_cells(const struct folder *f, size_t c)
{
    enum { BLOCK = 5000 };
    struct osw_record *got = calloc(BLOCK, sizeof(*got));
    struct osw_error err = OSW_ERROR_INIT;
    osw_file_t *file = osw_file_open(f->path, &err);
    uint64_t off = 0;

    if (!file)
        fail_msg("%s", err.text);
    assert_int_equal(osw_file_info(file)->n_results, cases[c].n);
    for (uint64_t at = 0; at < cases[c].n; at += BLOCK) {
        size_t n = cases[c].n - at < BLOCK ? (size_t)(cases[c].n - at) : BLOCK;

        assert_int_equal(osw_file_records(file, at, n, got, &err), 0);
        check_block(file, got, at, n, c, &off);
    }
    assert_int_equal(osw_file_info(file)->n_samples, off);
    osw_file_close(file);
    free(got);
}

static void every_value_arrives_in_its_place(void **state)
{
    struct folder *f = *state;

    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        print_message("  case: %s\n", cases[c].what);
        write_cells(f, c);
        check_cells(f, c);
        assert_int_equal(unlink(f->path), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_value_arrives_in_its_place,
                                        set_up, tear_down),
    };

    return cmocka_run_group_tests_name("results/seal_rows", tests, NULL, NULL);
}
