/* tests/unit/build/test_file_hash.c - hashes of files, read and kept */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ops/build/file_hash.h"

static char path[] = "/tmp/test_file_hash.XXXXXX";

static int set_up(void **state)
{
    int fd;

    (void)state;
    strcpy(path + strlen(path) - 6, "XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(path);
}

static void put(const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static struct osw_file_hash get(const char *of)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_file_hash hash;

    if (osw_file_hash(of, &hash, &err) < 0)
        fail_msg("%s", err.text);
    return hash;
}

/* FIPS 180-2, appendix B.1. */
static void the_hash_is_sha_256(void **state)
{
    static const uint8_t abc[] = {
        0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40,
        0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17,
        0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};

    (void)state;
    put("abc");
    assert_memory_equal(get(path).sha256, abc, sizeof(abc));
}

/* Written as fast as a test can: same size, maybe the same time. */
static void what_was_just_written_is_read_again(void **state)
{
    struct osw_file_hash last, hash;
    char text[16];

    (void)state;
    put("start 0000");
    last = get(path);
    for (int i = 0; i < 500; i++) {
        snprintf(text, sizeof(text), "again %04d", i);
        put(text);
        hash = get(path);
        assert_memory_not_equal(hash.sha256, last.sha256, sizeof(hash.sha256));
        last = hash;
    }
}

/* Old times do not hide it: writing leaves a mark that no program can set. */
static void a_time_set_back_hides_nothing(void **state)
{
    static const struct timespec old[2] = {{.tv_sec = 1000000000},
                                           {.tv_sec = 1000000000}};
    struct osw_file_hash one, two;

    (void)state;
    put("one");
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    one = get(path);
    put("two");
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    two = get(path);
    assert_memory_not_equal(one.sha256, two.sha256, sizeof(one.sha256));
    assert_int_equal(two.changed_unix_ns, 1000000000 * INT64_C(1000000000));
}

/* Our own program is old enough to be kept, and must stay the same. */
static void what_is_remembered_is_the_same(void **state)
{
    struct osw_file_hash first = get("/proc/self/exe");

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct osw_file_hash again = get("/proc/self/exe");

        assert_memory_equal(&again, &first, sizeof(first));
    }
}

static void what_is_no_plain_file_is_refused(void **state)
{
    static const struct {
        const char *path;
        enum osw_status status;
    } rows[] = {{"/", OSW_BAD_INPUT},
                {"/dev/zero", OSW_BAD_INPUT},
                {"/nowhere", OSW_SYSTEM}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_file_hash hash;

        assert_int_equal(osw_file_hash(rows[i].path, &hash, &err), -1);
        assert_int_equal(err.status, rows[i].status);
        assert_non_null(strstr(err.text, rows[i].path));
    }
    assert_int_equal(truncate(path, (INT64_C(64) << 20) + 1), 0);
    assert_int_equal(osw_file_hash(path, &(struct osw_file_hash){0}, NULL), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(the_hash_is_sha_256),
        T(what_was_just_written_is_read_again),
        T(a_time_set_back_hides_nothing),
        T(what_is_remembered_is_the_same),
        T(what_is_no_plain_file_is_refused),
#undef T
    };

    return cmocka_run_group_tests_name("ops/file_hash", tests, NULL, NULL);
}
