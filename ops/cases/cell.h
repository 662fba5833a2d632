/* ops/cases/cell.h - the name of a cell that outlives a campaign
 *
 * A cell is op x implementation x case x device kind.  Its key holds neither
 * seed nor source, so that campaigns join on it.
 */
#ifndef OSW_OPS_CELL_H
#define OSW_OPS_CELL_H

#include <stdbool.h>
#include <stdint.h>

/* What a key is made of, all canonical texts, none NULL. */
struct osw_cell_parts {
    const char *op;        /* "aten.mm.default" */
    const char *impl;      /* "openblas"; "" when no op covers the case */
    const char *case_text; /* "((T([2, 3], f32), ...), {})" */
    const char *fill;      /* "normal,index(30522)" */
    const char *device;    /* kind: "cpu" */
    uint32_t world; /* ranks, if the op is judged with several numbers of them;
                       else 0 */
};

/* The first 8 bytes, big-endian, of the SHA-256 of "opsweep cell 1" and the
 * five texts, each ended by a NUL; then "world N" unless that is 0.  Fixed for
 * ever: keys are on disk.
 */
uint64_t osw_cell_key(const struct osw_cell_parts *parts);

/* A key as it is printed: 16 hexadecimal digits, with 0x in front or without.
 * false: it is none, and *key is untouched.
 */
bool osw_cell_key_parse(const char *s, uint64_t *key);

#endif /* OSW_OPS_CELL_H */
