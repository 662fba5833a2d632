/* shared/apart_fast.c - what fast implementations and references have in common
 */
#define OSW_APART_MAKE

#include "copying.h"
#include "elementwise.h"
#include "elementwise_reference.h"
