/* tests/unit/mpi_runner/test_generate_profiled.c - what ncu says of a kernel to
 * a model: from its report, and by way of `opsweep show`
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi_runner/diagnose/instrument.h"
#include "mpi_runner/generate/explain.h"
#include "mpi_runner/generate/profiled.h"
#include "worker/scratch.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

#define HEAD(name, grid)                                                       \
    "  " name " (" grid                                                        \
    ", 1, 1)x(256, 1, 1), Context 1, Stream 13, Device 0, "                    \
    "CC 9.0\n"                                                                 \
    "    Section: GPU Speed Of Light Throughput\n"                             \
    "    ----------------------- ----------- ------------\n"                   \
    "    Metric Name             Metric Unit Metric Value\n"                   \
    "    ----------------------- ----------- ------------\n"                   \
    "    DRAM Frequency                  Ghz         2.62\n"
#define TIME(us)      "    Duration                         us         " us "\n"
#define THROUGHPUT(p) "    DRAM Throughput                   %        " p "\n"

static const struct {
    const char *what, *report, *code, *want;
} reports[] = {
    /* clang-format off */
    { "numbers that say what bounds it",
      "==PROF== Connected to process 41\n"
      HEAD("scale(const float *, float *, long)", "64") TIME("3.10") THROUGHPUT("45.20")
      "\n    OPT   This kernel's Duration  is short\n",
      "__global__ void scale(const float *in)",
      "kernel scale (64, 1, 1)x(256, 1, 1)\n"
      "  Duration us 3.10\n  DRAM Throughput % 45.20\n" },
    { "the last launch counts",
      HEAD("scale(int)", "1") TIME("9.00") HEAD("other(int)", "2") TIME("8.00")
      HEAD("scale(int)", "3") TIME("7.00"),
      "scale", "kernel scale (3, 1, 1)x(256, 1, 1)\n  Duration us 7.00\n" },
    { "a template, and what its launch says of its type",
      HEAD("void k<float, (int)4>(T1 *, long)", "5") TIME("2.00"), "void k(",
      "kernel k (5, 1, 1)x(256, 1, 1)\n  Duration us 2.00\n" },
    { "a name within another one is another one",
      HEAD("scale(int)", "1") TIME("9.00"), "rescale scale2 scale_", "" },
    { "three kernels at most",
      HEAD("a(int)", "1") HEAD("b(int)", "1") HEAD("c(int)", "1") HEAD("d(int)", "1")
      TIME("1.00"), "a b c d",
      "kernel a (1, 1, 1)x(256, 1, 1)\nkernel b (1, 1, 1)x(256, 1, 1)\n"
      "kernel c (1, 1, 1)x(256, 1, 1)\n" },
    { "a line that is cut", "  scale(int) (1, 1, 1)x(256", "scale", "" },
    { "no shape", "scale, Context 1", "scale", "" },
    { "nothing", "", "scale", "" },
    /* clang-format on */
};

static void a_report_is_the_numbers_of_its_kernels(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(reports); i++) {
        struct osw_text t = OSW_TEXT_INIT;

        print_message("  case: %s\n", reports[i].what);
        osw_profiled_add(reports[i].report, reports[i].code, &t);
        assert_string_equal(t.used ? osw_text_str(&t) : "", reports[i].want);
        osw_text_free(&t);
    }
}

/* --- by way of `opsweep show`, which this program is then --- */

static int show(void)
{
    const char *const command[] = {"/bin/true", NULL};
    const struct osw_instrument_job job = {.tool = "ncu",
                                           .device = "cuda",
                                           .command = command,
                                           .out = stdout,
                                           .limit_s = 30};
    struct osw_error err = OSW_ERROR_INIT;

    printf("isolation %s\n", getenv("OPSWEEP_ISOLATION"));
    if (osw_instrument_run(&job, &err) >= 0)
        return 0;
    fprintf(stderr, "opsweep: %s\n", err.text);
    return 5;
}

static const char find_log[] =
    "#!/bin/sh\nwhile [ \"$1\" != --log-file ]; do shift; done\nlog=$2\n";

static const struct {
    const char *what, *script; /* of ncu */
    bool unisolated;
    const char *profile, *no_profile;
} tools[] = {
    /* clang-format off */
    { "it measures",
      "printf '%s\\n' '  scale(int) (64, 1, 1)x(256, 1, 1), Context 1, Stream 7'"
      " '    Duration       us         3.10' >$log", false,
      "kernel scale (64, 1, 1)x(256, 1, 1)\n  Duration us 3.10\n", "" },
    { "without isolation where that is wanted",
      "[ $OPSWEEP_ISOLATION = off ] && printf '%s\\n' "
      "'  scale(int) (64, 1, 1)x(256, 1, 1), Context 1' >$log", true,
      "kernel scale (64, 1, 1)x(256, 1, 1)\n", "" },
    { "counters are not allowed",
      "echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission' >$log",
      false, "", "ncu: ==ERROR== ERR_NVGPUCTRPERM - The user does not have permission" },
    { "it fails", "echo no device; exit 1", false, "",
      "ncu ended with exit status 1: no device" },
    { "it sees no kernel", "echo '==WARNING== No kernels were profiled.' >$log",
      false, "", "" },
    /* clang-format on */
};

static void write_ncu(const char *folder, const char *script)
{
    char path[128];
    FILE *f;

    snprintf(path, sizeof(path), "%s/ncu", folder);
    f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "%s%s\n", find_log, script);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static void what_ncu_says_comes_by_way_of_show(void **state)
{
    static const volatile sig_atomic_t n_stop = 0;
    char folder[] = "/tmp/opsweep-profiled.XXXXXX", run[64], path[4096];
    struct osw_error err = OSW_ERROR_INIT;
    const struct osw_explain_cell cell = {.file = "wave.h5",
                                          .state = OSW_STATE_PASS};
    osw_asked_t *asked;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(run, sizeof(run), "%s/run", folder);
    snprintf(path, sizeof(path), "%s:%s", folder, getenv("PATH"));
    setenv("PATH", path, 1);
    asked = osw_asked_open(run, false, &err);
    assert_non_null(asked);
    snprintf(path, sizeof(path), "%s/.waves", run);
    assert_int_equal(mkdir(path, 0700), 0);
    for (size_t k = 0; k < 2 * N_ELEM(tools); k++) {
        const size_t i = k / 2;
        const char *given = k % 2 ? "full" : NULL, *left;
        const struct osw_explain_job job = {.asked = asked,
                                            .cell = &cell,
                                            .code = "void scale(int)",
                                            .unisolated = tools[i].unisolated,
                                            .n_stop = &n_stop,
                                            .arena = osw_arena_create()};
        struct osw_explanation found;

        print_message("  case: %s\n", tools[i].what);
        assert_non_null(job.arena);
        write_ncu(folder, tools[i].script);
        if (given)
            setenv("OPSWEEP_ISOLATION", given, 1);
        else
            unsetenv("OPSWEEP_ISOLATION");
        found = osw_explain(&job);
        assert_string_equal(found.profile, tools[i].profile);
        assert_string_equal(found.no_profile, tools[i].no_profile);
        left = getenv("OPSWEEP_ISOLATION");
        if (given)
            assert_string_equal(left, given);
        else
            assert_null(left);
        osw_arena_destroy(job.arena);
    }
    osw_asked_close(asked);
    osw_scratch_remove(folder);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_is_the_numbers_of_its_kernels),
        cmocka_unit_test(what_ncu_says_comes_by_way_of_show),
    };

    if (argc > 1 && strcmp(argv[1], "show") == 0)
        return show();
    return cmocka_run_group_tests_name("mpi_runner/generate_profiled", tests,
                                       NULL, NULL);
}
