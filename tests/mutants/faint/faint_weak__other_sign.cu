/* faint_weak__other_sign.cu - the same on a GPU */
#include "faint_weak__other_sign.c"
