/* results/file/run_place.h - may a run's file and journal be made there?
 *
 * Upstream: `opsweep run`, before it plans; commands that write a file; run.c.
 */
#ifndef OSW_RESULTS_RUN_PLACE_H
#define OSW_RESULTS_RUN_PLACE_H

#include <stdbool.h>

#include "common/error.h"

/* Could a run be created there?  Changes nothing; 0, or -1 with err set
 * (OSW_BAD_INPUT, OSW_NO_MEMORY).
 */
int osw_run_place_try(const char *path, bool force,
                      struct osw_error *err) OSW_MUST_CHECK;

/* The same for a journal whose folder is known, without a look at the rights of
 * the folder around.
 */
int osw_run_place_check(const char *path, const char *journal_dir, bool force,
                        struct osw_error *err) OSW_MUST_CHECK;

/* For another file than a run's: would a run that goes on replace it at its
 * end? Returns 0, also for NULL, or -1 with err set (OSW_BAD_INPUT,
 * OSW_NO_MEMORY).
 */
int osw_run_place_held(const char *path, struct osw_error *err) OSW_MUST_CHECK;

/* Is it a link to nothing?  -1, with err set (OSW_BAD_INPUT): it is. */
int osw_run_place_linked(const char *path,
                         struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_RUN_PLACE_H */
