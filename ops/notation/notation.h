/* ops/notation/notation.h - the case notation: text to values and back
 *
 *     ((T([8, 512, 768], bf16), T([768], bf16, stride=(1,))), {'alpha': 2})
 *
 * The form of PyTorch's operator traces.  Parsed here, never evaluated.
 * Printing is canonical, and is the identity on every line of those traces.
 */
#ifndef OSW_OPS_NOTATION_H
#define OSW_OPS_NOTATION_H

#include "common/arena.h"
#include "common/error.h"
#include "common/text.h"
#include "ops/notation/value.h"

/* Bounds on a text from outside; more is an error, not a crash. */
enum {
    OSW_NOTATION_MAX_BYTES = 1 << 20,
    OSW_NOTATION_MAX_DEPTH = 32,
};

/* Read one case from text[0..n).  A lone argument tuple without kwargs is
 * accepted too: `(T([2], f32),)` is `((T([2], f32),), {})`.
 *
 * Returns 0, or -1 with err set and *out untouched:
 *   OSW_BAD_INPUT  "column C: expected X, found Y" (columns from 1)
 *   OSW_NO_MEMORY
 * *out borrows from the arena, not from the text.
 */
int osw_notation_parse_case(osw_arena_t *arena, const char *text, size_t n,
                            struct osw_case *out,
                            struct osw_error *err) OSW_MUST_CHECK;

/* As above, a single value: for tables and filters. */
int osw_notation_parse_value(osw_arena_t *arena, const char *text, size_t n,
                             struct osw_value *out,
                             struct osw_error *err) OSW_MUST_CHECK;

/* Append the canonical form.  Floats print as Python's repr does. */
void osw_notation_print_case(struct osw_text *out, const struct osw_case *c);
void osw_notation_print_value(struct osw_text *out, const struct osw_value *v);

#endif /* OSW_OPS_NOTATION_H */
