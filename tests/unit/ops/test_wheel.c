/* tests/unit/ops/test_wheel.c - a wheel's archive, version and platform */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "ops/export/elf_needs.h"
#include "ops/export/export_file.h"
#include "ops/export/wheel.h"
#include "ops/export/zip.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static uint32_t number(const struct osw_text *t, size_t at, int n)
{
    uint32_t v = 0;

    assert_true(at + (size_t)n <= t->used);
    for (int i = n; i-- > 0;)
        v = v << 8 | (unsigned char)t->data[at + (size_t)i];
    return v;
}

/* Places are those of PKWARE's description of the format. */
static void an_archive_holds_what_was_added(void **state)
{
    static const char text[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab";
    struct osw_zip zip = {.n = 0};
    unsigned char back[sizeof(text)];
    z_stream z = {.next_out = back, .avail_out = sizeof(back)};
    size_t end, directory, second;

    (void)state;
    assert_int_equal(osw_zip_add(&zip, "d/empty", "", 0, false, NULL), 0);
    second = zip.bytes.used;
    assert_int_equal(osw_zip_add(&zip, "run", text, sizeof(text), true, NULL),
                     0);
    assert_int_equal(osw_zip_end(&zip, NULL), 0);

    end = zip.bytes.used - 22;
    assert_int_equal(number(&zip.bytes, end, 4), 0x06054b50);
    assert_int_equal(number(&zip.bytes, end + 10, 2), 2);
    directory = number(&zip.bytes, end + 16, 4);
    assert_int_equal(directory + number(&zip.bytes, end + 12, 4), end);
    assert_int_equal(number(&zip.bytes, directory, 4), 0x02014b50);
    assert_int_equal(number(&zip.bytes, directory + 38, 4), 0100644U << 16);

    directory += 46 + strlen("d/empty");
    assert_int_equal(number(&zip.bytes, directory + 16, 4),
                     crc32(0, (const Bytef *)text, sizeof(text)));
    assert_int_equal(number(&zip.bytes, directory + 24, 4), sizeof(text));
    assert_int_equal(number(&zip.bytes, directory + 38, 4), 0100755U << 16);
    assert_int_equal(number(&zip.bytes, directory + 42, 4), second);

    assert_int_equal(inflateInit2(&z, -15), Z_OK);
    z.next_in = (Bytef *)zip.bytes.data + second + 30 + strlen("run");
    z.avail_in = number(&zip.bytes, directory + 20, 4);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    inflateEnd(&z);
    assert_memory_equal(back, text, sizeof(text));
    osw_zip_free(&zip);
}

static void an_archive_that_is_too_large_is_refused(void **state)
{
    struct osw_zip zip = {.n = OSW_ZIP_MAX_ENTRIES};
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_int_equal(osw_zip_add(&zip, "x", "", 0, false, &err), -1);
    assert_non_null(strstr(err.text, "'x': expected at most 4096 files"));
}

static void a_version_is_one_that_pip_orders(void **state)
{
    static const struct {
        const char *version;
        bool good;
    } rows[] = {
        /* clang-format off */
        { "0", true },     { "1.2", true },         { "1.2rc1", true },
        { "1a2", true },   { "1.2.post3", true },   { "1.2b1.post3.dev4", true },
        { "1+gpu", true }, { "2.0.dev1+a.1", true },
        { "", false },     { "v1", false },         { "1.", false },
        { "1-2", false },  { "1rc", false },        { "1.2+", false },
        { "1 ", false },   { "1+gpu.", false },     { "1/2", false },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        print_message("  '%s'\n", rows[i].version);
        assert_int_equal(osw_wheel_check_version(rows[i].version, &err),
                         rows[i].good ? 0 : -1);
        assert_int_equal(strstr(err.text, "'--release'") != NULL,
                         !rows[i].good);
    }
}

static void the_platform_is_what_the_libraries_need(void **state)
{
    static const struct {
        struct osw_elf_needs needs[2];
        const char *want;
    } rows[] = {
        /* clang-format off */
        { { { "x86_64", 34, 2, { "libc.so.6", "libm.so.6" } } }, "manylinux_2_34_x86_64" },
        { { { "x86_64", 4, 1, { "libc.so.6" } } }, "manylinux_2_17_x86_64" },
        { { { "aarch64", 28, 1, { "ld-linux-aarch64.so.1" } }, { "aarch64", 35, 1, { "libc.so.6" } } }, "manylinux_2_35_aarch64" },
        { { { "x86_64", 34, 2, { "libc.so.6", "libgomp.so.1" } } }, "linux_x86_64" },
        { { { "x86_64", 4, 1, { "libc.so.6" } }, { "x86_64", 4, 1, { "libcudnn.so.9" } } }, "linux_x86_64" },
        { { { "x86_64", 0, 1, { "libc.so" } } }, "linux_x86_64" },
        { { { NULL, 0, 0, { "" } } }, "" },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_text text = OSW_TEXT_INIT;

        osw_wheel_platform(rows[i].needs, 2, &text);
        assert_string_equal(osw_text_str(&text), rows[i].want);
        osw_text_free(&text);
    }
}

/* The C library itself is a shared object that is always there. */
static const void *some_library(osw_arena_t *arena, size_t *n)
{
    const void *bytes = NULL;
    Dl_info info;

    assert_int_not_equal(dladdr((void *)(uintptr_t)deflate, &info), 0);
    assert_int_equal(
        osw_export_read_bytes(arena, info.dli_fname, &bytes, n, NULL), 0);
    return bytes;
}

static void a_library_says_what_it_needs(void **state)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_elf_needs needs = {.machine = NULL};
    struct osw_error err = OSW_ERROR_INIT;
    size_t n = 0;
    const void *bytes = some_library(arena, &n);

    (void)state;
    if (osw_elf_needs_add(&needs, "libz.so", bytes, n, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(needs.glibc_minor > 0);
    assert_true(needs.n_libraries > 0);
    assert_string_equal(needs.libraries[0], "libc.so.6");

    needs.machine = "other";
    assert_int_equal(osw_elf_needs_add(&needs, "libz.so", bytes, n, &err), -1);
    assert_non_null(strstr(err.text, "expected other"));
    osw_arena_destroy(arena);
}

/* Cut at any length, or with a byte changed in its head or tables: an error or
 * an answer, never a read outside (the sanitizer's build would say so).
 */
static void harmed_libraries_are_survived(void **state)
{
    osw_arena_t *arena = osw_arena_create();
    size_t n = 0, step;
    const void *bytes = some_library(arena, &n);
    uint32_t random = 1;

    (void)state;
    step = n / 61 + 1;
    for (size_t cut = 0; cut < n; cut += step) {
        struct osw_elf_needs needs = {.machine = NULL};
        char *part = malloc(cut ? cut : 1);

        assert_non_null(part);
        memcpy(part, bytes, cut);
        assert_int_equal(osw_elf_needs_add(&needs, "x", part, cut, NULL), -1);
        free(part);
    }
    for (int i = 0; i < 500; i++) {
        struct osw_elf_needs needs = {.machine = NULL};
        char *part = malloc(n);
        size_t at;

        assert_non_null(part);
        memcpy(part, bytes, n);
        random = random * 1664525 + 1013904223;
        at = random >> 8 & 0xfff;
        part[i % 3 ? n - 1 - at % (n / 2) : at % 4096] ^= (char)(random >> 24);
        (void)!osw_elf_needs_add(&needs, "x", part, n, NULL);
        assert_true(needs.n_libraries <= OSW_ELF_MAX_LIBRARIES);
        free(part);
    }
    osw_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_archive_holds_what_was_added),
        cmocka_unit_test(an_archive_that_is_too_large_is_refused),
        cmocka_unit_test(a_version_is_one_that_pip_orders),
        cmocka_unit_test(the_platform_is_what_the_libraries_need),
        cmocka_unit_test(a_library_says_what_it_needs),
        cmocka_unit_test(harmed_libraries_are_survived),
    };

    return cmocka_run_group_tests_name("ops/wheel", tests, NULL, NULL);
}
