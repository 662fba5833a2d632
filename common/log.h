/* common/log.h - lines for people, on standard error
 *
 * For main.c, the coordinator and the worker loop; libraries return errors
 * instead.  A line is written by one write(), so that ranks that share a
 * terminal do not tear each other's.
 */
#ifndef OSW_COMMON_LOG_H
#define OSW_COMMON_LOG_H

#include "common/error.h"

enum osw_log_level {
    OSW_LOG_ERROR,
    OSW_LOG_WARNING,
    OSW_LOG_INFO,
    OSW_LOG_DEBUG,
};

/* Write lines up to this level [OSW_LOG_INFO], each after "opsweep: " or, when
 * `who` is not NULL, "opsweep: WHO: ".  `who` is copied, cut at 63 bytes.
 */
void osw_log_set(enum osw_log_level level, const char *who);

/* One line; no newline in fmt.  Longer than 1 KiB is cut. */
void osw_log(enum osw_log_level level, const char *fmt, ...) OSW_PRINTF(2, 3);

#endif /* OSW_COMMON_LOG_H */
