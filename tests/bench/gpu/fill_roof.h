/* tests/bench/gpu/fill_roof.h - how fast registers alone make a fill */
#ifndef OSW_TESTS_BENCH_GPU_FILL_ROOF_H
#define OSW_TESTS_BENCH_GPU_FILL_ROOF_H

#include "worker/judge/inputs/element.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Elements per second of the rule that the current GPU makes, of which nothing
 * is written: the best of five launches of 5 ms and more.  Blocks until they
 * are done.
 *
 * Returns 0 for a rule that has no kernel of its own, -1 for an error of CUDA.
 */
double fill_roof(const struct osw_element_rule *rule);

#ifdef __cplusplus
}
#endif

#endif /* OSW_TESTS_BENCH_GPU_FILL_ROOF_H */
