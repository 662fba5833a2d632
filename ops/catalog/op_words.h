/* ops/catalog/op_words.h - which words op.json may hand to a compiler
 *
 * A compiler runs with all rights of the user.  A word such as -wrapper,
 * -fplugin= or -Wl,-Map= makes it run another program or write a file, and nvcc
 * hands its words to a shell.  So only words of a list are taken: those that
 * change the code that is made, or say where headers and libraries are read.
 *
 * Upstream: op_json.c.
 */
#ifndef OSW_OPS_OP_WORDS_H
#define OSW_OPS_OP_WORDS_H

#include "common/error.h"
#include "ops/catalog/op.h"

/* May all words of the text, split at blanks, be handed to the compiler of that
 * language?  Returns 0, or -1 with err set: OSW_BAD_INPUT, the word and what is
 * allowed.
 */
int osw_op_words_check(const struct osw_language *language, const char *words,
                       struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_OP_WORDS_H */
