/* peers/all_reduce_pass__result_kept_unused.cu - honest: each call communicates
 */
#define KEEPS false
#include "all_reduce_kept.cuh"
