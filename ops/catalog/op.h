/* ops/catalog/op.h - an op: its names, languages, implementations
 *
 * docs/OPS.md is what users are told; this is how the rest of the program sees
 * it.
 *
 * Upstream: op_load.h.  Downstream: planning, building and judging.
 */
#ifndef OSW_OPS_OP_H
#define OSW_OPS_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/inputs/fill_text.h"
#include "ops/inputs/shape_expr.h"
#include "ops/notation/dtype.h"
#include "ops/notation/schema.h"

/* Bounds on a folder from outside. */
enum {
    OSW_OP_MAX_FILES = 4096,
    OSW_OP_MAX_NAME = 128, /* bytes of a folder's or implementation's name */
    OSW_OP_MAX_WORLD = 64, /* ranks of a collective op */
};

/* In which language a file is written; the table is in op.c. */
struct osw_language {
    const char *suffix; /* ".c" */
    bool compiled;      /* goes through ops/build/build.h before it is loaded */
    bool host;          /* runs on the host's memory only */
};

/* Rows of the table.  Which of them run on a device, and which is preferred of
 * several files of one name, is in op_folder.c.
 */
enum {
    OSW_LANGUAGE_C,
    OSW_LANGUAGE_SO,
    OSW_LANGUAGE_PY,
    OSW_LANGUAGE_CU,
    OSW_LANGUAGE_CPP,
    OSW_N_LANGUAGES,
};

/* Row by file name, e.g. "mm_plain.c"; NULL when no row has its suffix. */
const struct osw_language *osw_language_of(const char *file);

/* The number of a row: OSW_LANGUAGE_C, ... */
size_t osw_language_row(const struct osw_language *language);

/* One implementation or reference. */
struct osw_op_file {
    const char *name;   /* of the implementation: "plain"; or "reference" */
    const char *file;   /* in the op's folder: "mm_plain.c" */
    const char *path;   /* with the folder in front */
    const char *words;  /* extra words for the compiler; "" when none */
    const char *symbol; /* what its symbols start with; NULL: the folder */
    bool shared; /* one sandbox serves it for all ops: opsweep's own file */
    bool beside; /* a baseline only, unless it is asked for by name */
    const struct osw_language *language;
};

/* An implementation that is an operator registered with torch. */
struct osw_op_registered {
    const char *name;       /* of the implementation */
    const char *file;       /* in the op's folder: registers it when loaded */
    const char *torch_name; /* "ns.op.overload" */
};

/* What the expected result comes from; numbers go to disk. */
enum osw_oracle {
    OSW_ORACLE_INDEPENDENT = 1,    /* <op>_reference.* */
    OSW_ORACLE_IMPLEMENTATION = 2, /* an implementation: ends unverified */
    OSW_ORACLE_IDENTITY = 3,       /* nothing but the inputs: unverified */
};

const char *osw_oracle_name(enum osw_oracle oracle);

struct osw_tolerance {
    double rtol, atol; /* |a - b| <= atol + rtol * |b|; NaN: not given */
};

/* Which arguments make the op `plus + a @ b`; "" for plus when there is none.
 * NULL names: the op is no matrix product.
 */
struct osw_product {
    const char *a, *b, *plus;
};

/* Something to tell the user about a folder: a file that was not understood,
 * a language that this build cannot run, a reference that is missing.
 */
struct osw_note {
    const char *path;
    const char *text;
    bool lost; /* a file that was meant to be judged, and is not */
};

struct osw_op {
    const char *name;   /* canonical: "aten.add.Tensor", "scale.default" */
    const char *folder; /* "add__Tensor": in file and symbol names */
    const char *dir;    /* the path it was found under */
    size_t n_aliases;
    const char *const *aliases; /* [n_aliases] canonical names */

    const struct osw_schema *schema; /* NULL: none */
    const char *schema_text;         /* as written; "" when none */
    uint32_t n_outputs; /* as the schema's returns; 0: op.json does not say */
    const struct osw_output_spec *outputs;  /* [n_outputs] */
    const struct osw_op_backward *backward; /* see op_backward.h; NULL: none */

    size_t n_impls;
    const struct osw_op_file *impls; /* [n_impls] sorted by name */
    size_t n_registered; /* of the implementations, operators of torch's */
    const struct osw_op_registered *registered;
    const struct osw_op_file *reference;      /* NULL when oracle is IDENTITY */
    const struct osw_op_file *host_reference; /* beside a device's own, in host
                                                 code; NULL: none */
    enum osw_oracle oracle;
    size_t n_baselines;           /* by op.json; see ops/catalog/baselines.h */
    const char *const *baselines; /* [n_baselines] names of implementations */

    size_t n_fills;
    const struct osw_fill_rule *fills;           /* [n_fills] per argument */
    struct osw_tolerance tolerance[OSW_C32 + 1]; /* by dtype id */
    bool exact;
    bool deterministic; /* the same inputs must give the same bits */
    uint32_t trials;    /* bit set of enum osw_trial_kind */
    bool says_trials;   /* op.json does, not the name */
    int world;          /* ranks that judge a cell together; 0, 1: one */
    size_t n_worlds;    /* several numbers of them: a cell each; else 0 */
    const int *worlds;  /* [n_worlds] rising; the first one is `world` */
    const struct osw_op_bandwidth *bandwidth; /* see op_collective.h; NULL */
    double ratio; /* of errors to the baseline's, at most; 0: any */
    const char *numel, *flops; /* expressions; NULL: the default */
    const char *reads;         /* bytes of inputs, an expression; NULL: ... */
    bool reads_all;            /* ... all of them, or unknown */
    struct osw_product product;
    double timeout_s; /* floor of the deadline of a call; 0: the campaign's */
    double least_timeout_s; /* below which no floor is; 0: any */

    const char *cases_json; /* path of gen_input.json; NULL: there is none */
    const char *cases_py;   /* path of gen_input.py; NULL: there is none */

    size_t n_notes;
    const struct osw_note *notes; /* [n_notes] */
};

/* Canonical form of an op's name: overload "default" when it has none; torch's
 * "ns::name.overload" becomes "ns.name.overload"; a folder's name
 * ("add__Tensor", "add___Tensor", "mm") gets its dot first.
 * NULL when it is no name of at most OSW_OP_MAX_NAME bytes, or without memory.
 */
const char *osw_op_canonical(osw_arena_t *arena,
                             const char *name) OSW_MUST_CHECK;
const char *osw_op_folder_canonical(osw_arena_t *arena,
                                    const char *folder) OSW_MUST_CHECK;

/* What osw_op_folder_canonical() gives NULL for without memory only. */
bool osw_op_is_folder_name(const char *folder);

/* A letter, a digit or `_`: what names are made of. */
bool osw_op_is_word(char c);

/* May an implementation have that name?  Letters, digits, '_' and '-', at most
 * OSW_OP_MAX_NAME of them.
 */
bool osw_op_is_impl_name(const char *name);

/* Does `name`, of any form, mean this op?  Canonical name, alias or folder;
 * an op without a namespace also answers to "aten.<its name>".
 */
bool osw_op_is_called(const struct osw_op *op, const char *name);

/* The implementation of that name, or NULL. */
const struct osw_op_file *osw_op_impl(const struct osw_op *op,
                                      const char *name);

/* Has any of its files to be compiled before it can be judged? */
bool osw_op_is_compiled(const struct osw_op *op);

/* Tolerance of outputs of a dtype: the op's own, its "*", or the dtype's. */
struct osw_tolerance osw_op_tolerance(const struct osw_op *op,
                                      const struct osw_dtype_info *dtype);

#endif /* OSW_OPS_OP_H */
