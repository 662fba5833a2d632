/* results/report/command.h - the command line that runs one cell alone
 *
 *     opsweep run --suite traces --device cuda --ops aten.mm.default
 *         --impls tuned --case '((...), {})' --seed 3 -o cell.h5
 *
 * begin and end are those of a run, what stands between of a cell; each part
 * begins with a blank, but the first.
 *
 * Upstream: results/file/file_runs.h.  Downstream: `opsweep show`,
 * report_html_data.c.
 */
#ifndef OSW_RESULTS_COMMAND_H
#define OSW_RESULTS_COMMAND_H

#include <stdbool.h>

#include "common/error.h"
#include "common/text.h"
#include "results/file/file_runs.h"

/* What becomes of a key of campaigns: *option is the name of the option that
 * osw_command_begin() carries it as, or NULL where the cell has it or it does
 * not matter to one cell.  False: of a key that is not known.
 */
bool osw_command_knows(const char *key, const char **option);

/* What of the run's campaign decides how a cell runs.  Returns 0, or -1 with
 * err set when its JSON cannot be read.
 */
int osw_command_begin(const struct osw_file_run *run, struct osw_text *out,
                      struct osw_error *err) OSW_MUST_CHECK;
void osw_command_cell(const char *op, const char *impl, const char *case_text,
                      const char *fill, struct osw_text *out);
/* Of a cell of a collective op: its number of ranks, with the workers that it
 * needs.  Nothing for other cells.
 */
void osw_command_world(uint32_t world, uint64_t cell_key, struct osw_text *out);
void osw_command_end(const struct osw_file_run *run, struct osw_text *out);

#endif /* OSW_RESULTS_COMMAND_H */
