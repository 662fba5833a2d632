/* ops/notation/dtype.h - element types: names, sizes, DLPack codes, tolerances
 */
#ifndef OSW_OPS_DTYPE_H
#define OSW_OPS_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opsweep/op.h>

/* Numbers go over the wire and to disk: never reused. */
enum osw_dtype_id {
    OSW_F64 = 1,
    OSW_F32 = 2,
    OSW_F16 = 3,
    OSW_BF16 = 4,
    OSW_I64 = 5,
    OSW_I32 = 6,
    OSW_I16 = 7,
    OSW_I8 = 8,
    OSW_U8 = 9,
    OSW_B8 = 10,
    OSW_C64 = 11,
    OSW_C128 = 12,
    OSW_C32 = 13, /* parsed and printed; no op runs on it */
};

enum osw_dtype_class {
    OSW_CLASS_FLOAT,
    OSW_CLASS_INT,
    OSW_CLASS_BOOL,
    OSW_CLASS_COMPLEX,
};

struct osw_dtype_info {
    enum osw_dtype_id id;
    const char *name; /* "f16": the case notation's */
    enum osw_dtype_class class;
    size_t bytes; /* of one element */
    osw_dtype dl; /* code, bits, lanes as in DLPack */
    /* Defaults: those of torch.testing.assert_close, but for f64 and c128,
     * where they would let arithmetic in f32 pass.
     */
    double rtol, atol;
};

/* Row of a dtype; NULL for a number that is none. */
const struct osw_dtype_info *osw_dtype_info(int id);

/* Floating or complex: what can be rounded. */
bool osw_dtype_is_floating(const struct osw_dtype_info *dtype);

/* As torch computes with two dtypes: the smallest that holds both, f32 for f16
 * with bf16; of bools, integers, floats and complex numbers what comes last.
 */
const struct osw_dtype_info *osw_dtype_promote(const struct osw_dtype_info *a,
                                               const struct osw_dtype_info *b);
/* 0 bool, 1 integers, 2 floats, 3 complex numbers. */
int osw_dtype_category(const struct osw_dtype_info *dtype);

/* Row by notation name ("bf16") of n bytes, or by DLPack type; NULL if none. */
const struct osw_dtype_info *osw_dtype_find(const char *name, size_t n);
const struct osw_dtype_info *osw_dtype_from_dl(osw_dtype dl);

/* The i-th row (from 0) in table order; NULL after the last. */
const struct osw_dtype_info *osw_dtype_at(size_t i);

#endif /* OSW_OPS_DTYPE_H */
