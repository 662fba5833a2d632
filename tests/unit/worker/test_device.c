/* tests/unit/worker/test_device.c - where a device's driver keeps its cache */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "worker/device/device.h"

static void keep(const char *cache, const char *path, const char *off)
{
    setenv("OPSWEEP_CACHE", cache, 1);
    path ? setenv("TRY_PATH", path, 1) : unsetenv("TRY_PATH");
    off ? setenv("TRY_OFF", off, 1) : unsetenv("TRY_OFF");
    osw_device_keep_cache("TRY_PATH", "TRY_OFF");
}

static void a_driver_compiles_into_the_build_cache(void **state)
{
    char folder[] = "/tmp/opsweep-device-XXXXXX", want[64];

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(want, sizeof(want), "%s/driver", folder);
    for (int i = 0; i < 2; i++) { /* it may be there */
        keep(folder, NULL, NULL);
        assert_string_equal(getenv("TRY_PATH"), want);
        assert_null(getenv("TRY_OFF"));
        assert_int_equal(access(want, W_OK | X_OK), 0);
    }
    rmdir(want);
    rmdir(folder);
}

static void what_the_user_set_stays(void **state)
{
    (void)state;
    keep("/dev/null/none", "/somewhere", NULL);
    assert_string_equal(getenv("TRY_PATH"), "/somewhere");
    assert_null(getenv("TRY_OFF"));
    keep("/dev/null/none", NULL, "0");
    assert_null(getenv("TRY_PATH"));
    assert_string_equal(getenv("TRY_OFF"), "0");
}

static void without_a_build_cache_there_is_none(void **state)
{
    (void)state;
    keep("/dev/null/none", NULL, NULL);
    assert_null(getenv("TRY_PATH"));
    assert_string_equal(getenv("TRY_OFF"), "1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_driver_compiles_into_the_build_cache),
        cmocka_unit_test(what_the_user_set_stays),
        cmocka_unit_test(without_a_build_cache_there_is_none),
    };

    return cmocka_run_group_tests_name("worker/device", tests, NULL, NULL);
}
