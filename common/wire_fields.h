/* common/wire_fields.h - a struct's fields as a message, by a table
 *
 * One table serves writing and reading, so that both have the same fields in
 * the same order.  The reader checks what the values mean.
 */
#ifndef OSW_COMMON_WIRE_FIELDS_H
#define OSW_COMMON_WIRE_FIELDS_H

#include "common/wire.h"

enum osw_field_kind {
    OSW_FIELD_END,   /* of the table */
    OSW_FIELD_RAW,   /* as it lies in memory: integers, doubles, bytes */
    OSW_FIELD_SMALL, /* an int or enum of which one byte is sent */
    OSW_FIELD_FLAG,  /* a bool: whatever comes is false or true */
    OSW_FIELD_TEXT,  /* a string; what is read borrows from the message */
};

struct osw_field {
    enum osw_field_kind kind;
    size_t at, size; /* in the struct */
};

/* clang-format off */
#define OSW_FIELD_OF(k, of, member)                                            \
    { k, offsetof(struct of, member), sizeof(((struct of *)0)->member) }
#define OSW_FIELD_BYTE(of, member) OSW_FIELD_OF(OSW_FIELD_SMALL, of, member)
#define OSW_FIELD(of, member)                                                  \
    OSW_FIELD_OF(_Generic(((struct of *)0)->member, bool: OSW_FIELD_FLAG,      \
                          const char *: OSW_FIELD_TEXT,                        \
                          default: OSW_FIELD_RAW), of, member)

/* Several members, and the end of the table. */
#define OSW_FIELDS_1(of, m)      OSW_FIELD(of, m), { OSW_FIELD_END, 0, 0 }
#define OSW_FIELDS_2(of, m, ...) OSW_FIELD(of, m), OSW_FIELDS_1(of, __VA_ARGS__)
#define OSW_FIELDS_3(of, m, ...) OSW_FIELD(of, m), OSW_FIELDS_2(of, __VA_ARGS__)
#define OSW_FIELDS_4(of, m, ...) OSW_FIELD(of, m), OSW_FIELDS_3(of, __VA_ARGS__)
#define OSW_FIELDS_5(of, m, ...) OSW_FIELD(of, m), OSW_FIELDS_4(of, __VA_ARGS__)
#define OSW_FIELDS_6(of, m, ...) OSW_FIELD(of, m), OSW_FIELDS_5(of, __VA_ARGS__)
#define OSW_FIELDS_7(of, m, ...) OSW_FIELD(of, m), OSW_FIELDS_6(of, __VA_ARGS__)
/* clang-format on */

/* The fields of *m, a struct that the table is of.  Fields after the end of
 * a message are 0 and "".
 */
void osw_fields_put(struct osw_writer *w, const void *m,
                    const struct osw_field *table);
void osw_fields_get(struct osw_reader *r, void *m,
                    const struct osw_field *table);

/* n bytes as they are. */
void osw_write_bytes(struct osw_writer *w, const void *from, size_t n);

#endif /* OSW_COMMON_WIRE_FIELDS_H */
