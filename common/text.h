/* common/text.h - a string that grows
 *
 * Sticky like common/wire.h: without memory it stops growing and says so
 * once, at osw_text_str() or by `failed`.
 */
#ifndef OSW_COMMON_TEXT_H
#define OSW_COMMON_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

struct osw_text {
    char *data; /* owned; ends in NUL once something was added */
    size_t used;
    size_t size;
    bool failed;
};

/* clang-format off */
#define OSW_TEXT_INIT { .data = NULL }
/* clang-format on */

void osw_text_free(struct osw_text *t);
void osw_text_reset(struct osw_text *t); /* empty it, keep the memory */

void osw_text_add(struct osw_text *t, const char *s);
void osw_text_add_n(struct osw_text *t, const char *s, size_t n);
void osw_text_printf(struct osw_text *t, const char *fmt, ...) OSW_PRINTF(2, 3);

/* Add a word as a shell reads it back, whatever is in it: as it is where that
 * is safe, else in single quotes.
 */
void osw_text_add_shell(struct osw_text *t, const char *word);

/* The same in a buffer of the caller's, for a command that is printed; `word`
 * itself where it does not fit.  Returns either.
 */
enum { OSW_SHELL_WORD = 4200 };
const char *osw_shell_word(const char *word, char out[OSW_SHELL_WORD]);

/* What the plural of a word of English ends in: "" for one thing, else "s".
 * Static.
 */
const char *osw_plural(uint64_t n);

/* The string so far; "" when empty, NULL when memory ran out.  Borrowed. */
const char *osw_text_str(const struct osw_text *t);

#endif /* OSW_COMMON_TEXT_H */
