/* tests/unit/results/test_merge.c - files of one run, and memory that ends */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/export/merge.h"
#include "results/file/file_runs.h"
#include "tests/unit/chaos.h"
#include "tests/unit/results/fixture.h"

struct fixture {
    struct folder folders[3]; /* two files, and where they are merged */
    osw_file_t *files[2];
};

/* With a row in each table that is merged. */
static osw_file_t *open_shard(struct folder *folder, unsigned leave_out)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = fixture_start(folder->path, leave_out, &err);
    int rc =
        run ? osw_run_event(run, OSW_EVENT_NOTE, 1, 7, "a note", &err) : -1;

    if (rc == 0)
        rc = osw_run_seal(run, false, &err);
    osw_run_close(run);
    return rc ? NULL : osw_file_open(folder->path, &err);
}

/* Cells 0 1 2 4 and 2 3 5 of the six. */
static int set_up(void **state)
{
    static struct fixture f;

    for (size_t i = 0; i < 3; i++)
        if (folder_make(&f.folders[i]))
            return -1;
    f.files[0] = open_shard(&f.folders[0], 1 << 3 | 1 << 5);
    f.files[1] = open_shard(&f.folders[1], 1 << 0 | 1 << 1 | 1 << 4);
    *state = &f;
    return f.files[0] && f.files[1] ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    int rc = 0;

    for (size_t i = 0; i < 2; i++)
        osw_file_close(f->files[i]);
    for (size_t i = 0; i < 3; i++)
        rc |= folder_remove(&f->folders[i]);
    return rc;
}

/* Without a digest it is not known that the plans are the same. */
static void cells_are_those_of_both(void **state)
{
    static const uint64_t keys[] = {0, 1, 4, 2, 3, 5};
    struct fixture *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_record r[FIXTURE_CELLS];
    struct osw_merged m;
    struct osw_file_run *runs;
    float samples[3];
    osw_file_t *out;
    size_t n;

    if (osw_merge(f->files, 2, OSW_MERGE_AGREEING, f->folders[2].path, &m,
                  &err))
        fail_msg("%s", err.text);
    assert_int_equal(m.n_rows, 6);
    assert_int_equal(m.n_dropped, 1);
    assert_int_equal(m.n_missing, 2 + 3);
    out = osw_file_open(f->folders[2].path, &err);
    assert_non_null(out);
    assert_false(osw_file_info(out)->complete);
    assert_string_equal(osw_file_info(out)->run_uuid,
                        "01234567-89ab-4cde-8f01-23456789abcd");
    assert_string_equal(osw_file_info(out)->campaign_json,
                        "{ \"suite\": \"smoke\" }\n");
    assert_int_equal(osw_file_records(out, 0, 6, r, &err), 0);
    for (size_t i = 0; i < 6; i++) {
        struct osw_record want = fixture_record(keys[i]);
        struct osw_cell_names names = fixture_names(keys[i]);
        int32_t rank = want.rank + (want.rank >= 0 && i >= 3 ? 3 : 0);

        assert_int_equal(r[i].cell, i);
        assert_int_equal(r[i].cell_key, want.cell_key);
        assert_int_equal(r[i].status_id, want.status_id);
        assert_int_equal(r[i].rank, rank);
        assert_int_equal(r[i].sample_n, want.sample_n);
        assert_string_equal(osw_file_text(out, OSW_DICT_CASE, r[i].case_id),
                            names.case_text);
        if (want.sample_n) {
            assert_int_equal(osw_file_samples(out, r[i].sample_off,
                                              want.sample_n, samples, &err),
                             0);
            assert_memory_equal(samples, want.samples,
                                want.sample_n * sizeof(float));
        }
    }
    runs = osw_file_runs(out, &n, &err);
    assert_non_null(runs);
    assert_int_equal(n, 2);
    assert_int_equal(runs[0].n_kept, 3);
    assert_int_equal(runs[1].n_kept, 3);
    assert_int_equal(runs[1].rank_first, 3);
    assert_string_equal(runs[1].path, f->folders[1].path);
    free(runs);
    osw_file_close(out);
}

/* It was started with three ranks, and resumed with more. */
static void ranks_of_a_later_session_count(void **state)
{
    struct fixture *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_device_info late = fixture_device(0);
    osw_file_t *files[2] = {NULL, f->files[1]}, *out;
    struct osw_file_run *runs;
    struct osw_merged m;
    char path[600];
    osw_run_t *run;
    size_t n;

    snprintf(path, sizeof(path), "%s/wide.h5", f->folders[2].dir);
    run = fixture_start(path, 1 << 3 | 1 << 5, &err);
    assert_non_null(run);
    assert_int_equal(osw_run_device(run, "n3", &late, 8, &err), 0);
    assert_int_equal(osw_run_seal(run, false, &err), 0);
    osw_run_close(run);
    files[0] = osw_file_open(path, &err);
    assert_non_null(files[0]);
    assert_int_equal(
        osw_merge(files, 2, OSW_MERGE_AGREEING, f->folders[2].path, &m, &err),
        0);
    out = osw_file_open(f->folders[2].path, &err);
    assert_non_null(out);
    assert_int_equal(osw_file_info(out)->mpi_size, 9 + 3);
    runs = osw_file_runs(out, &n, &err);
    assert_non_null(runs);
    assert_int_equal(n, 2);
    assert_int_equal(runs[1].rank_first, 9);
    free(runs);
    osw_file_close(out);
    osw_file_close(files[0]);
}

static void every_allocation_failure_is_reported(void **state)
{
    struct fixture *f = *state;
    int failures = 0, tries = 0;

    /* The first hundred come before the file is written; writing it takes
     * nearly all of the time, and has such a test of its own: there ever fewer.
     */
    for (bool struck = true; struck;
         failures += failures < 128 ? 1 : failures / 16) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_merged m;
        int rc;

        chaos_arm(failures);
        rc = osw_merge(f->files, 2, OSW_MERGE_AGREEING, f->folders[2].path, &m,
                       &err);
        struck = chaos_struck();
        if (!struck)
            assert_int_equal(rc, 0);
        else if (rc && err.status != OSW_NO_MEMORY &&
                 strncmp(err.text, "cannot write '", 14) != 0)
            fail_msg("allocation %d: %s", failures, err.text);
        tries += struck;
    }
    assert_true(tries > 128);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(cells_are_those_of_both),
        T(ranks_of_a_later_session_count),
        T(every_allocation_failure_is_reported),
    };
#undef T

    return cmocka_run_group_tests_name("results/merge", tests, NULL, NULL);
}
