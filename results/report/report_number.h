/* results/report/report_number.h - numbers with units, as people read them
 *
 * Each writes into buf[size], 32 bytes at least, and returns it; NaN is "n/a".
 *
 * Upstream: report formats for people, `opsweep show`.
 */
#ifndef OSW_RESULTS_REPORT_NUMBER_H
#define OSW_RESULTS_REPORT_NUMBER_H

#include <stddef.h>

/* "1.23 ms", "12.3 us" */
const char *osw_report_duration(double ns, char *buf, size_t size);

/* "1.23x", "<0.01x", "123x" */
const char *osw_report_factor(double factor, char *buf, size_t size);

/* " [1.05, 1.37]"; "" for an interval without one of its ends, or one that is
 * too wide to say anything: a factor of 100 from end to end.
 */
const char *osw_report_interval(double lo, double hi, char *buf, size_t size);

/* "61 %", "0.4 %", ">999 %" */
const char *osw_report_percent(double share, char *buf, size_t size);

/* "0.3 of allowed", "exact" for no error; NaN is "-" */
const char *osw_report_allowed(double share, char *buf, size_t size);

/* "12.3 GB/s", "1.23 TFLOP/s" of giga units and "B" or "FLOP" */
const char *osw_report_rate(double giga, const char *unit, char *buf,
                            size_t size);

#endif /* OSW_RESULTS_REPORT_NUMBER_H */
