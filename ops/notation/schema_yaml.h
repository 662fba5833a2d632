/* ops/notation/schema_yaml.h - the schemas of a YAML file of operators, line by
 * line
 *
 * As torch's native_functions.yaml and ExecuTorch's functions.yaml are written:
 * a list of entries, each with `func: SCHEMA` or `op: NAME`.  All other keys,
 * and what is nested below them, are passed over.  A schema may be quoted and
 * may go on in lines that are indented deeper.
 *
 * Upstream: lines of a file.  Downstream: ops/schema.h reads the schemas.
 */
#ifndef OSW_OPS_SCHEMA_YAML_H
#define OSW_OPS_SCHEMA_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/text.h"

/* A schema, or what is wrong in a line. */
struct osw_schema_yaml_found {
    uint64_t line;    /* where it begins; from 1 */
    const char *text; /* the schema, after as many blanks as stand before it in
                         its line, so that columns agree; NULL: see `wrong` */
    size_t n;
    const char *wrong; /* "column C: expected X, found Y" */
};

/* Gets everything in order.  0, or -1 with err set to stop. */
typedef int osw_schema_yaml_f(void *arg,
                              const struct osw_schema_yaml_found *found,
                              struct osw_error *err);

/* Where the reading stands; start from OSW_SCHEMA_YAML_INIT. */
struct osw_schema_yaml {
    osw_schema_yaml_f *take;
    void *arg;
    bool begun;            /* an entry was seen: columns of lists are known */
    size_t list_column;    /* of the dashes of entries; from 0 */
    size_t key_column;     /* of the keys of the current entry */
    uint64_t entry_line;   /* of the current entry; 0: none */
    bool named;            /* it has a func or an op */
    uint64_t scalar_line;  /* of the schema that is being read; 0: none */
    char quote;            /* that it ends with; 0: it has none */
    struct osw_text text;  /* of the schema */
    struct osw_text wrong; /* room for a message */
};

/* clang-format off */
#define OSW_SCHEMA_YAML_INIT(function, argument) \
    { .take = (function), .arg = (argument) }
/* clang-format on */

/* Is this line, the first one that is neither empty nor a comment, the
 * beginning of such a file?  No line of plain schemas is.
 */
bool osw_schema_yaml_begins(const char *line, size_t n);

/* Take the next line, without its end.  Returns 0, or -1 with err set:
 *   OSW_NO_MEMORY, or what the function says.
 */
int osw_schema_yaml_line(struct osw_schema_yaml *y, uint64_t number,
                         const char *line, size_t n,
                         struct osw_error *err) OSW_MUST_CHECK;

/* There are no more lines; likewise. */
int osw_schema_yaml_end(struct osw_schema_yaml *y,
                        struct osw_error *err) OSW_MUST_CHECK;

/* Release the memory of texts. */
void osw_schema_yaml_free(struct osw_schema_yaml *y);

#endif /* OSW_OPS_SCHEMA_YAML_H */
