/* ops/notation/dtype.c - element types: names, sizes, DLPack codes, tolerances
 */
#include "ops/notation/dtype.h"

#include <string.h>

/* clang-format off */
static const struct osw_dtype_info dtypes[] = {
    /* id, name, class, bytes, DLPack, rtol, atol */
    { OSW_F64,  "f64",  OSW_CLASS_FLOAT,    8, { OSW_FLOAT,    64, 1 }, 1e-9,   1e-11 },
    { OSW_F32,  "f32",  OSW_CLASS_FLOAT,    4, { OSW_FLOAT,    32, 1 }, 1.3e-6, 1e-5 },
    { OSW_F16,  "f16",  OSW_CLASS_FLOAT,    2, { OSW_FLOAT,    16, 1 }, 1e-3,   1e-5 },
    { OSW_BF16, "bf16", OSW_CLASS_FLOAT,    2, { OSW_BFLOAT,   16, 1 }, 1.6e-2, 1e-5 },
    { OSW_I64,  "i64",  OSW_CLASS_INT,      8, { OSW_INT,      64, 1 }, 0,      0 },
    { OSW_I32,  "i32",  OSW_CLASS_INT,      4, { OSW_INT,      32, 1 }, 0,      0 },
    { OSW_I16,  "i16",  OSW_CLASS_INT,      2, { OSW_INT,      16, 1 }, 0,      0 },
    { OSW_I8,   "i8",   OSW_CLASS_INT,      1, { OSW_INT,       8, 1 }, 0,      0 },
    { OSW_U8,   "u8",   OSW_CLASS_INT,      1, { OSW_UINT,      8, 1 }, 0,      0 },
    { OSW_B8,   "b8",   OSW_CLASS_BOOL,     1, { OSW_BOOL,      8, 1 }, 0,      0 },
    { OSW_C64,  "c64",  OSW_CLASS_COMPLEX,  8, { OSW_COMPLEX,  64, 1 }, 1.3e-6, 1e-5 },
    { OSW_C128, "c128", OSW_CLASS_COMPLEX, 16, { OSW_COMPLEX, 128, 1 }, 1e-9,   1e-11 },
    { OSW_C32,  "c32",  OSW_CLASS_COMPLEX,  4, { OSW_COMPLEX,  32, 1 }, 1e-3,   1e-5 },
};
/* clang-format on */

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

const struct osw_dtype_info *osw_dtype_at(size_t i)
{
    return i < N_ELEM(dtypes) ? &dtypes[i] : NULL;
}

const struct osw_dtype_info *osw_dtype_info(int id)
{
    for (size_t i = 0; i < N_ELEM(dtypes); i++)
        if ((int)dtypes[i].id == id)
            return &dtypes[i];
    return NULL;
}

const struct osw_dtype_info *osw_dtype_find(const char *name, size_t n)
{
    for (size_t i = 0; i < N_ELEM(dtypes); i++)
        if (strlen(dtypes[i].name) == n && memcmp(dtypes[i].name, name, n) == 0)
            return &dtypes[i];
    return NULL;
}

const struct osw_dtype_info *osw_dtype_from_dl(osw_dtype dl)
{
    for (size_t i = 0; i < N_ELEM(dtypes); i++)
        if (dtypes[i].dl.code == dl.code && dtypes[i].dl.bits == dl.bits &&
            dtypes[i].dl.lanes == dl.lanes)
            return &dtypes[i];
    return NULL;
}

bool osw_dtype_is_floating(const struct osw_dtype_info *dtype)
{
    return dtype->class == OSW_CLASS_FLOAT || dtype->class == OSW_CLASS_COMPLEX;
}

int osw_dtype_category(const struct osw_dtype_info *dtype)
{
    switch (dtype->class) {
    case OSW_CLASS_BOOL:
        return 0;
    case OSW_CLASS_INT:
        return 1;
    case OSW_CLASS_FLOAT:
        return 2;
    default:
        return 3;
    }
}

const struct osw_dtype_info *osw_dtype_promote(const struct osw_dtype_info *a,
                                               const struct osw_dtype_info *b)
{
    int more = osw_dtype_category(a) - osw_dtype_category(b);

    if (more < 0)
        return osw_dtype_promote(b, a);
    if (a->class == OSW_CLASS_COMPLEX && b->class == OSW_CLASS_FLOAT)
        return 2 * b->bytes > a->bytes ? osw_dtype_info(OSW_C128) : a;
    if (more > 0 || a->bytes > b->bytes || a == b)
        return a;
    if (b->bytes > a->bytes)
        return b;
    return osw_dtype_info(a->class == OSW_CLASS_FLOAT ? OSW_F32 : OSW_I16);
}
