/* results/report/report_headlines.h - the speedup against each baseline, in a
 * line
 *
 *     speedup vs openblas  geomean 1.20x [1.05, 1.37] over 12 cells of 3 ops;
 * ... speed of light  median 61 % of what bytes and operations allow, over ...
 *
 * Upstream: report_table.c, report_html_text.c, the end of `opsweep run`.
 */
#ifndef OSW_RESULTS_REPORT_HEADLINES_H
#define OSW_RESULTS_REPORT_HEADLINES_H

#include <stdbool.h>
#include <stdio.h>

#include "results/report/report.h"
#include "results/report/report_versus.h"

enum { OSW_REPORT_HEADLINE = 256 /* bytes */ };

/* What follows the baseline's name in its line.  Returns words. */
const char *osw_report_headline(const struct osw_report_versus *v,
                                char words[OSW_REPORT_HEADLINE]);

void osw_report_headlines(const osw_file_t *file,
                          const struct osw_report_summary *summary, int width,
                          FILE *out);

/* The same of a file that was just written, where anything was timed, and the
 * command that says what `says` tells; NULL: nothing.  What cannot be read is
 * left out: the file itself is whole.
 */
void osw_report_last_lines(const char *path, const char *says, FILE *out);

#endif /* OSW_RESULTS_REPORT_HEADLINES_H */
