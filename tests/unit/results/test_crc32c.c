/* tests/unit/results/test_crc32c.c - checksums against published answers */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "results/journal/crc32c.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { MAX = 64 };

static void fill(unsigned char *out, const char *how)
{
    for (int i = 0; i < 32; i++)
        out[i] = *how == '0'   ? 0
                 : *how == 'f' ? 0xff
                 : *how == '+' ? (unsigned char)i
                               : (unsigned char)(31 - i);
}

/* RFC 3720, B.4, and the check value of the catalogues. */
static void known_answers_by_both_ways(void **state)
{
    static const struct {
        const char *how;
        uint32_t want;
    } cases[] = {
        {"0", 0x8a9136aa},
        {"f", 0x62a8ab43},
        {"+", 0x46dd794e},
        {"-", 0x113fdb5c},
    };
    unsigned char bytes[32];

    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        fill(bytes, cases[i].how);
        assert_int_equal(osw_crc32c(0, bytes, 32), cases[i].want);
        assert_int_equal(osw_crc32c_table(0, bytes, 32), cases[i].want);
    }
    assert_int_equal(osw_crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(osw_crc32c_table(0, "123456789", 9), 0xe3069283);
    assert_int_equal(osw_crc32c(0, "", 0), 0);
}

static void both_ways_agree_at_any_length_and_offset(void **state)
{
    unsigned char bytes[MAX];

    (void)state;
    for (int i = 0; i < MAX; i++)
        bytes[i] = (unsigned char)(i * 37 + 11);
    for (size_t at = 0; at < 9; at++)
        for (size_t n = 0; at + n <= MAX; n++)
            assert_int_equal(osw_crc32c(7, bytes + at, n),
                             osw_crc32c_table(7, bytes + at, n));
}

static void a_crc_can_be_continued(void **state)
{
    static const char text[] = "123456789";
    uint32_t whole = osw_crc32c(0, text, 9);

    (void)state;
    for (size_t n = 0; n <= 9; n++)
        assert_int_equal(osw_crc32c(osw_crc32c(0, text, n), &text[n], 9 - n),
                         whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers_by_both_ways),
        cmocka_unit_test(both_ways_agree_at_any_length_and_offset),
        cmocka_unit_test(a_crc_can_be_continued),
    };

    return cmocka_run_group_tests_name("results/crc32c", tests, NULL, NULL);
}
