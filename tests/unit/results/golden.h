/* tests/unit/results/golden.h - a report against a file kept in the tree
 *
 * UPDATE_GOLDEN=1 writes the files instead; look at the difference then.
 */
#ifndef OSW_TESTS_UNIT_RESULTS_GOLDEN_H
#define OSW_TESTS_UNIT_RESULTS_GOLDEN_H

#include "results/report.h"
#include "tests/unit/results/fixture.h"

/* Write the report of the fixture under the name run.h5, from its folder, so
 * that the path in it is always the same; what the clock said becomes NOW.
 */
static inline void golden_write(const struct folder *f, const char *format,
                                unsigned width, bool colour, const char *to)
{
    struct osw_report_options options = {.width = width, .colour = colour};
    struct osw_error err = OSW_ERROR_INIT;
    char command[1500], cwd[1024], path[600];
    osw_file_t *file;
    FILE *out;

    assert_non_null(getcwd(cwd, sizeof(cwd)));
    assert_int_equal(chdir(f->dir), 0);
    file = osw_file_open("run.h5", &err);
    assert_int_equal(chdir(cwd), 0);
    if (!file)
        fail_msg("%s", err.text);
    snprintf(path, sizeof(path), "%s/%s", f->dir, to);
    out = fopen(path, "w");
    assert_non_null(out);
    if (osw_report_write(osw_report_find(format), file, &options, out, &err))
        fail_msg("%s", err.text);
    fclose(out);
    snprintf(command, sizeof(command), "sed -i 's/%s/NOW/' '%s'",
             osw_file_info(file)->sealed_utc, path);
    osw_file_close(file);
    assert_int_equal(system(command), 0);
}

static inline void golden_check(const struct folder *f, const char *format,
                                unsigned width, bool colour, const char *want)
{
    char command[1500];

    golden_write(f, format, width, colour, want);
    snprintf(command, sizeof(command), "%s '%s/%s' 'tests/data/results/%s'",
             getenv("UPDATE_GOLDEN") ? "cp" : "diff -u", f->dir, want, want);
    assert_int_equal(system(command), 0);
}

/* The fixture's file; with `leave_out` as in fixture_start(). */
static inline int golden_make(struct folder *f, unsigned leave_out)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run;
    int rc;

    if (folder_make(f))
        return -1;
    run = fixture_start(f->path, leave_out, &err);
    rc = run ? osw_run_seal(run, leave_out == 0, &err) : -1;
    osw_run_close(run);
    return rc;
}

#endif /* OSW_TESTS_UNIT_RESULTS_GOLDEN_H */
