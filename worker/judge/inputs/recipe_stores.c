/* worker/judge/inputs/recipe_stores.c - values of a block to the bytes of one
 * part */
#include "worker/judge/inputs/recipe_stores.h"

#include <opsweep/elements.h>

#include "worker/judge/memory/clones.h"

enum { BLOCK = OSW_PHILOX_BLOCKS_BLOCK };

/* As osw_f32_to_f16, without branches: subnormals are rounded by adding a
 * float whose last place is theirs.
 */
static inline uint16_t to_half(float f)
{
    uint32_t u = osw_f32_bits(f), size = u & 0x7fffffffu;
    uint32_t sign = (u >> 16) & 0x8000u;
    uint32_t normal = (size + 0xfffu + ((size >> 13) & 1u) - 0x38000000u) >> 13;
    uint32_t small = osw_f32_bits(osw_f32_from_bits(size) + 0.5f) - 0x3f000000u;
    uint32_t nan = 0x7e00u | ((size >> 13) & 0x3ffu);
    uint32_t h = size < 0x38800000u ? small : normal;

    h = size >= 0x477ff000u ? 0x7c00u : h;
    h = size > 0x7f800000u ? nan : h;
    return (uint16_t)(sign | h);
}

#define STORE(name, type, member, value)                                       \
    OSW_CLONES static void store_##name(const union osw_values *restrict from, \
                                        void *restrict to)                     \
    {                                                                          \
        type *out = to;                                                        \
                                                                               \
        for (int j = 0; j < BLOCK; j++)                                        \
            out[j] = (type)(value(from->member[j]));                           \
    }
#define STORE_SLOWLY(name, code, bits, member)                                 \
    static void store_##name(const union osw_values *from, void *to)           \
    {                                                                          \
        const osw_dtype dl = {code, bits, 1};                                  \
                                                                               \
        for (int j = 0; j < BLOCK; j++)                                        \
            osw_store(dl, (uint16_t *)to + j, (double)from->member[j]);        \
    }
/* clang-format off */
STORE(f32_f32, float, f, )
STORE(f32_f16, uint16_t, f, to_half)
STORE(f32_bf16, uint16_t, f, osw_f32_to_bf16)
STORE(f64_f64, double, d, )
STORE(f64_f32, float, d, )
STORE_SLOWLY(f64_f16, OSW_FLOAT, 16, d)
STORE_SLOWLY(f64_bf16, OSW_BFLOAT, 16, d)
STORE(i64_f64, double, i, )
STORE(i64_f32, float, i, )
STORE_SLOWLY(i64_f16, OSW_FLOAT, 16, i)
STORE_SLOWLY(i64_bf16, OSW_BFLOAT, 16, i)
STORE(i64_i64, int64_t, i, )
STORE(i64_i32, int32_t, i, )
STORE(i64_i16, int16_t, i, )
STORE(i64_i8, int8_t, i, )
STORE(i64_u8, uint8_t, i, )
STORE(i64_b8, uint8_t, i, 0 != )

const struct osw_recipe_store osw_recipe_stores[] = {
    [OSW_F64] =  {NULL,           store_f64_f64,  store_i64_f64},
    [OSW_F32] =  {store_f32_f32,  store_f64_f32,  store_i64_f32},
    [OSW_F16] =  {store_f32_f16,  store_f64_f16,  store_i64_f16},
    [OSW_BF16] = {store_f32_bf16, store_f64_bf16, store_i64_bf16},
    [OSW_I64] =  {NULL,           NULL,           store_i64_i64},
    [OSW_I32] =  {NULL,           NULL,           store_i64_i32},
    [OSW_I16] =  {NULL,           NULL,           store_i64_i16},
    [OSW_I8] =   {NULL,           NULL,           store_i64_i8},
    [OSW_U8] =   {NULL,           NULL,           store_i64_u8},
    [OSW_B8] =   {NULL,           NULL,           store_i64_b8},
};
/* clang-format on */
