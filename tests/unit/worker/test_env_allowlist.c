/* tests/unit/worker/test_env_allowlist.c - what of the environment op code may
 * see */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/judge/process/env_allowlist.h"

static const struct {
    const char *assignment;
    const char *named;
    bool passes;
} rows[] = {
    /* clang-format off */
    { "PATH=/bin",                NULL, true },
    { "PATHS=/bin",               NULL, false },
    { "PAT=/bin",                 NULL, false },
    { "HOME=",                    NULL, true },
    { "LC_ALL=C",                 NULL, true },
    { "PYTHONPATH=/a",            NULL, true },
    { "OMP_NUM_THREADS=1=2",      NULL, true },
    { "CUDA_VISIBLE_DEVICES=0",   NULL, true },
    { "XCUDA_A=1",                NULL, false },
    { "AWS_REGION=x",             NULL, false },
    { "SSH_AUTH_SOCK=/run/x",     NULL, false },
    { "DISPLAY=:0",               NULL, false },
    /* Within an allowed prefix, and a secret all the same. */
    { "PYTHON_TOKEN=x",           NULL, false },
    { "CUDA_API_KEY=x",           NULL, false },
    { "OPSWEEP_PASSWORD=x",       NULL, false },
    { "TORCH_SECRET_HOME=x",      NULL, false },
    { "CUDA_A=SECRET",            NULL, true }, /* the value may say so */
    /* Named. */
    { "AWS_REGION=x",             "AWS_REGION", true },
    { "AWS_REGION=x",             "A,AWS_*,B", true },
    { "AWS_REGION=x",             "AWS_,AWS,REGION", false },
    { "PYTHON_TOKEN=x",           "PYTHON_TOKEN", true },
    { "AWS_REGION=x",             ",", false },
    { "",                         ",", false },
    { "=",                        NULL, false },
    /* clang-format on */
};

static void each_name_passes_or_does_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        print_message("  case: %s\n", rows[i].assignment);
        assert_int_equal(osw_env_allows(rows[i].assignment, rows[i].named),
                         rows[i].passes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_name_passes_or_does_not),
    };

    return cmocka_run_group_tests_name("worker/passes", tests, NULL, NULL);
}
