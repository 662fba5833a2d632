/* results/history/history.h - many campaigns, cell by cell
 *
 * Campaigns are ordered by the time they began, cells joined by key; what ran
 * on another model of device is a series of its own.  Of each series the
 * verdicts and the times are followed.  Points that were timed otherwise
 * (timer, cold) or with clocks held down are never joined.
 *
 * Shift.  log t[c, p] = r[c] + g[p] + rest, with a cell's level r and what all
 * cells of a campaign's place p (a GPU, or a processor) have in common g, by
 * median polish (J. W. Tukey, Exploratory Data Analysis, 1977), as compare.h
 * does for two files: g is taken out where 20 cells say so.  g itself is a
 * series: a bad node shows in it, and a driver that slows everything down.
 *
 * Steps, drifts and places: changes.h.  A step needs three campaigns after it
 * to be `regressed`, and its p must be below 0.005 and stand Benjamini and
 * Hochberg's test (stats.h) among all series of the history, so that of what is
 * called regressed or drifted few are noise; less is a suspicion, `slower`.
 * Against the pinned baseline the level of the last five campaigns counts; p is
 * that of Student's t of 3 degrees of freedom, as one launch of the baseline
 * may have gone wrong.
 *
 * Memory: 28 bytes a point (cell of a campaign), up to twice that while it
 * grows, 12 more while it is judged, 24 a cell, texts once, beside the columns
 * of the one file that is being read.  100 campaigns of 10,000 cells: 90 MiB.
 *
 * Upstream: `opsweep history`; reports that draw lines.  Downstream: file.h,
 * compare_side.h, changes.h, known_failures.h.
 */
#ifndef OSW_RESULTS_HISTORY_H
#define OSW_RESULTS_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "results/compare/known_failures.h"
#include "results/file/file.h"
#include "results/history/history_view.h"

const char *osw_history_name(enum osw_history_kind kind);
const char *osw_history_text(enum osw_history_kind kind);

osw_history_t *osw_history_create(const struct osw_history_options *options,
                                  struct osw_error *err) OSW_MUST_CHECK;
void osw_history_destroy(osw_history_t *h); /* NULL is ignored */

/* Read a campaign; the file may be closed afterwards.  `pinned`: it is the
 * baseline and no part of the history.  Returns 0, or -1 with err set:
 * OSW_BAD_INPUT (a campaign of that id was added before, it does not say when
 * it began, a column is damaged, too many), OSW_NO_MEMORY.
 */
int osw_history_add(osw_history_t *h, const osw_file_t *file, bool pinned,
                    struct osw_error *err) OSW_MUST_CHECK;

/* After the last campaign: put them in order and find what changed.  `known`
 * (NULL: none) is borrowed as long as h.  Returns 0, or -1 with err set.
 */
int osw_history_judge(osw_history_t *h, osw_known_failures_t *known,
                      struct osw_error *err) OSW_MUST_CHECK;

struct osw_history_view osw_history_view(const osw_history_t *h);
const char *osw_history_word(const osw_history_t *h, uint32_t id);

/* Say something beside the results.  0, or -1 without memory. */
int osw_history_note(osw_history_t *h, struct osw_error *err, const char *fmt,
                     ...) OSW_PRINTF(3, 4);

struct osw_history_format {
    const char *name;
    int (*write)(const osw_history_t *h, size_t limit, FILE *out,
                 struct osw_error *err); /* limit: rows named of a kind */
};
/* NULL when there is none of that name; osw_history_format_at(i): NULL after
 * the last.
 */
const struct osw_history_format *osw_history_format_find(const char *name);
const struct osw_history_format *osw_history_format_at(size_t i);

extern const struct osw_history_format osw_history_format_text;
extern const struct osw_history_format osw_history_format_markdown;
extern const struct osw_history_format osw_history_format_json;
extern const struct osw_history_format osw_history_format_csv;

#endif /* OSW_RESULTS_HISTORY_H */
