/* norm_pass__merged_blocks.cu - the same on a GPU */
#include "norm_pass__merged_blocks.c"
