/* common/cli/opt.h - options as rows: a name, a type, a field of a struct
 *
 * Downstream: common/cli/cli.h parses command lines by such tables; a campaign
 * file may set the same fields by the same names.
 */
#ifndef OSW_COMMON_OPT_H
#define OSW_COMMON_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/text.h"

enum {
    OSW_OPT_MAX_ROWS = 64,  /* of one table */
    OSW_OPT_MAX_LIST = 64,  /* times a LIST may be given */
    OSW_OPT_MAX_WORDS = 32, /* that one option may be */
};

/* What an option takes, and the type of the field at `offset`. */
enum osw_opt_kind {
    OSW_OPT_FLAG,   /* nothing; bool */
    OSW_OPT_STR,    /* any word; const char *, borrowed from argv */
    OSW_OPT_U64,    /* uint64_t, decimal or 0x */
    OSW_OPT_I64,    /* int64_t */
    OSW_OPT_F64,    /* double, finite */
    OSW_OPT_SIZE,   /* bytes: 4096, 512M, 4G, 1.5GiB; uint64_t; K is 1024 */
    OSW_OPT_CHOICE, /* one of .choices; int, the index */
    OSW_OPT_LIST,   /* any word, repeatable; struct osw_list */
};

struct osw_list {
    size_t n;
    const char *items[OSW_OPT_MAX_LIST]; /* borrowed from argv */
};

/* A table ends in { 0 }.  --help adds the default in brackets, from the
 * command's `defaults`, unless the help text ends in brackets already.  Rows
 * of one topic stand together; the first of them names the topic.
 */
struct osw_opt {
    const char *name; /* without dashes */
    enum osw_opt_kind kind;
    size_t offset; /* of the field in the command's struct of options */
    const char *help;
    char letter;                /* short form, or 0 */
    const char *value;          /* its word in --help, e.g. "FILE" */
    const char *alias;          /* another name, or NULL */
    const char *const *choices; /* of CHOICE: names, up to a NULL */
    const char *implied; /* the word when none follows a '='; NULL: it is the
                            next one of the line */
    const char *(*words)(size_t i); /* of STR: all it may be, up to a NULL;
                                       NULL: any word */
    uint64_t least, most; /* of U64; most also of SIZE; most 0: no limit */
    double low, high;     /* of F64; high 0: no limit */
    bool nonzero; /* of others, on a command line: more than 0, which stands for
                     what holds without the option */
    bool open;    /* there are more words; the command checks */
    const char *topic; /* heading in --help from this row on; NULL: as before */
    bool expert;       /* shown by --help-all only */
};

/* The i-th value that the option may have, from 0; NULL after the last, and
 * for an option that takes any value.
 */
const char *osw_opt_word(const struct osw_opt *opt, size_t i);

/* May the word stand on a command line?  Not an empty one, as a shell variable
 * that is not set leaves it: to the option's command it would be no word at
 * all.  0, or -1 with err.
 */
int osw_opt_check_given(const struct osw_opt *opt, const char *word,
                        struct osw_error *err) OSW_MUST_CHECK;

/* Check a value against osw_opt_word().  0, also for an option that takes any
 * value or is open; or -1 with err as of osw_opt_refuse_word().
 */
int osw_opt_check_word(const struct osw_opt *opt, const char *word,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Fail: -1 with err "option '--format': expected one of csv, json; found
 * 'jsom' (did you mean 'json'?)".
 */
int osw_opt_refuse_word(const struct osw_opt *opt, const char *word,
                        struct osw_error *err);

/* The row of that long name or alias, or NULL. */
const struct osw_opt *osw_opt_find(const struct osw_opt *opts,
                                   const char *name);

/* Set one option from its word, e.g. from a key of a campaign file.  FLAG
 * takes "true" and "false".  0, or -1 with err "option '--limit': expected
 * ..., found 'x'" and the field untouched.
 */
int osw_opt_set(const struct osw_opt *opt, void *opts, const char *word,
                struct osw_error *err) OSW_MUST_CHECK;

/* Check a number that came from elsewhere than a word: is it beyond what the
 * option may be?  0 stands for what holds without the option.  0, or -1 with
 * err as of osw_opt_set().
 */
int osw_opt_check_most(const struct osw_opt *opt, uint64_t v,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Bytes from "4096", "512M", "4G", "64KiB", "1.5G". */
int osw_opt_size(const char *word, uint64_t *out,
                 struct osw_error *err) OSW_MUST_CHECK;

/* Add the value of the option as osw_opt_set() would take it; nothing for a
 * FLAG that is off, an empty LIST and a NULL STR.
 */
void osw_opt_print(const struct osw_opt *opt, const void *opts,
                   struct osw_text *out);

#endif /* OSW_COMMON_OPT_H */
