/* ops/notation/schema.h - signatures of ops, in PyTorch's `func:` language
 *
 *     add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1)
 *         -> Tensor(a!)
 *
 * Names the arguments of a case, gives defaults, says what is written.
 * Upstream: op.json, files of schemas.  Downstream: ops/inputs/bind.h.
 */
#ifndef OSW_OPS_SCHEMA_H
#define OSW_OPS_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/text.h"
#include "ops/notation/value.h"

/* Bounds on a text from outside; more is an error, not a crash. */
enum {
    OSW_SCHEMA_MAX_BYTES = 1 << 16,
    OSW_SCHEMA_MAX_ARGS = 256, /* also of returns */
};

/* clang-format off */
#define OSW_TYPE_MAP(X)                                                        \
    X(TENSOR,        "Tensor")                                                 \
    X(SCALAR,        "Scalar")                                                 \
    X(INT,           "int")                                                    \
    X(SYM_INT,       "SymInt")                                                 \
    X(FLOAT,         "float")                                                  \
    X(BOOL,          "bool")                                                   \
    X(STR,           "str")                                                    \
    X(SCALAR_TYPE,   "ScalarType")                                             \
    X(LAYOUT,        "Layout")                                                 \
    X(DEVICE,        "Device")                                                 \
    X(DEVICE_INDEX,  "DeviceIndex")                                            \
    X(MEMORY_FORMAT, "MemoryFormat")                                           \
    X(GENERATOR,     "Generator")                                              \
    X(DIMNAME,       "Dimname")                                                \
    X(STORAGE,       "Storage")                                                \
    X(STREAM,        "Stream")                                                 \
    X(Q_SCHEME,      "QScheme")
/* clang-format on */

enum osw_type_base {
    OSW_TYPE_OTHER, /* a word not in the table */
#define X(NAME, word) OSW_TYPE_##NAME,
    OSW_TYPE_MAP(X)
#undef X
};

enum { OSW_TYPE_ANY_SIZE = -1 };

/* Tensor(a!)?[3]? is: base, alias, item_optional, list of list_size, optional.
 */
struct osw_type {
    enum osw_type_base base;
    const char *word;   /* the base as written: "Tensor" */
    const char *alias;  /* inside the parentheses: "a!", "a -> *"; or NULL */
    bool written;       /* the alias has a '!' */
    bool item_optional; /* of a list: its items may be None */
    bool list;
    bool optional;     /* may be None */
    int64_t list_size; /* of a list: int[2] is 2, int[] OSW_TYPE_ANY_SIZE */
};

struct osw_schema_arg {
    struct osw_type type;
    const char *name;
    bool kwarg_only;          /* stands after the '*' */
    bool written;             /* the op writes this argument */
    const char *default_text; /* as written; NULL: it must be given */
    struct osw_value value;   /* the default; a WORD when it is no value */
};

struct osw_schema_return {
    struct osw_type type;
    const char *name; /* NULL: it has none */
};

struct osw_schema {
    const char *ns;       /* "aten" of aten::add, or NULL */
    const char *name;     /* "add" */
    const char *overload; /* "Tensor", or "" */
    bool has_signature;   /* false for a name alone: `aten::add.Tensor` */
    bool return_tuple;    /* returns stand in parentheses */
    uint32_t n_args;
    uint32_t n_returns;
    const struct osw_schema_arg *args;       /* [n_args] */
    const struct osw_schema_return *returns; /* [n_returns] */
};

/* Read one schema from text[0..n).  A leading `func: ` is dropped.
 *
 * Returns 0, or -1 with err set and *out untouched:
 *   OSW_BAD_INPUT  "column C: expected X, found Y" (columns from 1)
 *   OSW_NO_MEMORY
 * *out borrows from the arena, not from the text.
 */
int osw_schema_parse(osw_arena_t *arena, const char *text, size_t n,
                     struct osw_schema *out,
                     struct osw_error *err) OSW_MUST_CHECK;

/* In code that is scaffolded or exported, an op cannot write tensors of a list.
 * 0, or -1 with err set (OSW_BAD_INPUT).
 */
int osw_schema_check_written(const struct osw_schema *schema,
                             struct osw_error *err) OSW_MUST_CHECK;

/* Append the canonical form: the identity on PyTorch's own lines. */
void osw_schema_print(struct osw_text *out, const struct osw_schema *schema);

/* Append "add.Tensor". */
void osw_schema_print_name(struct osw_text *out,
                           const struct osw_schema *schema);

/* Index of the argument of that name, or -1. */
int osw_schema_arg_index(const struct osw_schema *schema, const char *name);

#endif /* OSW_OPS_SCHEMA_H */
