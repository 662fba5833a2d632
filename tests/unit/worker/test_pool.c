/* tests/unit/worker/test_pool.c - sandboxes that stand by, and die of it */
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

#include "common/clock.h"
#include "worker/judge/process/pool.h"

/* '@': OSW_TALK_READY on the socket, which is descriptor 3. */
#define STANDS "printf @ >&3; sleep 60\n"

static struct osw_device *device;
static char folder[64], script_path[80];
static struct osw_pool pool;

static const struct osw_load file = {
    .device = "cpu", .path = "/nowhere.so", .symbol = "x"};

/* In place of the last one, which may be running. */
static void write_script(const char *lines)
{
    FILE *f;

    unlink(script_path);
    f = fopen(script_path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/bash\n%s\n", lines);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(script_path, 0700), 0);
}

/* Those that exit 0, but the first n, of which each leaves a line. */
static void write_script_failing(int n)
{
    char lines[300];

    snprintf(lines, sizeof(lines),
             "echo >>%s/tries\n[ $(wc -l <%s/tries) -gt %d ] || exit 1\n%s",
             folder, folder, n, STANDS);
    write_script(lines);
}

static void await_ended(const struct osw_sandbox *sandbox)
{
    for (int i = 0; i < 1000 && !osw_sandbox_has_ended(sandbox); i++)
        osw_clock_sleep_ns(10000000);
    assert_true(osw_sandbox_has_ended(sandbox));
}

static void a_standby_that_ended_is_not_handed_out(void **state)
{
    (void)state;
    write_script("exit 1");
    osw_pool_prepare(&pool);
    for (uint32_t i = 0; i < pool.n_standby; i++)
        await_ended(pool.standbys[i]);
    write_script(STANDS);
    osw_pool_ask(&pool, &file, "x.c", 5000000000);
    assert_non_null(pool.sandboxes[0]);
    assert_true(pool.sandboxes[0]->given);
    for (uint32_t i = 0; i < pool.n_standby; i++) /* nor kept */
        assert_true(!pool.standbys[i] ||
                    !osw_sandbox_has_ended(pool.standbys[i]));
}

/* Asking must not wait while a sandbox is started in place of another. */
static void asking_waits_for_no_sandbox(void **state)
{
    char lines[200], go[100];
    FILE *f;

    (void)state;
    snprintf(go, sizeof(go), "%s/go", folder);
    snprintf(lines, sizeof(lines), "while [ ! -e %s ]; do sleep 0.01; done\n%s",
             go, STANDS);
    write_script(lines);
    osw_pool_ask(&pool, &file, "x.c", 5000000000);
    assert_non_null(pool.sandboxes[0]);
    assert_false(pool.sandboxes[0]->ready);
    f = fopen(go, "w");
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(osw_sandbox_await(pool.sandboxes[0], 60000000000), 0);
    unlink(go);
}

static uint32_t n_standing(void)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < OSW_POOL_STANDBYS; i++)
        n += pool.standbys[i] != NULL;
    return n;
}

static void known_files_need_one_more_until_a_sandbox_dies(void **state)
{
    (void)state;
    write_script(STANDS);
    pool.n_standby = 4;
    pool.n_ahead = 12;
    pool.n_files = 2;
    osw_pool_prepare(&pool);
    assert_int_equal(n_standing(), 3);
    osw_pool_ask(&pool, &file, "x.c", 5000000000);
    assert_int_equal(n_standing(), 2);
    osw_pool_ask(&pool, &file, "y.c", 5000000000);
    assert_int_equal(n_standing(), 1);
    osw_pool_prepare(&pool);
    assert_int_equal(n_standing(), 1);
    osw_sandbox_end_as(pool.sandboxes[0], OSW_STATE_CRASH, "a test");
    osw_pool_sweep(&pool);
    osw_pool_prepare(&pool);
    assert_int_equal(n_standing(), 4);
}

static void the_id_of_a_sandbox_that_is_gone_finds_none(void **state)
{
    struct osw_sandbox_id old, new;

    (void)state;
    write_script(STANDS);
    osw_pool_ask(&pool, &file, "x.c", 5000000000);
    assert_non_null(pool.sandboxes[0]);
    old = pool.sandboxes[0]->id;
    assert_ptr_equal(osw_pool_find(&pool, old), pool.sandboxes[0]);
    osw_pool_drop(&pool, old);
    assert_null(osw_pool_find(&pool, old));
    osw_pool_ask(&pool, &file, "x.c", 5000000000);
    new = pool.sandboxes[0]->id;
    assert_int_equal(new.place, old.place);
    assert_null(osw_pool_find(&pool, old));
    osw_pool_drop(&pool, old); /* ends nothing */
    assert_ptr_equal(osw_pool_find(&pool, new), pool.sandboxes[0]);
    osw_sandbox_end_as(pool.sandboxes[0], OSW_STATE_CRASH, "a test");
    assert_null(osw_pool_find(&pool, new)); /* dead, still in its place */
    assert_null(osw_pool_find(&pool, OSW_NO_SANDBOX));
}

static void an_early_end_is_told_from_a_files_own(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_sandbox_end end;

    (void)state;
    write_script("echo no room >&2; exit 1");
    assert_null(osw_pool_get(&pool, &file, "x.c", 5000000000, &end, &err));
    assert_true(end.early);
    assert_int_equal(end.state, OSW_STATE_EXITED);
    assert_non_null(strstr(end.text, "exit status 1: no room"));
    osw_pool_close(&pool);
    unlink(script_path);
    assert_null(osw_pool_get(&pool, &file, "x.c", 5000000000, &end, &err));
    assert_true(end.early);
    assert_int_equal(end.state, OSW_STATE_NONE);
    assert_non_null(strstr(err.text, script_path));
}

static void the_first_standby_is_tried_again_a_few_times(void **state)
{
    struct osw_sandbox *first;

    (void)state;
    write_script_failing(4);
    osw_pool_prepare(&pool);
    first = osw_pool_first(&pool);
    assert_non_null(first);
    assert_true(first->ready);
    osw_pool_close(&pool);
    write_script("exit 1");
    osw_pool_prepare(&pool);
    first = osw_pool_first(&pool);
    assert_true(!first || !osw_sandbox_alive(first));
}

static int set_up(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/osw-test-pool-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(script_path, sizeof(script_path), "%s/sandbox", folder);
    return osw_device_cpu_ops.open(0, &device, &err);
}

static int set_up_pool(void **state)
{
    (void)state;
    pool = (struct osw_pool){
        .env = {.device = device,
                .sandbox_path = script_path,
                .window_bytes = 1 << 20,
                .n_threads = 1},
        .n_sandboxes = 8,
        .n_standby = 2,
        .n_ahead = 2,
    };
    pool.host = pool.env;
    return 0;
}

static int tear_down_pool(void **state)
{
    (void)state;
    osw_pool_close(&pool);
    return 0;
}

static int tear_down(void **state)
{
    char command[100];

    (void)state;
    osw_device_cpu_ops.close(device);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up_pool, tear_down_pool)
        T(a_standby_that_ended_is_not_handed_out),
        T(asking_waits_for_no_sandbox),
        T(known_files_need_one_more_until_a_sandbox_dies),
        T(the_id_of_a_sandbox_that_is_gone_finds_none),
        T(an_early_end_is_told_from_a_files_own),
        T(the_first_standby_is_tried_again_a_few_times),
#undef T
    };

    return cmocka_run_group_tests_name("worker/pool", tests, set_up, tear_down);
}
