/* worker/judge/eval/checks.c - leave out one check of the verifier */
#include "worker/judge/eval/checks.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {
#define X(NAME, text, does) [OSW_CHECKS_##NAME] = (text),
    OSW_CHECKS_MAP(X)
#undef X
};

enum { N_CHECKS = sizeof(names) / sizeof(names[0]) };

static int left_out = -1;

bool osw_checks_has(enum osw_checks check)
{
    return left_out != (int)check;
}

static int refuse(const char *name, struct osw_error *err)
{
    char list[400] = "";
    size_t used = 0;

    for (int i = 0; i < N_CHECKS && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
                                 i ? ", " : "", names[i]);
    return osw_fail(err, OSW_BAD_INPUT,
                    "OPSWEEP_DISABLE_CHECK='%.40s': no such check, expected "
                    "one of %s",
                    name, list);
}

int osw_checks_leave_out(const char *name, struct osw_error *err)
{
    left_out = -1;
    if (!name || !*name)
        return 0;
    for (int i = 0; i < N_CHECKS; i++)
        if (strcmp(names[i], name) == 0)
            left_out = i;
    return left_out < 0 ? refuse(name, err) : 0;
}
