/* faint.h - what the implementations of this op share: y = x / 10^7 */
#ifndef OSW_TESTS_FAINT_H
#define OSW_TESTS_FAINT_H

#include "../mapped.h"

EXPORT int faint_kernel_impl(const osw_call *call);

/* An implementation from what becomes of one value: double element(x). */
#define FAINT_ELEMENTS(element) MAPPED(faint, double, element)

#endif /* OSW_TESTS_FAINT_H */
