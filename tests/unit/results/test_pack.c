/* tests/unit/results/test_pack.c - inflate and unshuffle undo it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "results/file/pack.h"
#include "tests/unit/chaos.h"

enum { CHUNK = 16384 };

static uint64_t values[CHUNK];

/* Fill with: constants, counters, noise, noise in the low bytes only, and a
 * plane that is noise next to one that is not.
 */
static void fill(const char *how)
{
    uint64_t x = 88172645463325252u;

    for (uint64_t i = 0; i < CHUNK; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        values[i] = strcmp(how, "constant") == 0  ? 0x0102030405060708u
                    : strcmp(how, "counter") == 0 ? i
                    : strcmp(how, "noise") == 0   ? x
                    : strcmp(how, "low") == 0
                        ? (x & 0xffffff) | 0x4050000000000000u
                        : (x & 0xff00ff00ff00ffu) | i << 24;
    }
}

/* Returns the packed size; what comes back must be what went in. */
static size_t round_trip(size_t n, size_t item, size_t chunk_n)
{
    const unsigned char *in = (const unsigned char *)values;
    size_t bytes, plain = chunk_n * item;
    unsigned char *packed = osw_pack(values, n, item, chunk_n, &bytes);
    unsigned char *planes = calloc(plain + 1, 1);
    uLongf got = (uLongf)plain + 1;

    assert_non_null(packed);
    assert_int_equal(uncompress(planes, &got, packed, (uLong)bytes), Z_OK);
    assert_int_equal(got, plain);
    for (size_t i = 0; i < chunk_n; i++)
        for (size_t k = 0; k < item; k++)
            if (planes[k * chunk_n + i] != (i < n ? in[i * item + k] : 0))
                fail_msg("byte %zu of value %zu differs", k, i);
    free(packed);
    free(planes);
    return bytes;
}

static void any_bytes_come_back(void **state)
{
    static const char *const hows[] = {"constant", "counter", "noise", "low",
                                       "mixed"};
    static const size_t items[] = {1, 4, 8};

    (void)state;
    for (size_t h = 0; h < sizeof(hows) / sizeof(hows[0]); h++) {
        fill(hows[h]);
        for (size_t i = 0; i < 3; i++) {
            round_trip(CHUNK, items[i], CHUNK);
            round_trip(CHUNK - 5, items[i], CHUNK);
            round_trip(7, items[i], 7);
            round_trip(1, items[i], 5000);
        }
    }
}

static void what_repeats_becomes_small_and_noise_does_not_grow(void **state)
{
    static const struct {
        const char *how;
        size_t at_most;
    } cases[] = {
        {"constant", 8 * CHUNK / 100},
        {"counter", 8 * CHUNK / 50},
        {"noise", 8 * CHUNK + 8 * CHUNK / 500},
        {"low", 3 * CHUNK + 3 * CHUNK / 50},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fill(cases[i].how);
        assert_in_range(round_trip(CHUNK, 8, CHUNK), 1, cases[i].at_most);
    }
}

static void every_allocation_failure_is_reported(void **state)
{
    int failures = 0;

    (void)state;
    for (bool struck = true; struck; failures += struck) {
        unsigned char *packed;
        size_t bytes;

        chaos_arm(failures);
        packed = osw_pack(values, 10, 8, 10, &bytes);
        struck = chaos_struck();
        assert_int_equal(packed == NULL, struck);
        free(packed);
    }
    assert_int_equal(failures, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bytes_come_back),
        cmocka_unit_test(what_repeats_becomes_small_and_noise_does_not_grow),
        cmocka_unit_test(every_allocation_failure_is_reported),
    };

    return cmocka_run_group_tests_name("results/pack", tests, NULL, NULL);
}
