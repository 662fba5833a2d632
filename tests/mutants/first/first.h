/* first.h - what the implementations of this op share: y = factor * x, as in
 * scale; they are about what a process keeps of the first case that it sees */
#ifndef OSW_TESTS_FIRST_H
#define OSW_TESTS_FIRST_H

#include "../scale/scale.h"

EXPORT int first_kernel_impl(const osw_call *call);

#endif /* OSW_TESTS_FIRST_H */
