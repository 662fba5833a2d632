/* common/clock.h - time as the rest of the program sees it */
#ifndef OSW_COMMON_CLOCK_H
#define OSW_COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of CLOCK_MONOTONIC: for durations, never for dates. */
static inline int64_t osw_clock_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Nanoseconds since 1970-01-01T00:00:00Z: for dates, never for durations. */
static inline int64_t osw_clock_unix_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Sleep at least `ns`; a signal may end it early. */
static inline void osw_clock_sleep_ns(int64_t ns)
{
    struct timespec t = {ns / 1000000000, ns % 1000000000};

    nanosleep(&t, NULL);
}

#endif /* OSW_COMMON_CLOCK_H */
