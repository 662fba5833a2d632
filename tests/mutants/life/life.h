/* life.h - what the implementations of this op share: y = factor * x, as in
 * scale; they are about the ways in which a process or a device ends */
#ifndef OSW_TESTS_LIFE_H
#define OSW_TESTS_LIFE_H

#include "../scale/scale.h"

EXPORT int life_kernel_impl(const osw_call *call);

#endif /* OSW_TESTS_LIFE_H */
