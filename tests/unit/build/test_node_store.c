/* tests/unit/build/test_node_store.c - a folder of this node for the objects of
 * one campaign */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ops/build/node_store.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static char place[] = "/tmp/test_node_store.XXXXXX";

static int set_up(void **state)
{
    (void)state;
    strcpy(place + strlen(place) - 6, "XXXXXX");
    return mkdtemp(place) ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", place);
    return system(command);
}

static struct osw_node_store open_store(const char *campaign)
{
    struct osw_node_store store = {.dir = ""};
    struct osw_error err = OSW_ERROR_INIT;

    if (osw_node_store_open(&store, place, campaign, &err) < 0)
        fail_msg("%s", err.text);
    return store;
}

static bool is_there(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

static void only_we_can_read_it(void **state)
{
    struct osw_node_store store = open_store("abc1");
    struct stat st;

    (void)state;
    assert_int_equal(stat(store.dir, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    osw_node_store_close(&store);
}

static void the_last_process_removes_it(void **state)
{
    struct osw_node_store a = open_store("abc1"), b = open_store("abc1");
    struct osw_error err = OSW_ERROR_INIT;
    char dir[OSW_NODE_STORE_MAX_DIR];

    (void)state;
    strcpy(dir, a.dir);
    assert_string_equal(a.dir, b.dir);
    assert_int_equal(osw_node_store_put(&a, "x", "so", "code", 4, &err), 0);
    osw_node_store_close(&a);
    assert_true(is_there(dir));
    osw_node_store_close(&b);
    assert_false(is_there(dir));
    osw_node_store_close(&b); /* once more does nothing */
}

static void a_file_is_there_as_a_whole(void **state)
{
    struct osw_node_store store = open_store("abc1");
    struct osw_error err = OSW_ERROR_INIT;
    char path[OSW_NODE_STORE_MAX_DIR + 8], text[8] = "";
    FILE *f;

    (void)state;
    assert_int_equal(osw_node_store_put(&store, "x", "so", "old", 3, &err), 0);
    assert_int_equal(osw_node_store_put(&store, "x", "so", "code", 4, &err), 0);
    snprintf(path, sizeof(path), "%s/x.so", store.dir);
    f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof(text), f));
    fclose(f);
    assert_string_equal(text, "code");
    osw_node_store_close(&store);
}

/* A process that holds it and is killed. */
static void what_a_killed_process_left_is_swept(void **state)
{
    struct osw_node_store live = open_store("live");
    char dir[OSW_NODE_STORE_MAX_DIR];
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        (void)open_store("dead");
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    snprintf(dir, sizeof(dir), "%s/opsweep-objects-dead", place);
    assert_true(is_there(dir));
    osw_node_store_sweep(place);
    assert_false(is_there(dir));
    assert_true(is_there(live.dir));
    osw_node_store_close(&live);
}

static void others_folders_are_not_swept(void **state)
{
    char dir[OSW_NODE_STORE_MAX_DIR];

    (void)state;
    snprintf(dir, sizeof(dir), "%s/of-another-program", place);
    assert_int_equal(mkdir(dir, 0700), 0);
    osw_node_store_sweep(place);
    assert_true(is_there(dir));
}

/* Another user may have made it first, to read what we write. */
static void a_folder_that_others_can_read_is_refused(void **state)
{
    struct osw_node_store store = {.dir = ""};
    struct osw_error err = OSW_ERROR_INIT;
    char dir[OSW_NODE_STORE_MAX_DIR];

    (void)state;
    snprintf(dir, sizeof(dir), "%s/opsweep-objects-abc1", place);
    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(chmod(dir, 0750), 0);
    assert_int_equal(osw_node_store_open(&store, place, "abc1", &err), -1);
    assert_non_null(strstr(err.text, "that only we can read"));
    assert_string_equal(store.dir, "");
}

static void a_link_is_not_followed(void **state)
{
    struct osw_node_store store = {.dir = ""};
    struct osw_error err = OSW_ERROR_INIT;
    char dir[OSW_NODE_STORE_MAX_DIR];

    (void)state;
    snprintf(dir, sizeof(dir), "%s/opsweep-objects-abc1", place);
    assert_int_equal(symlink("/tmp", dir), 0);
    assert_int_equal(osw_node_store_open(&store, place, "abc1", &err), -1);
    assert_non_null(strstr(err.text, "cannot open"));
}

static void a_place_that_is_none_is_named(void **state)
{
    struct osw_node_store store = {.dir = ""};
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_int_equal(osw_node_store_open(&store, "/proc", "abc1", &err), -1);
    assert_non_null(strstr(err.text, "'/proc' is on a file system of kind"));
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_node_store_open(&store, "/no/where", "abc1", &err),
                     -1);
    assert_non_null(strstr(err.text, "'/no/where'"));
}

#define MAX OSW_NODE_STORE_MAX_BYTES

static void it_takes_half_of_what_is_free_and_so_much_at_most(void **state)
{
    static const struct {
        uint64_t used, free, n;
        bool fits;
    } rows[] = {
        {0, 2 * MAX, MAX, true},
        {0, 4 * MAX, MAX + 1, false},
        {MAX - 10, 2 * MAX, 10, true},
        {MAX - 10, 2 * MAX, 11, false},
        {0, 20, 10, true},
        {0, 20, 11, false},
        {10, 30, 10, true}, /* of 40 that were free */
        {10, 29, 10, false},
        {MAX + 1, 4 * MAX, 1, false},
        {0, 0, 1, false},
        {UINT64_MAX, UINT64_MAX, 1, false},
        {0, UINT64_MAX, UINT64_MAX, false},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        print_message("  case: %zu\n", i);
        assert_int_equal(
            osw_node_store_fits(rows[i].used, rows[i].free, rows[i].n),
            rows[i].fits);
    }
}

static void what_does_not_fit_is_refused_with_numbers(void **state)
{
    struct osw_node_store store = open_store("abc1");
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_int_equal(
        osw_node_store_put(&store, "x", "so", "", (size_t)MAX + 1, &err), -1);
    assert_int_equal(err.status, OSW_SYSTEM);
    assert_non_null(strstr(err.text, "has no room for 536870913 bytes"));
    osw_node_store_close(&store);
}

static void words_for_it_are_off_or_a_path(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_int_equal(osw_node_store_check(NULL, &err), 0);
    assert_int_equal(osw_node_store_check("", &err), 0);
    assert_int_equal(osw_node_store_check("off", &err), 0);
    assert_int_equal(osw_node_store_check("/local", &err), 0);
    assert_int_equal(osw_node_store_check("of", &err), -1);
    assert_string_equal(
        err.text, "OPSWEEP_NODE_CACHE 'of': expected off or an absolute path");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        T(only_we_can_read_it),
        T(the_last_process_removes_it),
        T(a_file_is_there_as_a_whole),
        T(what_a_killed_process_left_is_swept),
        T(others_folders_are_not_swept),
        T(a_folder_that_others_can_read_is_refused),
        T(a_link_is_not_followed),
        T(a_place_that_is_none_is_named),
        T(it_takes_half_of_what_is_free_and_so_much_at_most),
        T(what_does_not_fit_is_refused_with_numbers),
        T(words_for_it_are_off_or_a_path),
#undef T
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
