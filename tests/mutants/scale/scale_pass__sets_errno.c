/* scale_pass__sets_errno.c - right, and leaves errno set */
#include <errno.h>

#include "scale.h"

int scale_kernel_impl(const osw_call *call)
{
    int rc = scale_all(call);

    errno = ENOMEM;
    return rc;
}
