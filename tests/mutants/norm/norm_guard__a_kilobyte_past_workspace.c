/* norm_guard__a_kilobyte_past_workspace.c - past the end of what it asked for
 */
#define ROWS_PAST 256
#include "norm_guard__workspace.c"
