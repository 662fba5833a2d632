/* peers/all_reduce_value__result_kept_while_timed.cu - skips work in later
 * timed calls */
#define KEEPS true
#include "all_reduce_kept.cuh"
