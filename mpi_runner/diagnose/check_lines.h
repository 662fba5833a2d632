/* mpi_runner/diagnose/check_lines.h - what `opsweep check` prints
 *
 * A line is a mark (ok, note, wrong, FAILED, skipped), what it is about, and
 * words.
 *
 * Downstream: commands/cmd_check.c.
 */
#ifndef OSW_MPI_RUNNER_CHECK_LINES_H
#define OSW_MPI_RUNNER_CHECK_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "ops/record/state.h"

/* Further lines of the text come below its first one. */
void osw_check_say(const char *mark, const char *who, const char *fmt, ...)
    OSW_PRINTF(3, 4);

/* What became of an implementation's cells; zeros at first. */
struct osw_check_told {
    bool ran; /* it took a case */
    uint64_t n[OSW_STATE_COUNT], n_said[OSW_STATE_COUNT];
    enum osw_state state;
    char reason[160]; /* of the last one: what follows itself is said once */
};

/* The mark of such cells; NULL: one that ends so is not worth a line. */
const char *osw_check_mark(enum osw_state state);

/* Count a cell.  True: it gets a line. */
bool osw_check_tell(struct osw_check_told *told, enum osw_state state,
                    const char *reason);

/* Cells without a line, and that nothing was judged. */
void osw_check_say_rest(const struct osw_check_told *told, const char *folder,
                        const char *impl);

#endif /* OSW_MPI_RUNNER_CHECK_LINES_H */
