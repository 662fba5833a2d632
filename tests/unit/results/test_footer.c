/* tests/unit/results/test_footer.c - a checksum at the end of a file */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>

#include "results/file/footer.h"
#include "tests/unit/results/fixture.h"

enum { SMALL = 9, LARGE = 3 * (1 << 20) + 7 };

static int set_up(void **state)
{
    static struct folder f;

    *state = &f;
    return folder_make(&f);
}

static int tear_down(void **state)
{
    return folder_remove(*state);
}

/* A file of n bytes, each its offset modulo 251. */
static int make(const struct folder *f, size_t n)
{
    int fd = open(f->path, O_RDWR | O_CREAT | O_TRUNC, 0666);
    char *bytes = malloc(n + 1);

    assert_true(fd >= 0);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (char)(i % 251);
    assert_int_equal(write(fd, bytes, n), n);
    free(bytes);
    return fd;
}

static void a_file_is_as_it_was_written(void **state)
{
    static const size_t sizes[] = {0, 1, SMALL, 1 << 20, LARGE};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        int fd = make(*state, sizes[i]);

        assert_int_equal(osw_footer_check(fd, "f", &err), 1);
        assert_int_equal(osw_footer_append(fd), 0);
        assert_int_equal(lseek(fd, 0, SEEK_END), sizes[i] + OSW_FOOTER_BYTES);
        assert_int_equal(osw_footer_check(fd, "f", &err), 0);
        close(fd);
    }
}

static void put_byte(int fd, off_t at, int flip)
{
    unsigned char c;

    assert_int_equal(pread(fd, &c, 1, at), 1);
    c ^= (unsigned char)flip;
    assert_int_equal(pwrite(fd, &c, 1, at), 1);
}

static void a_changed_byte_is_damage(void **state)
{
    int fd = make(*state, SMALL);

    assert_int_equal(osw_footer_append(fd), 0);
    for (off_t at = 0; at < SMALL; at++) {
        struct osw_error err = OSW_ERROR_INIT;

        put_byte(fd, at, 0x40);
        assert_int_equal(osw_footer_check(fd, "f.h5", &err), -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_non_null(strstr(err.text, "'f.h5' is damaged"));
        put_byte(fd, at, 0x40);
    }
    close(fd);
}

static void a_changed_footer_is_damage(void **state)
{
    int fd = make(*state, SMALL);
    struct osw_error err = OSW_ERROR_INIT;

    assert_int_equal(osw_footer_append(fd), 0);
    for (off_t at = SMALL; at < SMALL + OSW_FOOTER_BYTES; at++)
        for (int bit = 0; bit < 8; bit++) {
            struct osw_error why = OSW_ERROR_INIT;

            put_byte(fd, at, 1 << bit);
            assert_int_equal(osw_footer_check(fd, "f.h5", &why), -1);
            assert_int_equal(why.status, OSW_BAD_INPUT);
            assert_non_null(strstr(why.text, "'f.h5' is damaged: its last 24"));
            put_byte(fd, at, 1 << bit);
        }
    assert_int_equal(osw_footer_check(fd, "f", &err), 0);
    close(fd);
}

/* Magic or size is enough to know that there was one. */
static void what_is_left_of_a_footer_is_recognised(void **state)
{
    static const struct {
        off_t first, end;
        int want;
    } zeroed[] = {
        {0, 8, -1}, {8, 24, -1}, {16, 24, -1}, {0, 16, 1}, {0, 24, 1}};

    for (size_t i = 0; i < sizeof(zeroed) / sizeof(zeroed[0]); i++) {
        int fd = make(*state, SMALL);
        struct osw_error err = OSW_ERROR_INIT;

        assert_int_equal(osw_footer_append(fd), 0);
        for (off_t at = zeroed[i].first; at < zeroed[i].end; at++)
            assert_int_equal(pwrite(fd, "", 1, SMALL + at), 1);
        assert_int_equal(osw_footer_check(fd, "f", &err), zeroed[i].want);
        close(fd);
    }
}

/* Bytes that are missing in front of it, or too many. */
static void a_footer_of_another_size_is_damage(void **state)
{
    unsigned char footer[OSW_FOOTER_BYTES];
    int fd = make(*state, SMALL);
    struct osw_error err = OSW_ERROR_INIT;

    assert_int_equal(osw_footer_append(fd), 0);
    assert_int_equal(pread(fd, footer, sizeof(footer), SMALL), sizeof(footer));
    close(fd);
    fd = make(*state, SMALL + 1);
    assert_int_equal(pwrite(fd, footer, sizeof(footer), SMALL + 1),
                     sizeof(footer));
    assert_int_equal(osw_footer_check(fd, "f", &err), -1);
    close(fd);
}

static void a_footer_that_was_cut_off_is_told(void **state)
{
    int fd = make(*state, LARGE);

    assert_int_equal(osw_footer_append(fd), 0);
    for (off_t n = OSW_FOOTER_BYTES - 1; n >= 0; n--) {
        struct osw_error err = OSW_ERROR_INIT;

        assert_int_equal(ftruncate(fd, LARGE + n), 0);
        assert_int_equal(osw_footer_check(fd, "f.h5", &err), n < 8 ? 1 : -1);
        if (n >= 8)
            assert_non_null(strstr(err.text, "'f.h5' is truncated"));
    }
    close(fd);
}

static void a_file_that_grew_has_no_footer(void **state)
{
    int fd = make(*state, SMALL);
    struct osw_error err = OSW_ERROR_INIT;

    assert_int_equal(osw_footer_append(fd), 0);
    assert_int_equal(pwrite(fd, "more", 4, SMALL + OSW_FOOTER_BYTES), 4);
    assert_int_equal(osw_footer_check(fd, "f", &err), 1);
    close(fd);
}

static void what_cannot_be_written_is_told(void **state)
{
    const struct folder *f = *state;
    int fd = make(f, SMALL);

    close(fd);
    fd = open(f->path, O_RDONLY);
    assert_int_equal(osw_footer_append(fd), -1);
    close(fd);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(a_file_is_as_it_was_written),
        T(a_changed_byte_is_damage),
        T(a_changed_footer_is_damage),
        T(what_is_left_of_a_footer_is_recognised),
        T(a_footer_of_another_size_is_damage),
        T(a_footer_that_was_cut_off_is_told),
        T(a_file_that_grew_has_no_footer),
        T(what_cannot_be_written_is_told),
    };
#undef T

    return cmocka_run_group_tests_name("results/footer", tests, NULL, NULL);
}
