/* ops/cases/trace.h - files of recorded operator calls
 *
 *     Operator: aten.add.Tensor
 *     cnt: 73, ((T([64, 128], f16), T([64, 128], f16)), {})
 *
 * A line `cnt:` belongs to the operator named last.  Blank lines are skipped.
 */
#ifndef OSW_OPS_TRACE_H
#define OSW_OPS_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/notation/value.h"

/* Bounds on a file from outside; more is an error, not a crash. */
enum {
    OSW_TRACE_MAX_BYTES = 64 << 20,
    OSW_TRACE_MAX_LINE = 1 << 20,
};

enum osw_trace_kind {
    OSW_TRACE_BLANK,
    OSW_TRACE_OPERATOR,
    OSW_TRACE_CALL,
};

/* What one line says. */
struct osw_trace_line {
    enum osw_trace_kind kind;
    const char *op;       /* OPERATOR: "aten.add.Tensor" */
    int64_t count;        /* CALL: >= 1 */
    const char *text;     /* CALL: the case as written */
    struct osw_case args; /* CALL: the case as parsed */
};

struct osw_trace_entry {
    const char *op;   /* "aten.add.Tensor" */
    int64_t count;    /* how often the case was called, >= 1 */
    const char *text; /* the case as written */
    uint32_t line;    /* in the file, from 1 */
    struct osw_case args;
};

struct osw_trace {
    size_t n;
    const struct osw_trace_entry *entries; /* [n], in the file's order */
};

/* Read one line, without its newline.  Returns 0, or -1 with err set ("column
 * C: expected X, found Y") and *out untouched.  *out borrows from the arena.
 */
int osw_trace_parse_line(osw_arena_t *arena, const char *text, size_t n,
                         struct osw_trace_line *out,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Read a whole file's text; `name` is the file's in errors.
 *
 * Returns 0, or -1 with err set and *out untouched:
 *   OSW_BAD_INPUT  "NAME:LINE: column C: expected X, found Y"
 *   OSW_NO_MEMORY
 * *out borrows from the arena, not from the text.
 */
int osw_trace_parse(osw_arena_t *arena, const char *name, const char *text,
                    size_t n, struct osw_trace *out,
                    struct osw_error *err) OSW_MUST_CHECK;

/* As above, from a file.  Also OSW_BAD_INPUT when it cannot be read. */
int osw_trace_read(osw_arena_t *arena, const char *path, struct osw_trace *out,
                   struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_TRACE_H */
