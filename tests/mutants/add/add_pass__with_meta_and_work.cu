/* add_pass__with_meta_and_work.cu - the same on a GPU */
#include "add_pass__with_meta_and_work.c"
