/* pair_reference.c - y = factor * x in double, for an op of two cases: where
 * two workers judge it, each has one */
#define first_meta      pair_meta
#define first_reference pair_reference
#include "../first/first_reference.c"
