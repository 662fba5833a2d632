/* softmax_pass__merged_blocks.cu - the same on a GPU */
#include "softmax_pass__merged_blocks.c"
