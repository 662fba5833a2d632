/* life_pass__other_habits.c - right, and changes what it inherited: name,
 * priority, signals
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    prctl(PR_SET_NAME, "worker");
    setpriority(PRIO_PROCESS, 0, 5);
    signal(SIGUSR1, SIG_IGN);
    return scale_all(call);
}
