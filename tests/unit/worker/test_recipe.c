/* tests/unit/worker/test_recipe.c - blocks of elements, and single elements
 *
 * optimised, too: its loops are vectors then
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/worker/judge_tensor.h"
#include "worker/judge/inputs/recipe.h"

static const struct osw_fill normal = {.kind = OSW_FILL_NORMAL};

/* Store floats of which bits[j] are the bits; compare with elements.h. */
static void stores_as_elements_h(const struct osw_recipe *r, uint32_t *bits,
                                 uint16_t (*want)(float))
{
    union osw_values v;
    uint16_t got[OSW_PHILOX_BLOCKS_BLOCK];

    for (int j = 0; j < OSW_PHILOX_BLOCKS_BLOCK; j++)
        v.f[j] = osw_f32_from_bits(bits[j]);
    r->store(&v, got);
    for (int j = 0; j < OSW_PHILOX_BLOCKS_BLOCK; j++)
        assert_int_equal(got[j], want(osw_f32_from_bits(bits[j])));
}

/* Every 16-bit number, the midpoint to the next, and their neighbours. */
static void all_roundings(enum osw_dtype_id dtype, float (*load)(uint16_t),
                          uint16_t (*want)(float))
{
    uint32_t bits[OSW_PHILOX_BLOCKS_BLOCK] = {0};
    struct osw_recipe r;
    struct tensor t;
    int n = 0;

    tensor_vector(&t, dtype, 1);
    r = osw_recipe_make(&t.view, &normal, 1, 2, 3);
    for (uint32_t h = 0; h < 65535; h++) {
        uint32_t here = osw_f32_bits(load((uint16_t)h));
        uint32_t next = osw_f32_bits(load((uint16_t)(h + 1)));
        uint32_t middle = here + (next - here) / 2;
        uint32_t hard[8] = {here,       here - 1,   here + 1, middle,
                            middle - 1, middle + 1, next - 1, next};

        memcpy(bits + n, hard, sizeof(hard));
        n += 8;
        if (n == OSW_PHILOX_BLOCKS_BLOCK || h == 65534) {
            stores_as_elements_h(&r, bits, want);
            n = 0;
        }
    }
    tensor_free(&t);
}

static uint16_t to_half(float f)
{
    return osw_f32_to_f16(f);
}

static float from_half(uint16_t h)
{
    return osw_f16_to_f32(h);
}

static uint16_t to_bfloat(float f)
{
    return osw_f32_to_bf16(f);
}

static float from_bfloat(uint16_t h)
{
    return osw_bf16_to_f32(h);
}

static void halves_are_rounded_as_elements_h_does(void **state)
{
    (void)state;
    all_roundings(OSW_F16, from_half, to_half);
}

static void bfloats_are_rounded_as_elements_h_does(void **state)
{
    (void)state;
    all_roundings(OSW_BF16, from_bfloat, to_bfloat);
}

/* --- a single element: what a device does --- */

/* clang-format off */
static const struct osw_fill fills[] = {
    { .kind = OSW_FILL_DEFAULT }, { .kind = OSW_FILL_NORMAL },
    { .kind = OSW_FILL_UNIFORM }, { .kind = OSW_FILL_POSITIVE },
    { .kind = OSW_FILL_SPECIAL }, { .kind = OSW_FILL_BOOL },
    { .kind = OSW_FILL_WIDE }, { .kind = OSW_FILL_TIES },
    { .kind = OSW_FILL_PERMUTATION },
    { .kind = OSW_FILL_SMALLINT, .a = 2 },
    { .kind = OSW_FILL_INT, .a = -1e5, .b = 1e5 }, /* beyond f16 */
    { .kind = OSW_FILL_INT, .a = -0x1p63, .b = 0x1p63 },
    { .kind = OSW_FILL_INT, .a = 0x1p24, .b = 0x1p25 },
    { .kind = OSW_FILL_INDEX, .a = 30522 },
    { .kind = OSW_FILL_INDEX, .a = 0x1p32 },
    { .kind = OSW_FILL_INDEX, .a = 0x1p40 },
    { .kind = OSW_FILL_CONSTANT, .a = -1.5 },
    { .kind = OSW_FILL_CONSTANT, .a = 0.1 },
    { .kind = OSW_FILL_CONSTANT, .a = 1e300 },
    { .kind = OSW_FILL_CONSTANT, .a = -NAN },
    { .kind = OSW_FILL_CONSTANT, .a = INFINITY },
    { .kind = OSW_FILL_OFFSET, .a = 100 },
    { .kind = OSW_FILL_OFFSET, .a = -1e9 },
    { .kind = OSW_FILL_OFFSET, .a = 1e39 },
    { .kind = OSW_FILL_OFFSET, .a = -NAN },
    { .kind = OSW_FILL_OFFSET, .a = -INFINITY },
};
/* clang-format on */

static void alone_as_in_a_block(enum osw_dtype_id dtype,
                                const struct osw_fill *fill, int64_t n,
                                int64_t first)
{
    _Alignas(64) unsigned char
        bytes[OSW_PHILOX_BLOCKS_BLOCK * OSW_RECIPE_ELEM_BYTES];
    int64_t index[OSW_PHILOX_BLOCKS_BLOCK];
    struct osw_recipe r;
    struct tensor t;

    tensor_vector(&t, dtype, 1);
    t.shape[0] = n; /* memory is not touched */
    r = osw_recipe_make(&t.view, fill, 0x123456789, 2, 3);
    for (int j = 0; j < OSW_PHILOX_BLOCKS_BLOCK; j++)
        index[j] = first + j;
    osw_recipe_block(&r, index, bytes);
    for (size_t j = 0; j < OSW_PHILOX_BLOCKS_BLOCK; j++) {
        struct osw_element_bits e = osw_recipe_element(&r.rule, index[j]);
        const unsigned char *at = bytes + j * r.part_bytes * r.rule.parts;

        for (size_t k = 0; k < r.rule.parts; k++)
            assert_memory_equal(&e.part[k], at + k * r.part_bytes,
                                r.part_bytes);
    }
    tensor_free(&t);
}

static void an_element_alone_is_that_of_a_block(void **state)
{
    const int64_t large = INT64_C(1) << 40;

    (void)state;
    for (int d = OSW_F64; d <= OSW_C32; d++)
        for (size_t f = 0; f < N_ELEM(fills); f++)
            for (int64_t i = 0; i < 2000; i += OSW_PHILOX_BLOCKS_BLOCK) {
                alone_as_in_a_block((enum osw_dtype_id)d, &fills[f], large, i);
                alone_as_in_a_block((enum osw_dtype_id)d, &fills[f], large,
                                    (INT64_C(1) << 32) - 30 + i);
                alone_as_in_a_block((enum osw_dtype_id)d, &fills[f], 100,
                                    i % 100);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_are_rounded_as_elements_h_does),
        cmocka_unit_test(bfloats_are_rounded_as_elements_h_does),
        cmocka_unit_test(an_element_alone_is_that_of_a_block),
    };

    return cmocka_run_group_tests_name("worker/recipe", tests, NULL, NULL);
}
