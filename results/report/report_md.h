/* results/report/report_md.h - pieces of Markdown, as GitHub and GitLab read it
 *
 * Texts come from ops: nothing in them may make a tag, a heading or another
 * column of a table; what op code says is code, where hosts make no mentions
 * and links either.
 */
#ifndef OSW_RESULTS_REPORT_MD_H
#define OSW_RESULTS_REPORT_MD_H

#include <stdio.h>

#include "results/file/file.h"
#include "results/report/report.h"

/* At most `max` characters of text in one line, for a cell of a table. */
void osw_report_md_text(FILE *out, const char *text, size_t max);

/* The same as code. */
void osw_report_md_code(FILE *out, const char *text, size_t max);

/* "1.234" or "n/a". */
void osw_report_md_number(FILE *out, double value, int decimals);

/* Scores of BackendBench and KernelBench as tables, with denominators. */
void osw_report_md_scores(FILE *out, const osw_file_t *file,
                          const struct osw_report_summary *summary);

/* "1.80x vs openblas, 0.95x vs plain" of a row, "" without any. */
void osw_report_md_speedups(FILE *out, const osw_file_t *file,
                            const struct osw_report_summary *summary,
                            size_t row);

#endif /* OSW_RESULTS_REPORT_MD_H */
