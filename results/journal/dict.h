/* results/journal/dict.h - texts that repeat, as numbers
 *
 * A dictionary belongs to the column <name>_id of ops/record/record.h.  Entry 0
 * is "", or what a table of ops/ calls 0; entries are unique.  Five
 * dictionaries are fixed by tables of ops/, the others grow as results come.
 * Texts are found by their digests (digest.h), so a dictionary can do without
 * the texts themselves.
 *
 * Upstream: run.c interns, replay.c reads back.  Downstream: seal.c writes.
 */
#ifndef OSW_RESULTS_DICT_H
#define OSW_RESULTS_DICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* Numbers go to the journal. */
/* clang-format off */
#define OSW_DICT_MAP(X)                                                        \
    X( 0, OP,        "op")                                                     \
    X( 1, IMPL,      "impl")                                                   \
    X( 2, CASE,      "case")                                                   \
    X( 3, DTYPE,     "dtype")                                                  \
    X( 4, FILL,      "fill")                                                   \
    X( 5, HOST,      "host")                                                   \
    X( 6, DEVICE,    "device")                                                 \
    X( 7, STATUS,    "status")    /* fixed: state.h */                         \
    X( 8, PHASE,     "phase")     /* fixed: state.h */                         \
    X( 9, CHECK,     "check")     /* fixed: record.h */                        \
    X(10, STOP,      "stop")      /* fixed: record.h */                        \
    X(11, REASON,    "reason")                                                 \
    X(12, OUTPUT,    "output")                                                 \
    X(13, REFERENCE, "reference")                                              \
    X(14, BASELINE,  "baseline")                                               \
    X(15, TIMER,     "timer")     /* fixed: record.h */                        \
    X(16, REDOP,     "redop")     /* fixed: record.h */
/* clang-format on */

enum osw_dict {
#define X(number, NAME, name) OSW_DICT_##NAME = number,
    OSW_DICT_MAP(X)
#undef X
        OSW_DICT_COUNT,
};

enum {
    OSW_DICT_MAX_TEXT = 1 << 20, /* bytes of one entry; a longer one is cut */
    OSW_DICT_MAX_ENTRIES = 1 << 30, /* of one dictionary */
};

/* "op", ...; "?" for a number that is not in the table. */
const char *osw_dict_name(enum osw_dict dict);

/* True for the dictionaries that a table of ops/ fixes. */
bool osw_dict_fixed(enum osw_dict dict);

/* True for those that may have an entry for every cell of a campaign. */
bool osw_dict_per_cell(enum osw_dict dict);

/* All dictionaries of one run. */
typedef struct osw_dicts osw_dicts_t;

/* Returns dictionaries that the caller owns, each with its entry 0, the fixed
 * ones complete; NULL without memory or random numbers.
 */
osw_dicts_t *osw_dicts_create(void) OSW_MUST_CHECK;

/* The same, but the dictionaries of osw_dict_per_cell() keep no texts: 17 to 23
 * bytes an entry.  Of those only entry 0 and the newest one have a text.
 */
osw_dicts_t *osw_dicts_create_lean(void) OSW_MUST_CHECK;
void osw_dicts_destroy(osw_dicts_t *dicts); /* NULL is ignored */

/* Find `text` (NULL: "") or make it the next entry.  What is stored is valid
 * UTF-8: any other byte becomes '?'.  *is_new tells that an entry was made.
 *
 * Returns 0, or -1 with err set: OSW_NO_MEMORY, or OSW_BAD_INPUT when it would
 * be a new entry of a fixed dictionary or one too many.
 */
int osw_dicts_intern(osw_dicts_t *dicts, enum osw_dict dict, const char *text,
                     uint32_t *id, bool *is_new,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Take back the entry that the last intern of this dictionary made. */
void osw_dicts_forget(osw_dicts_t *dicts, enum osw_dict dict);

uint32_t osw_dicts_count(const osw_dicts_t *dicts, enum osw_dict dict);

/* Borrowed for the life of dicts, of a lean dictionary until the next intern;
 * NULL when there is no such entry, or no text of it.
 */
const char *osw_dicts_text(const osw_dicts_t *dicts, enum osw_dict dict,
                           uint32_t id);

/* All entries, [osw_dicts_count()]; borrowed until the next intern.  NULL of a
 * lean dictionary.
 */
const char *const *osw_dicts_texts(const osw_dicts_t *dicts,
                                   enum osw_dict dict);

/* Is this the text of that entry?  Known of all entries. */
bool osw_dicts_is(const osw_dicts_t *dicts, enum osw_dict dict, uint32_t id,
                  const char *text);

#endif /* OSW_RESULTS_DICT_H */
