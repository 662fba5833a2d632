/* worker/judge/timing/processor_roof.h - the roofline of a processor
 *
 * How fast one core copies memory, for footprints from the first-level cache to
 * main memory, and how many operations a second its vector units do in float32.
 * Each is measured once by each worker, when work of that size is first timed:
 * the largest footprint alone takes 50 ms.
 *
 * The model is for reports, not for verdicts: an op that keeps its data in a
 * smaller cache than its footprint suggests, or that uses matrix units, can be
 * faster than it says.
 */
#ifndef OSW_WORKER_JUDGE_PROCESSOR_ROOF_H
#define OSW_WORKER_JUDGE_PROCESSOR_ROOF_H

#include <stdbool.h>
#include <stddef.h>

#include "worker/device/device.h"

enum { OSW_ROOF_FOOTPRINTS = 5 };

/** Bytes of source and target together, from small to large. */
extern const size_t osw_roof_footprints[OSW_ROOF_FOOTPRINTS];

struct osw_processor_roof {
    /* Bytes read and written per second, of a copy of such a footprint; 0: not
     * measured.
     */
    double rate[OSW_ROOF_FOOTPRINTS];
    double flops; /* per second in float32, of one core; 0: not measured */
};

/** Is all known that work of `bytes` on so many threads needs? */
bool osw_processor_roof_known(const struct osw_processor_roof *roof,
                              double bytes, uint32_t n_threads);

/** Measure that, on the calling thread's core. */
void osw_processor_roof_measure(struct osw_processor_roof *roof, double bytes,
                                uint32_t n_threads);

/**
 * The least time, ns, of `bytes` read and written and `flops` on so many
 * threads; NaN: unknown.  The smallest footprint that holds `bytes` counts.
 * Float64 has half of the lanes.
 */
double osw_processor_roof_ns(const struct osw_processor_roof *roof,
                             double bytes, double flops,
                             enum osw_arithmetic widest, uint32_t n_threads);

#endif /* OSW_WORKER_JUDGE_PROCESSOR_ROOF_H */
