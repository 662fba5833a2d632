/* results/export/entry_json.h - a record of the journal as one line of JSON
 *
 * Of a result only what is not missing is printed, and its *_id as the text it
 * stands for.  Pure.  Upstream: entry.h.  Downstream: the command journal.
 */
#ifndef OSW_RESULTS_ENTRY_JSON_H
#define OSW_RESULTS_ENTRY_JSON_H

#include "common/text.h"
#include "results/journal/dict.h"
#include "results/journal/entry.h"
#include "results/journal/journal.h"

/* "run", "result", ...; "?" for a number that is not in the table. */
const char *osw_entry_name(unsigned type);

/* Append the record and a newline.  `entry` is NULL for a type or version that
 * this program does not know.  A DICT entry is added to `dicts`, from which
 * later ones are named; an id that is not there is printed as a number.
 * Returns 0, or -1 with err set: OSW_NO_MEMORY.
 */
int osw_entry_json(const struct osw_frame *frame,
                   const struct osw_journal_place *place,
                   const struct osw_entry *entry, osw_dicts_t *dicts,
                   struct osw_text *out, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_ENTRY_JSON_H */
