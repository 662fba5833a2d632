/* tests/unit/mpi_runner/test_instrument.c - a command under a tool
 *
 * The tools are shell scripts that leave what the true ones leave.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi_runner/diagnose/instrument.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
    char root[64], report[96], output[128];
    char text[4096]; /* what was reported */
    struct osw_error err;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    char path[128];

    assert_non_null(f);
    strcpy(f->root, "/tmp/osw-tool-XXXXXX");
    assert_non_null(mkdtemp(f->root));
    snprintf(f->report, sizeof(f->report), "%s/report", f->root);
    snprintf(f->output, sizeof(f->output), "%s/output", f->root);
    snprintf(path, sizeof(path), "%s:/usr/bin:/bin", f->root);
    setenv("PATH", path, 1);
    setenv("CUDA_HOME", f->root, 1);
    setenv("TMPDIR", f->root, 1);
    unsetenv("OPSWEEP_CFLAGS");
    unsetenv("OPSWEEP_CXXFLAGS");
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    char command[128];

    snprintf(command, sizeof(command), "/bin/rm -rf '%s'", f->root);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

static void write_tool(const struct fixture *f, const char *name,
                       const char *script)
{
    char path[256];
    FILE *out;

    snprintf(path, sizeof(path), "%s/%s", f->root, name);
    out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "#!/bin/sh\n%s\n", script);
    fclose(out);
    assert_int_equal(chmod(path, 0700), 0);
}

static void slurp(struct fixture *f, const char *path)
{
    FILE *in = fopen(path, "r");

    assert_non_null(in);
    f->text[fread(f->text, 1, sizeof(f->text) - 1, in)] = '\0';
    fclose(in);
}

static int run(struct fixture *f, const char *tool, const char *device,
               const char *output)
{
    static const char *const command[] = {"/bin/echo", "the", "cell", NULL};
    struct osw_instrument_job job = {.tool = tool,
                                     .device = device,
                                     .command = command,
                                     .output = output,
                                     .out = fopen(f->report, "w")};
    int rc;

    assert_non_null(job.out);
    f->err = (struct osw_error)OSW_ERROR_INIT;
    rc = osw_instrument_run(&job, &f->err);
    fclose(job.out);
    slurp(f,
          output && rc >= 0 && access(output, F_OK) == 0 ? output : f->report);
    return rc;
}

/* Temporary files and folders that are still there. */
static int n_left(const struct fixture *f)
{
    DIR *dir = opendir(f->root);
    struct dirent *e;
    int n = 0;

    assert_non_null(dir);
    while ((e = readdir(dir)))
        n += strncmp(e->d_name, "opsweep-tool", 12) == 0 ||
             strstr(e->d_name, ".tmp.") != NULL;
    closedir(dir);
    return n;
}

/* The word after --log-file, as `log`. */
#define FIND_LOG                                                               \
    "for w; do case $p in --log-file) log=$w;; esac; "                         \
    "case $w in --log-file=*) log=${w#*=};; esac; p=$w; done; "

static const struct {
    const char *what, *tool, *device, *program, *script;
    int rc;
    const char *text; /* in the report, or in the failure */
} cases[] = {
    /* clang-format off */
    { "words of the tool, then the command", "racecheck", "cuda", "compute-sanitizer",
      FIND_LOG "echo \"$*\" >\"$log\"", 0,
      "--tool racecheck --target-processes all --target-processes-filter opsweep-sandbox "
      "--check-exit-code no --error-exitcode 86 --log-file " },
    { "the command stands last", "memcheck", "cuda", "compute-sanitizer",
      FIND_LOG "echo \"$*\" >\"$log\"", 0, "/tool.log /bin/echo the cell\n" },
    { "the sanitizer found errors", "memcheck", "cuda", "compute-sanitizer",
      FIND_LOG "echo '========= ERROR SUMMARY: 3 errors' >\"$log\"; exit 86", 1,
      "ERROR SUMMARY: 3 errors" },
    { "the command failed", "synccheck", "cuda", "compute-sanitizer",
      "echo 'opsweep: no such op' >&2; exit 2", -1,
      "compute-sanitizer ended with exit status 2: opsweep: no such op" },
    { "the tool crashed", "initcheck", "cuda", "compute-sanitizer",
      "kill -SEGV $$", -1, "compute-sanitizer was ended by signal 11" },
    { "a profile", "ncu", "cuda", "ncu",
      FIND_LOG "echo \"==PROF== $*\" >\"$log\"", 0, "==PROF== --target-processes all" },
    { "a profile that was not allowed", "ncu", "cuda", "ncu",
      FIND_LOG "printf 'x\\n==ERROR== ERR_NVGPUCTRPERM - no permission\\ny\\n' >\"$log\"", -1,
      "ncu: ==ERROR== ERR_NVGPUCTRPERM - no permission" },
    { "errors of the sandbox", "memcheck", "cpu", "valgrind",
      FIND_LOG "printf '==1== Command: /x/opsweep-sandbox\\n==1== <error>\\n==1== Invalid read\\n' "
      ">\"${log%/*}/1.log\"; echo '==2== Command: opsweep show' >\"${log%/*}/2.log\"", 1,
      "Invalid read" },
    { "errors of no process that counts", "memcheck", "cpu", "valgrind",
      FIND_LOG "printf '==1== Command: opsweep show opsweep\\n==1== <error>\\n' >\"${log%/*}/1.log\"; "
      "printf '==2== Command: /x/opsweep-sandbox\\nall is well\\n' >\"${log%/*}/2.log\"", 0,
      "all is well" },
    /* clang-format on */
};

static void tools_end_as_their_logs_say(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(cases); i++) {
        int rc;

        print_message("  case: %s\n", cases[i].what);
        write_tool(f, cases[i].program, cases[i].script);
        rc = run(f, cases[i].tool, cases[i].device, NULL);
        assert_int_equal(rc, cases[i].rc);
        if (!strstr(rc < 0 ? f->err.text : f->text, cases[i].text))
            fail_msg("'%s' is not in '%s'", cases[i].text,
                     rc < 0 ? f->err.text : f->text);
        if (rc < 0)
            assert_int_equal(f->err.status, OSW_CHILD);
        assert_int_equal(n_left(f), 0);
    }
}

static void logs_of_others_are_left_out(void **state)
{
    struct fixture *f = *state;

    write_tool(f, "valgrind",
               FIND_LOG "echo '==2== Command: opsweep show' "
                        ">\"${log%/*}/2.log\"");
    assert_int_equal(run(f, "memcheck", "cpu", NULL), 0);
    assert_string_equal(f->text, "");
}

static void a_report_goes_where_it_should(void **state)
{
    struct fixture *f = *state;

    write_tool(f, "compute-sanitizer",
               FIND_LOG "echo found >\"$log\"; exit 86");
    assert_int_equal(run(f, "memcheck", "cuda", f->output), 1);
    assert_string_equal(f->text, "found\n");
    assert_int_equal(run(f, "memcheck", "cuda", f->output), 1); /* again */

    /* ncu writes its own, and is told to. */
    write_tool(f, "ncu", FIND_LOG "echo \"$*\" >\"$log\"");
    unlink(f->output);
    assert_int_equal(run(f, "ncu", "cuda", f->output), 0);
    assert_non_null(strstr(f->text, "--force-overwrite --export "));
    assert_non_null(strstr(f->text, f->output));

    assert_int_equal(run(f, "memcheck", "cuda", "/nowhere/report"), -1);
    assert_int_equal(f->err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(f->err.text, "cannot write '/nowhere/report'"));
    assert_int_equal(n_left(f), 0);
}

static void what_the_command_says_is_not_mixed_in(void **state)
{
    struct fixture *f = *state;

    write_tool(f, "compute-sanitizer",
               FIND_LOG "echo noise; echo noise >&2; echo log >\"$log\"");
    assert_int_equal(run(f, "memcheck", "cuda", NULL), 0);
    assert_string_equal(f->text, "log\n");
}

static void a_missing_tool_is_told_with_what_brings_it(void **state)
{
    struct fixture *f = *state;

    setenv("PATH", f->root, 1);
    assert_int_equal(osw_instrument_check("memcheck", "cpu", &f->err), -1);
    assert_int_equal(f->err.status, OSW_SYSTEM);
    assert_string_equal(f->err.text, "no 'valgrind' in PATH: it comes with the "
                                     "package valgrind");
    assert_null(getenv("OPSWEEP_CFLAGS"));
}

static void a_tool_is_for_one_kind_of_device(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(osw_instrument_check("racecheck", "cpu", &f->err), -1);
    assert_int_equal(f->err.status, OSW_BAD_INPUT);
    assert_string_equal(f->err.text,
                        "'racecheck' looks at cells on cuda, this one ran on "
                        "cpu");
}

static void tools_are_found_beside_the_compiler(void **state)
{
    struct fixture *f = *state;
    char path[128];

    snprintf(path, sizeof(path), "%s/bin", f->root);
    assert_int_equal(mkdir(path, 0700), 0);
    write_tool(f, "bin/ncu", FIND_LOG "echo here >\"$log\"");
    setenv("PATH", "/usr/bin:/bin", 1);
    assert_int_equal(osw_instrument_check("ncu", "cuda", &f->err), 0);
    assert_int_equal(run(f, "ncu", "cuda", NULL), 0);
    assert_string_equal(f->text, "here\n");
}

static void builds_are_told_what_reports_need(void **state)
{
    struct fixture *f = *state;

    write_tool(f, "valgrind", "true");
    assert_int_equal(osw_instrument_check("memcheck", "cpu", &f->err), 0);
    assert_non_null(getenv("OPSWEEP_CFLAGS"));
    assert_non_null(strstr(getenv("OPSWEEP_CFLAGS"), " -g"));
    assert_non_null(strstr(getenv("OPSWEEP_CXXFLAGS"), "gnu++17"));
    assert_non_null(strstr(getenv("OPSWEEP_CXXFLAGS"), " -g"));
    setenv("OPSWEEP_CFLAGS", "-O0", 1); /* the user has set flags */
    assert_int_equal(osw_instrument_check("memcheck", "cpu", &f->err), 0);
    assert_string_equal(getenv("OPSWEEP_CFLAGS"), "-O0");
}

static void a_tool_that_hangs_is_ended(void **state)
{
    static const char *const command[] = {"/bin/echo", NULL};
    struct fixture *f = *state;
    struct osw_instrument_job job = {.tool = "memcheck",
                                     .device = "cpu",
                                     .command = command,
                                     .out = fopen(f->report, "w"),
                                     .limit_s = 0.3};

    write_tool(f, "valgrind", "exec sleep 1000");
    assert_non_null(job.out);
    assert_int_equal(osw_instrument_run(&job, &f->err), -1);
    fclose(job.out);
    assert_int_equal(f->err.status, OSW_CHILD);
    assert_non_null(strstr(f->err.text, "valgrind did not end within"));
    assert_int_equal(n_left(f), 0);
}

static void valgrind_leaves_no_pipes(void **state)
{
    struct fixture *f = *state;

    write_tool(f, "valgrind",
               "case \"$*\" in *--vgdb=no*) ;; *) exit 3;; esac");
    assert_int_equal(run(f, "memcheck", "cpu", NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(tools_end_as_their_logs_say),
        T(logs_of_others_are_left_out),
        T(a_report_goes_where_it_should),
        T(what_the_command_says_is_not_mixed_in),
        T(a_missing_tool_is_told_with_what_brings_it),
        T(a_tool_is_for_one_kind_of_device),
        T(tools_are_found_beside_the_compiler),
        T(builds_are_told_what_reports_need),
        T(a_tool_that_hangs_is_ended),
        T(valgrind_leaves_no_pipes),
#undef T
    };

    return cmocka_run_group_tests_name("mpi_runner/instrument", tests, NULL,
                                       NULL);
}
