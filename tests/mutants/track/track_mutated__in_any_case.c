/* track_mutated__in_any_case.c - writes it also where it is only used */
#include "track.h"

int track_kernel_impl(const osw_call *call)
{
    return track_all(call, 1);
}
