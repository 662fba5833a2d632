/* faults_pass__honest.c -
 * The honest neighbour.
 */

#include "../../attack.h"

int faults_kernel_impl(const osw_call *call)
{
    return scale(call);
}
