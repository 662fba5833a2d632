/* tests/unit/build/test_build_wait.c - does a lock's holder show that it works?
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ops/build/build_wait.h"

#define MS INT64_C(1000000)

/* Looks of a process that waits, with a deadline of 1.2 s: 100 ms of silence
 * are too long.
 */
static void silence_is_counted_while_the_process_waits(void **state)
{
    static const struct {
        const char *what;
        int64_t shown_ns, now_ns;
        bool want;
    } looks[] = {
        {"the first look", 7, 1000 * MS, false},
        {"nothing new", 7, 1099 * MS, false},
        {"it was touched", 8, 1150 * MS, false},
        {"90 ms later", 8, 1240 * MS, false},
        {"its clock was set back", 5, 1300 * MS, false},
        {"we were stopped for a minute", 5, 61300 * MS, true},
        {"the next one holds it", 9, 61400 * MS, false},
        {"99 ms later", 9, 61499 * MS, false},
        {"too long", 9, 61501 * MS, true},
    };
    struct osw_build_wait wait = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
        print_message("  look: %s\n", looks[i].what);
        assert_int_equal(osw_build_wait_is_vain(&wait, looks[i].shown_ns,
                                                1200 * MS, looks[i].now_ns),
                         looks[i].want);
    }
}

static void time_that_we_did_not_run_is_no_waiting(void **state)
{
    struct osw_build_wait wait = {0};

    (void)state;
    assert_false(osw_build_wait_is_vain(&wait, 7, 120000 * MS, 1000 * MS));
    assert_false(osw_build_wait_is_vain(&wait, 7, 120000 * MS, 90000 * MS));
    assert_false(osw_build_wait_is_vain(&wait, 7, 120000 * MS, 180000 * MS));
}

static void a_touch_changes_what_is_shown(void **state)
{
    char dir[] = "/tmp/osw-wait-XXXXXX", path[64];
    const struct timespec old[2] = {{.tv_sec = 7}, {.tv_sec = 7}};
    int64_t touched_ns = 0;
    int fd;

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/name.lock", dir);
    assert_int_equal(osw_build_wait_shown_ns(dir, "name"), 0);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(futimens(fd, old), 0);
    assert_int_equal(osw_build_wait_shown_ns(dir, "name"), 7000 * MS);
    osw_build_wait_show(fd, &touched_ns);
    assert_true(osw_build_wait_shown_ns(dir, "name") > 7000 * MS);
    assert_int_equal(futimens(fd, old), 0);
    touched_ns += 3600000 * MS; /* less than a second ago */
    osw_build_wait_show(fd, &touched_ns);
    assert_int_equal(osw_build_wait_shown_ns(dir, "name"), 7000 * MS);
    touched_ns -= 3601001 * MS;
    osw_build_wait_show(fd, &touched_ns);
    assert_true(osw_build_wait_shown_ns(dir, "name") > 7000 * MS);
    close(fd);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silence_is_counted_while_the_process_waits),
        cmocka_unit_test(time_that_we_did_not_run_is_no_waiting),
        cmocka_unit_test(a_touch_changes_what_is_shown),
    };

    return cmocka_run_group_tests_name("build/wait", tests, NULL, NULL);
}
