/* results/report/report_cut.h - texts of ops, cut where least is lost
 *
 * Texts come from op code: control characters become spaces, so that nothing
 * in them can steer a terminal.  A character of UTF-8 counts as one column.
 *
 * Upstream: report_table*.c, `opsweep show`.
 */
#ifndef OSW_RESULTS_REPORT_CUT_H
#define OSW_RESULTS_REPORT_CUT_H

#include <stdbool.h>
#include <stdio.h>

#include "common/text.h"
#include "ops/record/state.h"

int osw_report_width(const char *text);

/* Append at most `width` columns of a text.  What does not fit loses its
 * middle, and more of it before the middle than after: the end of a reason is
 * its cause.  Long paths lose their first folders before that.
 */
void osw_report_cut(struct osw_text *out, const char *text, int width);

/* Print it; with `pad`, spaces follow up to the width. */
void osw_report_put_cut(FILE *out, const char *text, int width, int pad);

/* Print lines that end at most in column `width`, broken at spaces; the first
 * begins in column `first`, later ones are indented by `indent`.  `max_lines`
 * at most, the last one cut.
 */
void osw_report_put_lines(FILE *out, const char *text, int width, int first,
                          int indent, int max_lines);

/* Did a compiler write the reason of a cell that ended so?  Of references, too.
 */
bool osw_report_is_compilers(enum osw_state state, const char *reason);

/* Of what a compiler or linker wrote, where the first line that names an error
 * begins; the whole text where no line does.
 */
const char *osw_report_first_error(const char *text);

#endif /* OSW_RESULTS_REPORT_CUT_H */
