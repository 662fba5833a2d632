/* tests/unit/mpi_runner/test_slurm_job.c - what scontrol prints of a job */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "mpi_runner/batch/job_comment.h"
#include "mpi_runner/batch/slurm_job.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const char line[] =
    "JobId=12 JobName=opsweep UserId=me(1) JobState=RUNNING Reason=None "
    "Dependency=(null) RunTime=00:01:02 TimeLimit=02:00:00 NodeList=n[1-4] "
    "BatchHost=n1 WorkDir=/home/me/my work Comment=opsweep:out/run 1.h5 "
    "StdOut=/home/me/slurm-12.out Power= ";

static void a_line_is_read(void **state)
{
    struct osw_slurm_job job;

    (void)state;
    assert_true(osw_slurm_job_parse(line, &job));
    assert_string_equal(job.id, "12");
    assert_string_equal(job.state, "RUNNING");
    assert_string_equal(job.reason, "");
    assert_string_equal(job.nodes, "n[1-4]");
    assert_string_equal(job.run_time, "00:01:02");
    assert_string_equal(job.time_limit, "02:00:00");
    assert_string_equal(job.stdout_path, "/home/me/slurm-12.out");
    assert_string_equal(job.file, "/home/me/my work/out/run 1.h5");
}

static void the_comment_names_the_file(void **state)
{
    static const struct {
        const char *line, *id, *file;
    } cases[] = {
        {"JobId=1 JobState=PENDING Comment=opsweep WorkDir=/w", "1", ""},
        {"JobId=1 JobState=PENDING Comment=(null) WorkDir=/w", "1", ""},
        {"JobId=1 JobState=PENDING WorkDir=/w", "1", ""},
        {"JobId=1 JobState=PENDING Comment=opsweep:/a/b.h5 WorkDir=/w", "1",
         "/a/b.h5"},
        {"JobId=1 JobState=PENDING Comment=opsweep:c.h5  WorkDir=/w StdErr=",
         "1", "/w/c.h5"},
        {"JobId=1 JobState=PENDING Comment=opsweep: b.h5 WorkDir=/w", "1",
         "/w/b.h5"},
        {"JobId=1 JobState=RUNNING Comment=opsweep 37 % 3/8 cells:/a/b:c.h5 "
         "WorkDir=/w",
         "1", "/a/b:c.h5"},
        {"JobId=1 JobState=RUNNING Comment=opsweep 37 % 3/8 cells WorkDir=/w",
         "1", ""},
        {"JobId=1 JobState=PENDING Comment=opsweeps:b.h5 WorkDir=/w", "1", ""},
        {"JobId=1 JobState=PENDING Comment=mine: b.h5 WorkDir=/w", "1", ""},
        {"JobId=9 ArrayJobId=7 ArrayTaskId=3 JobState=RUNNING "
         "Comment=opsweep:run.%a.h5 WorkDir=/w",
         "7_3", "/w/run.3.h5"},
        {"JobId=7 ArrayJobId=7 ArrayTaskId=4-8%2 JobState=PENDING "
         "Comment=opsweep:run.%a.h5 WorkDir=/w",
         "7", "/w/run.%a.h5"},
    };
    struct osw_slurm_job job;

    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        print_message("  case: %s\n", cases[i].line);
        assert_true(osw_slurm_job_parse(cases[i].line, &job));
        assert_string_equal(job.id, cases[i].id);
        assert_string_equal(job.file, cases[i].file);
    }
}

static void a_job_says_that_it_stops(void **state)
{
    static const char *const stops[] = {"opsweep stops",
                                        "opsweep stops:/a/b.h5"};
    static const char *const others[] = {"", "opsweep", "opsweep:/a/ stops.h5",
                                         "opsweeps stops",
                                         "opsweep 37 % 3/8 cells:/a/b.h5"};

    (void)state;
    for (size_t i = 0; i < N_ELEM(stops); i++)
        assert_true(osw_job_comment_stops(stops[i]));
    for (size_t i = 0; i < N_ELEM(others); i++)
        assert_false(osw_job_comment_stops(others[i]));
    assert_string_equal(osw_job_comment_file(stops[1]), "/a/b.h5");
}

static void other_lines_are_no_jobs(void **state)
{
    static const char *const lines[] = {
        "", "slurm_load_jobs error: Invalid job id specified", "JobId=12",
        "JobState=RUNNING", "XJobId=1 XJobState=RUNNING"};
    char huge[20000] = "JobId=1 JobState=RUNNING WorkDir=/w Comment=";
    struct osw_slurm_job job;

    (void)state;
    for (size_t i = 0; i < N_ELEM(lines); i++)
        assert_false(osw_slurm_job_parse(lines[i], &job));
    memset(huge + strlen(huge), 'x', sizeof(huge) - strlen(huge) - 1);
    huge[sizeof(huge) - 1] = '\0';
    assert_true(osw_slurm_job_parse(huge, &job));
    assert_string_equal(job.file, "");
}

static void numbers_of_jobs_look_like_these(void **state)
{
    static const char *const jobs[] = {"1", "123456", "12_3", "12_[1-4]"};
    static const char *const others[] = {
        "", "run.h5", "12.h5", "12_", "12_x", "-1", "1234567890123"};

    (void)state;
    for (size_t i = 0; i < N_ELEM(jobs); i++)
        assert_true(osw_slurm_is_job(jobs[i]));
    for (size_t i = 0; i < N_ELEM(others); i++)
        assert_false(osw_slurm_is_job(others[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_read),
        cmocka_unit_test(the_comment_names_the_file),
        cmocka_unit_test(a_job_says_that_it_stops),
        cmocka_unit_test(other_lines_are_no_jobs),
        cmocka_unit_test(numbers_of_jobs_look_like_these),
    };

    return cmocka_run_group_tests_name("mpi_runner/slurm_job", tests, NULL,
                                       NULL);
}
