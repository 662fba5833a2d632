/* pack_guard__past_longer_rows.cu - the same on a GPU */
#include "pack_guard__past_longer_rows.c"
