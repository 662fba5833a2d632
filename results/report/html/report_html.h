/* results/report/html/report_html.h - the parts of the HTML report
 *
 * report_html.c reads the cells once and writes the frame; each part below
 * writes one section.  What comes from the file (names, reasons) goes through
 * osw_report_html_text(), _uri() or the data writer and through nothing else:
 * op code chose those words.
 *
 * Upstream: results/report/report.h.  Private to results/report/html.
 */
#ifndef OSW_RESULTS_REPORT_HTML_H
#define OSW_RESULTS_REPORT_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "results/file/file.h"
#include "results/history/history.h"
#include "results/report/report.h"
#include "results/report/report_number.h"

/* What charts need of a cell.  Missing floats are NaN. */
struct osw_report_html_cell {
    uint64_t key;
    uint32_t row; /* in the file */
    uint32_t op, impl, case_id, dtype, host, device, reason, baseline;
    int32_t rank;
    uint8_t state, group; /* enum osw_state, osw_state_group */
    uint8_t timer;
    bool throttled;
    bool compared; /* with a baseline that is not itself (report_versus.h) */
    int64_t wall_ns, n_bad, n_elem;
    double t_median_ns, speedup, speedup_lo, speedup_hi;
    double bytes, flops, gbps, gflops, max_rel_err;
    double err_of_allowed, light;
    uint32_t world; /* of a collective op; 0: it is none */
    double coll_bytes, busbw;
    double clock_mhz, temperature_c;
};

struct osw_report_html {
    const osw_file_t *file;
    const struct osw_report_summary *summary;
    const osw_history_t *history; /* of several campaigns; NULL: of none */
    const struct osw_report_html_cell *cells; /* [n], in the file's order */
    size_t n;
    FILE *out;
};

/* --- report_html_text.c: words and numbers --- */

/* As text or inside a quoted attribute, after `max` characters "..." (0: all of
 * it).  Bytes that are no UTF-8 and control characters become U+FFFD.
 */
void osw_report_html_text(FILE *out, const char *text, size_t max);

/* Percent-encoded, for one value of a fragment. */
void osw_report_html_uri(FILE *out, const char *text);

/* Class of colour of a speedup: 0 (a quarter and less) to 8 (4 and more). */
int osw_report_html_shade(double speedup);

/* Passed, with a speedup against a baseline. */
bool osw_report_html_timed(const struct osw_report_html_cell *cell);

/* Open and end a section with this id and heading (plain HTML of ours). */
void osw_report_html_section(FILE *out, const char *id, const char *heading);
void osw_report_html_section_end(FILE *out);

/* "geomean 1.20x [1.05, 1.37] over 12 cells of 3 ops; 7 faster, ..." */
void osw_report_html_headline(const struct osw_report_html *h,
                              const struct osw_report_versus *headline);

/* The address of cells of an op and an implementation within the page. */
void osw_report_html_filter_link(const struct osw_report_html *h, uint32_t op,
                                 uint32_t impl);

/* --- the sections; 0, or -1 with err set --- */

void osw_report_html_head(const struct osw_report_html *h);
int osw_report_html_map(const struct osw_report_html *h,
                        struct osw_error *err) OSW_MUST_CHECK;
int osw_report_html_speed(const struct osw_report_html *h,
                          struct osw_error *err) OSW_MUST_CHECK;
int osw_report_html_roof(const struct osw_report_html *h,
                         struct osw_error *err) OSW_MUST_CHECK;
/* Bandwidths of collective ops; nothing where none was timed. */
bool osw_report_html_has_ranks(const struct osw_report_html *h);
int osw_report_html_ranks(const struct osw_report_html *h,
                          struct osw_error *err) OSW_MUST_CHECK;
int osw_report_html_errors(const struct osw_report_html *h,
                           struct osw_error *err) OSW_MUST_CHECK;
int osw_report_html_lists(const struct osw_report_html *h,
                          struct osw_error *err) OSW_MUST_CHECK;
int osw_report_html_generation(const struct osw_report_html *h,
                               struct osw_error *err) OSW_MUST_CHECK;
void osw_report_html_history(const struct osw_report_html *h);
int osw_report_html_nodes(const struct osw_report_html *h,
                          struct osw_error *err) OSW_MUST_CHECK;

/* The cells as JSON in a script element, and the frame that the page's script
 * fills: failed cells first, then the others, as many as the budget holds.
 */
int osw_report_html_data(const struct osw_report_html *h,
                         struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_REPORT_HTML_H */
