/* track_pass__where_asked.c - writes it where it is asked to */
#include "track.h"

int track_kernel_impl(const osw_call *call)
{
    return track_all(call, osw_arg_int(call, 2, 0) != 0);
}
