/* shared/apart_plain.c - what baselines have in common
 *
 * Beside apart_fast.c: of what both need, this one has declarations.
 */
#define OSW_APART
#include "rules.h"

#undef OSW_APART
#define OSW_APART_MAKE
#include "plain_copy.h"
