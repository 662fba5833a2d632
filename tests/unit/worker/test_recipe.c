/* tests/unit/worker/test_recipe.c - a recipe's rounding, of every hard value */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/worker/judge_tensor.h"
#include "worker/judge/recipe.h"

static const struct osw_fill normal = {.kind = OSW_FILL_NORMAL};

/* Store floats of which bits[j] are the bits; compare with elements.h. */
static void stores_as_elements_h(const struct osw_recipe *r, uint32_t *bits,
                                 uint16_t (*want)(float))
{
    union osw_values v;
    uint16_t got[OSW_WORDS_BLOCK];

    for (int j = 0; j < OSW_WORDS_BLOCK; j++)
        v.f[j] = osw_f32_from_bits(bits[j]);
    r->store(&v, got);
    for (int j = 0; j < OSW_WORDS_BLOCK; j++)
        assert_int_equal(got[j], want(osw_f32_from_bits(bits[j])));
}

/* Every 16-bit number, the midpoint to the next, and their neighbours. */
static void all_roundings(enum osw_dtype_id dtype, float (*load)(uint16_t),
                          uint16_t (*want)(float))
{
    uint32_t bits[OSW_WORDS_BLOCK] = {0};
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
        if (n == OSW_WORDS_BLOCK || h == 65534) {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_are_rounded_as_elements_h_does),
        cmocka_unit_test(bfloats_are_rounded_as_elements_h_does),
    };

    return cmocka_run_group_tests_name("worker/recipe", tests, NULL, NULL);
}
