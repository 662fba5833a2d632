/* ops/scaffold/scaffold.h - the files of a new op's folder, from its schema
 *
 * The op that they compute is made up: output j is (j + 1) times the sum of all
 * tensors, the first of them counted twice, and all numbers.  So the folder is
 * judged right before its author has changed a line, whatever the schema, and
 * every argument and output is read and written once, as an example.
 *
 * Upstream: `opsweep new`, which writes the files.
 */
#ifndef OSW_OPS_SCAFFOLD_H
#define OSW_OPS_SCAFFOLD_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "common/text.h"
#include "ops/scaffold/scaffold_args.h"

/* One file. */
struct osw_scaffold_file {
    const char *language; /* a word of --lang; NULL: any op has it */
    const char *name;     /* "%s" stands for the folder's name */
    bool program;         /* it may be run */
    void (*write)(const struct osw_scaffold *s, struct osw_text *out);
};

/* The table of files; ends with a row without a name. */
extern const struct osw_scaffold_file osw_scaffold_files[];

/* Is that word in the table? */
bool osw_scaffold_language(const char *word);

/* Is that name one of C and Python?  0, or -1 with err set (OSW_BAD_INPUT):
 * what was found, and what was expected.
 */
int osw_scaffold_check_name(const char *folder,
                            struct osw_error *err) OSW_MUST_CHECK;

/* Can the op be made up: a tensor goes in, only tensors come out, and all that
 * is required has a value that is known?  As osw_scaffold_check_name().
 */
int osw_scaffold_check(const struct osw_schema *schema,
                       struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_SCAFFOLD_H */
