/* ops/scaffold/scaffold_args.h - what a new op does with an argument
 *
 * Shared by the files of ops/scaffold.
 */
#ifndef OSW_OPS_SCAFFOLD_ARGS_H
#define OSW_OPS_SCAFFOLD_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/text.h"
#include "ops/notation/schema.h"

struct osw_scaffold {
    const char *folder;              /* its name: also of files and symbols */
    const struct osw_schema *schema; /* that was checked */
    bool returns_nothing; /* schema->returns are what it writes: `-> ()` */
};

/* A written argument that is given by keyword is a place for an output: its
 * values before the call do not count.
 */
enum osw_scaffold_kind {
    OSW_SCAFFOLD_TENSOR,
    OSW_SCAFFOLD_TENSORS, /* a list */
    OSW_SCAFFOLD_REAL,
    OSW_SCAFFOLD_WHOLE,
    OSW_SCAFFOLD_OUT,
    OSW_SCAFFOLD_OTHER, /* not used by the made-up op */
};

enum osw_scaffold_kind osw_scaffold_kind(const struct osw_schema_arg *arg);

/* A schema of `-> ()` with the tensors that it writes as its returns, so that
 * they are outputs like others; another one as it is.  0, or -1 with err set.
 */
int osw_scaffold_returns(osw_arena_t *arena, const struct osw_schema *schema,
                         struct osw_schema *out,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Index of the argument that return `i` is; -1: it is a new tensor. */
int osw_scaffold_alias(const struct osw_schema *schema, uint32_t i);

/* How many outputs: a list of tensors is two. */
uint32_t osw_scaffold_n_outputs(const struct osw_schema *schema);

/* The first argument that is a tensor or a list of them; -1: none. */
int osw_scaffold_first(const struct osw_schema *schema);

/* Must a call give it a value? */
bool osw_scaffold_is_required(const struct osw_schema_arg *arg);

/* The value of a required argument in case notation; NULL: none is known.
 * `list` stands for any number of items.
 */
const char *osw_scaffold_value(const struct osw_schema_arg *arg);

/* Append its name as a variable of that language, where it may be taken. */
enum osw_scaffold_language { OSW_SCAFFOLD_C, OSW_SCAFFOLD_PYTHON };
void osw_scaffold_variable(struct osw_text *out, const char *name,
                           enum osw_scaffold_language language);

/* Writers of single files. */
void osw_scaffold_reference_c(const struct osw_scaffold *s,
                              struct osw_text *out);
void osw_scaffold_plain_c(const struct osw_scaffold *s, struct osw_text *out);
void osw_scaffold_plain_cuda(const struct osw_scaffold *s,
                             struct osw_text *out);
void osw_scaffold_python(const struct osw_scaffold *s, struct osw_text *out);
void osw_scaffold_triton(const struct osw_scaffold *s, struct osw_text *out);

#endif /* OSW_OPS_SCAFFOLD_ARGS_H */
