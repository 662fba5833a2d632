/* nothing_reference.c - It returns nothing. */

#define _GNU_SOURCE
#include "../../attack.h"
#include "../../honest.h"

int nothing_reference(const osw_call *call)
{
    (void)call;
    return 0;
}
