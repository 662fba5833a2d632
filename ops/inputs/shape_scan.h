/* ops/inputs/shape_scan.h - words and arguments of a shape's expression
 *
 * Upstream: ops/inputs/shape_expr.c, whose parser it holds.
 */
#ifndef OSW_OPS_SHAPE_SCAN_H
#define OSW_OPS_SHAPE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "common/text.h"
#include "ops/inputs/bind.h"
#include "ops/notation/schema.h"

enum { OSW_SHAPE_MAX_DEPTH = 32 }; /* of brackets and signs */

struct osw_shape_parser {
    const char *text;
    size_t at;
    unsigned depth;
    const struct osw_schema *schema;
    /* NULL: only types are known; numbers are 1 then, and lists are empty. */
    const struct osw_bound_arg *args;
    struct osw_text *python; /* what is read, as Python; NULL: not wanted */
    struct osw_error *err;
};

/* Set err to "column C: ..." for column at + 1; returns -1. */
int osw_shape_fail(struct osw_shape_parser *p, size_t at, const char *fmt, ...)
    OSW_PRINTF(3, 4);
/* The same: "expected WHAT, found ..." what stands here. */
int osw_shape_expected(struct osw_shape_parser *p, const char *what);

bool osw_shape_is_name(char c);
bool osw_shape_is_digit(char c);

/* The character after blanks. */
char osw_shape_peek(struct osw_shape_parser *p);

void osw_shape_emit(struct osw_shape_parser *p, const char *words);

/* Move past a word that stands here; `keep` writes it to `python` too. */
bool osw_shape_accept(struct osw_shape_parser *p, const char *word);
bool osw_shape_keep(struct osw_shape_parser *p, const char *word);
int osw_shape_need(struct osw_shape_parser *p, const char *word,
                   const char *what) OSW_MUST_CHECK;

/* Move past a name; 0 bytes when there is none. */
size_t osw_shape_take_name(struct osw_shape_parser *p, const char **name);
bool osw_shape_is_word(const char *name, size_t n, const char *word);
/* Is the name this function's, and does `(` follow? */
bool osw_shape_opens_call(struct osw_shape_parser *p, const char *name,
                          size_t n, const char *word);

/* The argument of that name, or -1 with err set. */
int osw_shape_find_arg(struct osw_shape_parser *p, const char *name, size_t n);
void osw_shape_emit_arg(struct osw_shape_parser *p, const char *before, int arg,
                        const char *after);

/* A tensor argument whose name was read, or an item of a list of them.  *desc
 * is NULL when only types are known.
 */
int osw_shape_parse_tensor(struct osw_shape_parser *p, int arg,
                           const char *before,
                           const struct osw_tensor_desc **desc) OSW_MUST_CHECK;

#endif /* OSW_OPS_SHAPE_SCAN_H */
