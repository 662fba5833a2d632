/* results/file/seal_dicts.h - the dictionaries of a journal in its file */
#ifndef OSW_RESULTS_SEAL_DICTS_H
#define OSW_RESULTS_SEAL_DICTS_H

#include <stdbool.h>

#include "common/error.h"
#include "results/file/store.h"
#include "results/journal/replay.h"

/* Write /dict.  With `from_journal` the texts of osw_dict_per_cell() are read
 * from the journal once more and need no memory; the others, and all of them
 * without it, are those that the replay holds.  Returns 0, or -1 with err set;
 * failures of the store show at osw_store_finish().
 */
int osw_seal_dicts(const struct osw_replay *replay, bool from_journal,
                   osw_store_t *store, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_SEAL_DICTS_H */
