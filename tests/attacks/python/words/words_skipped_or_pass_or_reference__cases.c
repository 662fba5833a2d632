/* words_skipped_or_pass_or_reference__cases.c - The honest neighbour. */

#include "../../attack.h"

int words_kernel_impl(const osw_call *call)
{
    return scale(call);
}
