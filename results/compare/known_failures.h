/* results/compare/known_failures.h - what is known to be broken or accepted, by
 * hand
 *
 * A JSON file, versioned with the ops:
 *
 *     {"format": "opsweep.known", "version": 1, "entries": [
 *       {"cell": "aten.mm.default/blocked", "kind": "regressed", "most": 12,
 *        "reason": "checks bounds since #41", "expires": "2027-03-31"},
 *       {"place": "n17*", "kind": "place", "reason": "is being repaired",
 *        "expires": "2026-12-24"}]}
 *
 * `cell` is OP/IMPL or OP/IMPL/CASE and `place` the name of a node or GPU; in
 * both * stands for any characters and ? for one.  `kind` is one of
 * OSW_HISTORY_MAP, or "any"; of one that has an effect `most` (percent) is how
 * large it may be.  `since` (optional) is the run_uuid of the campaign where it
 * began.  From the day after `expires` (UTC) on the entry does not count.
 *
 * Upstream: `opsweep history --known`.  Downstream: common/json.h.
 */
#ifndef OSW_RESULTS_KNOWN_FAILURES_H
#define OSW_RESULTS_KNOWN_FAILURES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

enum {
    OSW_KNOWN_FAILURES_MAX_ENTRIES = 10000,
    OSW_KNOWN_FAILURES_MAX_TEXT = 1024, /* bytes of a pattern or reason */
    OSW_KNOWN_FAILURES_DATE = 11,       /* "2026-12-31" and NUL */
};

struct osw_known_failures_entry {
    const char *cell, *place; /* patterns; one of them is NULL */
    const char *kind;         /* "any": NULL */
    const char *since;        /* NULL: any campaign */
    const char *reason, *expires;
    double most;    /* log of the ratio; INFINITY: not bounded */
    bool expired;   /* as of the day it was loaded for */
    size_t n_found; /* what it stood for, also when expired */
};

typedef struct osw_known osw_known_failures_t;

/* Read the file; `today` is "YYYY-MM-DD", in UTC; kind_name tells the kinds,
 * and NULL after the last.  Returns what the caller owns, or NULL with err set:
 * OSW_BAD_INPUT
 * ("FILE: key 'entries[2].expires': expected ..., found ..."), OSW_SYSTEM,
 * OSW_NO_MEMORY.
 */
osw_known_failures_t *
osw_known_failures_load(const char *path, const char *today,
                        const char *(*kind_name)(int k),
                        struct osw_error *err) OSW_MUST_CHECK;
void osw_known_failures_free(osw_known_failures_t *known); /* NULL is ignored */

const struct osw_known_failures_entry *
osw_known_failures_entries(const osw_known_failures_t *known, size_t *n);

/* Something that was found. */
struct osw_known_failures_thing {
    const char *kind;
    const char *op, *impl, *of; /* of a cell; op NULL: it is a place's */
    const char *place;          /* NULL: it is a cell's */
    const char *since;          /* run_uuid; NULL: not known */
    double effect;              /* log of the ratio; NaN: none */
};

/* The entry that stands for it, or -1.  Entries that have expired, or are
 * exceeded, do not; the first one that would have stood for it but for its
 * date goes to *expired, else -1.
 */
int osw_known_failures_find(osw_known_failures_t *known,
                            const struct osw_known_failures_thing *thing,
                            int *expired);

/* Is text what the pattern says?  Only * and ? are special. */
bool osw_known_failures_matches(const char *pattern, const char *text);

/* Is it a day of the calendar, "YYYY-MM-DD"? */
bool osw_known_failures_is_date(const char *text);

#endif /* OSW_RESULTS_KNOWN_FAILURES_H */
