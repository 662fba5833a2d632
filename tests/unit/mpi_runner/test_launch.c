/* test_launch.c - being started by an MPI launcher, or being one
 *
 * mostly waits: for an mpirun that does not end
 * takes 35 s
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi_runner/ranks/launch.h"
#include "mpi_runner/ranks/launch_note.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* An environment: name, value, ... */
static const char *const *now;

static const char *look_up(const char *name)
{
    for (const char *const *p = now; *p; p += 2)
        if (strcmp(p[0], name) == 0)
            return p[1];
    return NULL;
}

static const struct {
    const char *what;
    const char *env[7];
    int want;
} rows[] = {
    /* clang-format off */
    { "a shell", { NULL }, 0 },
    { "mpirun -n 4", { "OMPI_COMM_WORLD_SIZE", "4", NULL }, 4 },
    { "mpirun -n 1", { "OMPI_COMM_WORLD_SIZE", "1", NULL }, 1 },
    { "srun --mpi=pmix -n 8", { "SLURM_STEP_NUM_TASKS", "8", "PMIX_RANK", "3", NULL }, 8 },
    { "srun --mpi=pmix -n 1", { "SLURM_STEP_NUM_TASKS", "1", "PMIX_RANK", "0", NULL }, 1 },
    { "a batch script", { "SLURM_JOB_ID", "7", "SLURM_PROCID", "0", NULL }, 0 },
    { "an interactive step", { "SLURM_STEP_NUM_TASKS", "1", NULL }, 0 },
    { "srun --mpi=none -n 8", { "SLURM_STEP_NUM_TASKS", "8", NULL }, -1 },
    { "nonsense", { "OMPI_COMM_WORLD_SIZE", "many", NULL }, 0 },
    /* clang-format on */
};

static void the_launcher_is_known_by_its_environment(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        print_message("  case: %s\n", rows[i].what);
        now = rows[i].env;
        assert_int_equal(osw_launch_n_ranks(look_up, &err), rows[i].want);
        assert_int_equal(err.status, rows[i].want < 0 ? OSW_BAD_INPUT : OSW_OK);
        if (rows[i].want < 0)
            assert_string_equal(err.text,
                                "SLURM_STEP_NUM_TASKS is 8, but PMIX_RANK is "
                                "not set: start the ranks by srun --mpi=pmix");
    }
}

static void a_step_of_one_task_may_be_a_shell(void **state)
{
    static const struct {
        const char *env[7];
        bool want;
    } cases[] = {
        {{"SLURM_STEP_NUM_TASKS", "1", "PMIX_RANK", "0", NULL}, true},
        {{"SLURM_STEP_NUM_TASKS", "1", NULL}, false},
        {{"SLURM_STEP_NUM_TASKS", "2", "PMIX_RANK", "0", NULL}, false},
        {{"SLURM_STEP_NUM_TASKS", "1", "PMIX_RANK", "0", "OPSWEEP_OUTCOME",
          "/x", NULL},
         false},
        {{"SLURM_STEP_NUM_TASKS", "1", "PMIX_RANK", "0", "OMPI_COMM_WORLD_SIZE",
          "4", NULL},
         false},
        {{NULL}, false},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        now = cases[i].env;
        assert_int_equal(osw_launch_is_lone(look_up), cases[i].want);
    }
}

static void there_is_always_a_worker(void **state)
{
    (void)state;
    assert_in_range(osw_launch_default_ranks("cpu"), 2, 5);
    setenv("CUDA_VISIBLE_DEVICES", "0,1,3", 1);
    assert_int_equal(osw_launch_default_ranks("cuda"), 4);
    setenv("CUDA_VISIBLE_DEVICES", "2", 1);
    assert_int_equal(osw_launch_default_ranks("cuda"), 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
}

/* --- with an mpirun of our own --- */

static char dir[] = "/tmp/test_launch_XXXXXX";

static void write_mpirun(const char *script)
{
    char path[64];
    FILE *f;

    snprintf(path, sizeof(path), "%s/mpirun", dir);
    f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n%s\n", script);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

/* Pieces of scripts: a coordinator, which is this program as main() runs it
 * with a word; and a wait for its end by SIGUSR1.
 */
#define COORDINATOR                                                            \
    "/proc/$PPID/exe coordinator & "                                           \
    "echo $! $(hostname) 1 >$OPSWEEP_OUTCOME.pid; "                            \
    "echo started >>$OPSWEEP_OUTCOME.pid; "
#define IS_ASKED "wait $!; [ $? = 138 ] && echo 4 >$OPSWEEP_OUTCOME"

static const struct {
    const char *what, *script;
    int want;
    const char *error;
} launches[] = {
    /* clang-format off */
    { "an outcome", "echo 3 >$OPSWEEP_OUTCOME; exit 0", 3, "" },
    { "an outcome counts more than mpirun's", "echo 0 >$OPSWEEP_OUTCOME; exit 7", 0, "" },
    { "no outcome", "exit 0", -1, "the coordinator ended before it was done" },
    { "what was begun is named", "echo 1 node1 1 >$OPSWEEP_OUTCOME.pid; "
      "echo started >>$OPSWEEP_OUTCOME.pid; echo 'a b.h5' >>$OPSWEEP_OUTCOME.pid", -1,
      "the coordinator ended before it was done; what was recorded is in 'a b.h5.journal', "
      "and opsweep run --resume 'a b.h5' goes on" },
    { "an empty outcome", ": >$OPSWEEP_OUTCOME", -1, "the coordinator ended before it was done" },
    { "an impossible outcome", "echo 256 >$OPSWEEP_OUTCOME", -1, "the coordinator ended before it was done" },
    { "mpirun fails", "exit 213", -1, "mpirun failed with exit code 213" },
    { "the words", "case \"$*\" in *'--enable-recovery '*' -n 5 '*'test_launch run -n 5'*) "
      "echo 0 >$OPSWEEP_OUTCOME;; esac", 0, "" },
    { "no input", "read x && exit 1; echo 0 >$OPSWEEP_OUTCOME", 0, "" },
    { "a request to stop is passed on", COORDINATOR "kill -TERM $PPID; " IS_ASKED, 4, "" },
    { "also where mpirun is asked like that", COORDINATOR "kill -USR1 $PPID; " IS_ASKED, 4, "" },
    { "one that comes before the coordinator", "trap 'exit 9' USR1; kill -TERM $PPID; sleep 1; "
      COORDINATOR IS_ASKED, 4, "" },
    { "mpirun hands it on to another node", "trap 'echo 4 >$OPSWEEP_OUTCOME; exit 0' USR1; "
      "kill -TERM $PPID; while :; do sleep 0.01; done", 4, "" },
    { "the third is the last", "trap : USR1; trap 'exit 9' TERM; "
      "for i in 1 2 3; do kill -INT $PPID; sleep 0.2; done; while :; do sleep 0.01; done", -1,
      "mpirun failed with exit code 9" },
    { "also of an mpirun that does not listen", "trap : USR1 TERM; for i in 1 2 3; do "
      "kill -INT $PPID; sleep 0.2; done; while :; do sleep 0.01; done", -1,
      "the coordinator ended before it was done" },
    { "a coordinator that is gone, and ranks that stay", COORDINATOR
      "sleep 1.5; kill -KILL $!; trap 'exit 9' TERM; while :; do sleep 0.01; done", -1,
      "the coordinator ended before it was done" },
    { "a start that fails is tried again", "echo $$ node1 1 >$OPSWEEP_OUTCOME.pid; "
      "[ -e $OPSWEEP_OUTCOME.once ] || { : >$OPSWEEP_OUTCOME.once; exit 139; }; "
      "rm $OPSWEEP_OUTCOME.once; echo 1 >$OPSWEEP_OUTCOME", 1, "" },
    { "but once", "echo $$ node1 1 >$OPSWEEP_OUTCOME.pid; exit 139", -1,
      "mpirun failed with exit code 139" },
    { "what has started is not", "echo $$ node1 1 >$OPSWEEP_OUTCOME.pid; "
      "echo started >>$OPSWEEP_OUTCOME.pid; "
      "[ ! -e $OPSWEEP_OUTCOME.once ] || { rm $OPSWEEP_OUTCOME.once; exit 1; }; "
      ": >$OPSWEEP_OUTCOME.once; exit 139", -1, "mpirun failed with exit code 139" },
    { "an mpirun that does not end", "echo 1 >$OPSWEEP_OUTCOME; trap 'exit 0' TERM; "
      "while :; do sleep 0.05; done", 1, "" },
    /* clang-format on */
};

static void the_exit_code_is_the_campaigns_own(void **state)
{
    static const char *const argv[] = {"opsweep", "run", "-n", "5"};

    (void)state;
    for (size_t i = 0; i < N_ELEM(launches); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        print_message("  case: %s\n", launches[i].what);
        write_mpirun(launches[i].script);
        assert_int_equal(osw_launch_run(5, N_ELEM(argv), argv, false, &err),
                         launches[i].want);
        assert_ptr_equal(strstr(err.text, launches[i].error), err.text);
    }
}

static void no_mpirun_is_a_clear_error(void **state)
{
    static const char *const argv[] = {"opsweep", "run"};
    struct osw_error err = OSW_ERROR_INIT;
    char *path = strdup(getenv("PATH"));

    (void)state;
    assert_non_null(path);
    setenv("PATH", "/nonexistent", 1);
    assert_int_equal(osw_launch_run(3, N_ELEM(argv), argv, false, &err), -1);
    setenv("PATH", path, 1);
    free(path);
    assert_string_equal(err.text, "no mpirun in PATH, needed for 3 ranks; -n 1 "
                                  "runs without");
}

static void rank_0_leaves_its_exit_code(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    char path[64], line[16] = "";
    FILE *f;

    (void)state;
    unsetenv("OPSWEEP_OUTCOME");
    assert_int_equal(osw_launch_note_leave_code(3, &err), 0);
    snprintf(path, sizeof(path), "%s/outcome", dir);
    setenv("OPSWEEP_OUTCOME", path, 1);
    assert_int_equal(osw_launch_note_leave_code(3, &err), 0);
    f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof(line), f));
    fclose(f);
    unlink(path);
    assert_string_equal(line, "3\n");
    setenv("OPSWEEP_OUTCOME", "/nonexistent/outcome", 1);
    assert_int_equal(osw_launch_note_leave_code(3, &err), -1);
    assert_non_null(strstr(err.text, "/nonexistent/outcome"));
    unsetenv("OPSWEEP_OUTCOME");
}

static int set_up(void **state)
{
    char path[4096];

    (void)state;
    if (!mkdtemp(dir))
        return -1;
    snprintf(path, sizeof(path), "%s:%s", dir, getenv("PATH"));
    return setenv("PATH", path, 1);
}

static int tear_down(void **state)
{
    char path[64];

    (void)state;
    snprintf(path, sizeof(path), "%s/mpirun", dir);
    unlink(path);
    return rmdir(dir);
}

static void gpus_are_counted_wherever_their_numbers_begin(void **state)
{
    char dev[] = "/tmp/opsweep-dev-XXXXXX", path[64];

    (void)state;
    assert_non_null(mkdtemp(dev));
    assert_int_equal(osw_launch_count_gpus(NULL, dev), 0);
    snprintf(path, sizeof(path), "%s/nvidia2", dev);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(osw_launch_count_gpus(NULL, dev), 1);
    assert_int_equal(osw_launch_count_gpus("", dev), 1);
    assert_int_equal(osw_launch_count_gpus("3", dev), 1);
    assert_int_equal(osw_launch_count_gpus("0,1,5", dev), 3);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(dev), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_launcher_is_known_by_its_environment),
        cmocka_unit_test(gpus_are_counted_wherever_their_numbers_begin),
        cmocka_unit_test(a_step_of_one_task_may_be_a_shell),
        cmocka_unit_test(there_is_always_a_worker),
        cmocka_unit_test(the_exit_code_is_the_campaigns_own),
        cmocka_unit_test(no_mpirun_is_a_clear_error),
        cmocka_unit_test(rank_0_leaves_its_exit_code),
    };

    if (argc == 2 && strcmp(argv[1], "coordinator") == 0)
        return pause();
    return cmocka_run_group_tests_name("mpi_runner/launch", tests, set_up,
                                       tear_down);
}
