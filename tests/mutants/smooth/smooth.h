/* smooth.h - what the implementations of this op share: y = x / sqrt(1 + x^2),
 * whose errors are bounded by those of pass__native
 */
#ifndef OSW_TESTS_SMOOTH_H
#define OSW_TESTS_SMOOTH_H

#include "../mapped.h"

EXPORT int smooth_kernel_impl(const osw_call *call);

/* An implementation from what becomes of one value: float element(x). */
#define SMOOTH_ELEMENTS(element) MAPPED(smooth, float, element)

#endif /* OSW_TESTS_SMOOTH_H */
