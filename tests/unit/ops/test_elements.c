/* tests/unit/ops/test_elements.c - conversions of include/opsweep/elements.h
 *
 * The 16-bit types are small enough to try every pattern and both sides of
 * every rounding boundary.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include <opsweep/elements.h>

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const osw_dtype f16 = {OSW_FLOAT, 16, 1}, bf16 = {OSW_BFLOAT, 16, 1};

static uint16_t store16(osw_dtype t, double d)
{
    unsigned char element[16] = {0}; /* room for the widest dtype */
    uint16_t h;

    osw_store(t, element, d);
    memcpy(&h, element, sizeof(h));
    return h;
}

static double load16(osw_dtype t, uint16_t h)
{
    unsigned char element[16] = {0};

    memcpy(element, &h, sizeof(h));
    return osw_load(t, element);
}

/* The value of a finite pattern, from the definition of the format. */
static double value_of(uint16_t h, int exponent_bits)
{
    int mantissa_bits = 15 - exponent_bits;
    int bias = (1 << (exponent_bits - 1)) - 1;
    int e = (h & 0x7fff) >> mantissa_bits;
    int m = h & ((1 << mantissa_bits) - 1);
    double v = e ? ldexp(m + (1 << mantissa_bits), e - bias - mantissa_bits)
                 : ldexp(m, 1 - bias - mantissa_bits);

    return h & 0x8000 ? -v : v;
}

/* Both formats, for tests that run over all patterns. */
static const struct format {
    const osw_dtype *dtype;
    int exponent_bits;
    uint16_t infinity;
    uint16_t (*from_f32)(float f);
    float (*to_f32)(uint16_t h);
} formats[] = {
    {&f16, 5, 0x7c00, osw_f32_to_f16, osw_f16_to_f32},
    {&bf16, 8, 0x7f80, osw_f32_to_bf16, osw_bf16_to_f32},
};

static void every_pattern_has_the_value_of_its_format(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_ELEM(formats); k++) {
        const struct format *f = &formats[k];

        for (uint32_t i = 0; i < 0x10000; i++) {
            uint16_t h = (uint16_t)i;
            float got = f->to_f32(h);

            if ((h & 0x7fff) > f->infinity) {
                assert_true(isnan(got));
                continue;
            }
            if ((h & 0x7fff) == f->infinity)
                assert_true(isinf(got));
            else
                assert_true((double)got == value_of(h, f->exponent_bits));
            assert_int_equal(signbit(got) != 0, h >> 15);
            assert_true(load16(*f->dtype, h) == (double)got);
        }
    }
}

static void every_number_comes_back_as_its_pattern(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_ELEM(formats); k++) {
        const struct format *f = &formats[k];

        for (uint32_t i = 0; i < 0x10000; i++) {
            uint16_t h = (uint16_t)i;

            if ((h & 0x7fff) > f->infinity)
                continue;
            assert_int_equal(f->from_f32(f->to_f32(h)), h);
            assert_int_equal(store16(*f->dtype, (double)f->to_f32(h)), h);
        }
    }
}

static void every_nan_stays_a_quiet_nan_of_its_sign(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_ELEM(formats); k++) {
        const struct format *f = &formats[k];
        uint16_t quiet = (uint16_t)(1u << (14 - f->exponent_bits));

        for (uint32_t i = 0; i < 0x10000; i++) {
            uint16_t h = (uint16_t)i, back;

            if ((h & 0x7fff) <= f->infinity)
                continue;
            back = f->from_f32(f->to_f32(h));
            assert_int_equal(back, h | quiet);
        }
    }
    /* A payload that only the cut bits hold must not become an infinity. */
    assert_int_equal(osw_f32_to_f16(osw_f32_from_bits(0x7f800001)), 0x7e00);
    assert_int_equal(osw_f32_to_bf16(osw_f32_from_bits(0xff800001)), 0xffc0);
    assert_int_equal(store16(f16, NAN) & 0x7fff, 0x7e00);
}

/* Between each pattern and the next: halfway goes to the even one, and the
 * doubles right beside halfway to the nearer.  The last boundary is that of
 * infinity: halfway to what would be the next number.
 */
static void every_boundary_rounds_to_nearest_even(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_ELEM(formats); k++) {
        const struct format *f = &formats[k];

        for (uint32_t low = 0; low < f->infinity; low++) {
            double a = value_of((uint16_t)low, f->exponent_bits);
            double b = value_of((uint16_t)(low + 1), f->exponent_bits);
            double half = a + (b - a) / 2;
            uint32_t even = low + (low & 1);

            for (uint32_t sign = 0; sign <= 0x8000; sign += 0x8000) {
                double s = sign ? -1.0 : 1.0;
                float half32 = (float)(s * half);

                assert_int_equal(store16(*f->dtype, s * half), sign | even);
                assert_int_equal(store16(*f->dtype, s * nextafter(half, 0)),
                                 sign | low);
                assert_int_equal(
                    store16(*f->dtype, s * nextafter(half, INFINITY)),
                    sign | (low + 1));
                assert_true((double)half32 == s * half);
                assert_int_equal(f->from_f32(half32), sign | even);
                assert_int_equal(f->from_f32(nextafterf(half32, 0)),
                                 sign | low);
                assert_int_equal(
                    f->from_f32(nextafterf(half32, (float)s * INFINITY)),
                    sign | (low + 1));
            }
        }
    }
}

static void hand_worked_values_round_as_expected(void **state)
{
    static const struct {
        const osw_dtype *dtype;
        double d;
        uint16_t bits;
    } rows[] = {
        /* clang-format off */
        { &f16,  1.0,                   0x3c00 },
        { &f16,  -2.0,                  0xc000 },
        { &f16,  0.1,                   0x2e66 }, /* 1638.4 / 2^14: 1638 */
        { &f16,  65504.0,               0x7bff }, /* the largest */
        { &f16,  65519.99,              0x7bff },
        { &f16,  65520.0,               0x7c00 },
        { &f16,  -1e300,                0xfc00 },
        { &f16,  0x1p-14,               0x0400 }, /* the smallest normal */
        { &f16,  0x1p-24,               0x0001 }, /* the smallest */
        { &f16,  0x1p-25,               0x0000 }, /* halfway to even */
        { &f16,  0x1.8p-25,             0x0001 },
        { &f16,  -0x1p-1074,            0x8000 },
        { &f16,  -0.0,                  0x8000 },
        /* 1 + 2^-11 is halfway; a bit beyond what a float holds decides */
        { &f16,  0x1.002p0,             0x3c00 },
        { &f16,  0x1.0020000001p0,      0x3c01 },
        { &f16,  0x1.006p0,             0x3c02 },
        { &f16,  0x1.005fffffffp0,      0x3c01 },
        { &bf16, 1.0,                   0x3f80 },
        { &bf16, 0.1,                   0x3dcd }, /* 204.8 / 2^11: 205 */
        { &bf16, 0x1.01p0,              0x3f80 },
        { &bf16, 0x1.0100000001p0,      0x3f81 },
        { &bf16, 0x1.03p0,              0x3f82 },
        { &bf16, 3.4028235677973366e38, 0x7f80 }, /* beyond the largest float */
        { &bf16, 1e300,                 0x7f80 },
        { &bf16, 0x1p-133,              0x0001 }, /* the smallest */
        { &bf16, 0x1p-134,              0x0000 },
        { &bf16, 0x1.000001p-134,       0x0001 },
        { &bf16, -0x1p-200,             0x8000 },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        print_message("  %s %a\n", rows[i].dtype == &f16 ? "f16" : "bf16",
                      rows[i].d);
        assert_int_equal(store16(*rows[i].dtype, rows[i].d), rows[i].bits);
    }
}

#ifdef __FLT16_MANT_DIG__
__extension__ typedef _Float16 half;

static void doubles_round_as_the_compiler_rounds_them(void **state)
{
    uint64_t x = 88172645463325252u;

    (void)state;
    for (int i = 0; i < 2000000; i++) {
        uint16_t want;
        double d;
        half h;

        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        /* exponents of -30 to 17, where a f16 can tell them apart */
        d = ldexp((double)(x >> 11) * 0x1p-52, (int)(x % 48) - 30);
        d = x & 1024 ? -d : d;
        h = (half)d;
        memcpy(&want, &h, sizeof(want));
        assert_int_equal(store16(f16, d), want);
    }
}
#endif

/* --- elements of every dtype --- */

static void every_dtype_reads_what_was_stored(void **state)
{
    static const struct {
        osw_dtype dtype;
        double d, back;
    } rows[] = {
        /* clang-format off */
        { { OSW_FLOAT, 64, 1 },    0.1,     0.1 },
        { { OSW_FLOAT, 32, 1 },    0.5,     0.5 },
        { { OSW_FLOAT, 16, 1 },    -1.5,    -1.5 },
        { { OSW_BFLOAT, 16, 1 },   -1.5,    -1.5 },
        { { OSW_INT, 64, 1 },      0x1p62,  0x1p62 },
        { { OSW_INT, 32, 1 },      -7.9,    -7 },
        { { OSW_INT, 16, 1 },      -32768,  -32768 },
        { { OSW_INT, 8, 1 },       -128,    -128 },
        { { OSW_UINT, 8, 1 },      255,     255 },
        { { OSW_BOOL, 8, 1 },      0.25,    1 },
        { { OSW_BOOL, 8, 1 },      0,       0 },
        { { OSW_COMPLEX, 64, 1 },  2.5,     2.5 },
        { { OSW_COMPLEX, 128, 1 }, 0.1,     0.1 },
        { { OSW_COMPLEX, 32, 1 },  2.5,     0 },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        unsigned char element[16] = {0};

        osw_store(rows[i].dtype, element, rows[i].d);
        assert_true(osw_load(rows[i].dtype, element) == rows[i].back);
    }
}

static void large_integers_are_read_exactly(void **state)
{
    osw_dtype i64 = {OSW_INT, 64, 1}, u8 = {OSW_UINT, 8, 1};
    int64_t big = INT64_C(9007199254740993); /* 2^53 + 1 */
    uint8_t small = 200;

    (void)state;
    assert_true(osw_load_int(i64, &big) == big);
    assert_true(osw_load_int(u8, &small) == 200);
}

static void elements_are_found_by_strides_and_broadcast(void **state)
{
    /* [2, 3] with strides (1, 2), and its first column as [3] by strides 2 */
    static float data[] = {0, 10, 1, 11, 2, 12};
    static const int64_t shape[] = {2, 3}, strides[] = {1, 2};
    osw_tensor t = {.data = data,
                    .ndim = 2,
                    .dtype = {OSW_FLOAT, 32, 1},
                    .shape = shape,
                    .strides = strides};
    osw_tensor row = {.data = data,
                      .ndim = 1,
                      .dtype = {OSW_FLOAT, 32, 1},
                      .shape = shape + 1,
                      .strides = strides + 1};

    (void)state;
    for (int64_t i = 0; i < 6; i++)
        assert_true(osw_get(&t, i) == (double)(i / 3 * 10 + i % 3));
    for (int64_t i = 0; i < 6; i++)
        assert_int_equal(osw_offset_in(&row, 2, shape, i), i % 3 * 2);
    t.byte_offset = 4;
    t.shape = strides; /* [1, 2] */
    assert_true(osw_get(&t, 1) == 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_has_the_value_of_its_format),
        cmocka_unit_test(every_number_comes_back_as_its_pattern),
        cmocka_unit_test(every_nan_stays_a_quiet_nan_of_its_sign),
        cmocka_unit_test(every_boundary_rounds_to_nearest_even),
        cmocka_unit_test(hand_worked_values_round_as_expected),
#ifdef __FLT16_MANT_DIG__
        cmocka_unit_test(doubles_round_as_the_compiler_rounds_them),
#endif
        cmocka_unit_test(every_dtype_reads_what_was_stored),
        cmocka_unit_test(large_integers_are_read_exactly),
        cmocka_unit_test(elements_are_found_by_strides_and_broadcast),
    };

    return cmocka_run_group_tests_name("ops/elements", tests, NULL, NULL);
}
