/* results/report/report_kind.h - reasons that say the same of different cells
 *
 * "over work budget: predicted 9.1 s, limit 3 s" and the same with another
 * number are one kind of reason: what stands before ": " names it.
 */
#ifndef OSW_RESULTS_REPORT_KIND_H
#define OSW_RESULTS_REPORT_KIND_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the text that name its kind: up to ": ", or all of it. */
size_t osw_report_kind_length(const char *text);

/* kinds[i]: the first j whose text is of the same kind as texts[i], for n
 * texts.  Returns 0, or -1 without memory.
 */
int osw_report_kinds(const char *const *texts, uint32_t n, uint32_t *kinds);

#endif /* OSW_RESULTS_REPORT_KIND_H */
