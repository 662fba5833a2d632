/* tests/unit/results/test_digest.c - digests against published values */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "results/journal/digest.h"

/* Of the bytes 0, 1, 2, ... by the key 0, 1, ... 15: vectors_sip128 of the
 * reference implementation (github.com/veorq/SipHash), the first 12 of 16.
 */
static const struct {
    size_t n;
    uint8_t want[12];
} cases[] = {
    /* clang-format off */
    {0, {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14}},
    {1, {0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59, 0x11}},
    /* clang-format on */
};

static uint8_t key[OSW_DIGEST_KEY_BYTES], text[64];

static int set_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (uint8_t)i;
    memcpy(key, text, sizeof(key));
    return 0;
}

static void digests_are_those_of_the_reference(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct osw_digest d = osw_digest_of(key, text, cases[i].n);

        for (size_t k = 0; k < 12; k++)
            assert_int_equal(d.words[k / 4] >> (8 * (k % 4)) & 255,
                             cases[i].want[k]);
    }
}

static void every_byte_and_the_key_count(void **state)
{
    (void)state;
    for (size_t n = 1; n <= sizeof(text); n++) {
        struct osw_digest whole = osw_digest_of(key, text, n), other;

        for (size_t i = 0; i < n; i++) {
            text[i] ^= 0x80;
            other = osw_digest_of(key, text, n);
            text[i] ^= 0x80;
            assert_memory_not_equal(&whole, &other, sizeof(whole));
        }
        other = osw_digest_of(key, text, n - 1);
        assert_memory_not_equal(&whole, &other, sizeof(whole));
        key[n % sizeof(key)] ^= 1;
        other = osw_digest_of(key, text, n);
        key[n % sizeof(key)] ^= 1;
        assert_memory_not_equal(&whole, &other, sizeof(whole));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_those_of_the_reference),
        cmocka_unit_test(every_byte_and_the_key_count),
    };

    return cmocka_run_group_tests_name("results/digest", tests, set_up, NULL);
}
