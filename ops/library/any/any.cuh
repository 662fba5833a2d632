/* ops/library/any/any.cuh - any.h in kernels */
#ifndef OSW_LIBRARY_ANY_CUH
#define OSW_LIBRARY_ANY_CUH

#include "../shared/strided.cuh"
#include "any.h"

#endif /* OSW_LIBRARY_ANY_CUH */
