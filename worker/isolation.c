/* worker/isolation.c - how much op code is kept from: what judge and sandbox
 * both have to know
 */
#include "worker/isolation.h"

#include <linux/landlock.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum osw_isolation osw_isolation_level(const char *word)
{
    static const char *const words[OSW_N_ISOLATIONS] = {"full", "basic", "off"};
    int i = 0;

    if (!word || !word[0])
        return OSW_ISOLATION_FULL;
    while (i < OSW_N_ISOLATIONS && strcmp(word, words[i]) != 0)
        i++;
    return (enum osw_isolation)i;
}

int osw_isolation_landlock(void)
{
    long n = syscall(SYS_landlock_create_ruleset, NULL, 0,
                     LANDLOCK_CREATE_RULESET_VERSION);

    return n > 0 ? (int)n : 0;
}

void osw_isolation_close(enum osw_isolation level)
{
    if (level != OSW_ISOLATION_OFF &&
        (level == OSW_ISOLATION_BASIC || osw_isolation_landlock() == 0))
        (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
