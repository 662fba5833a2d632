/* ops/trials.c - inputs beside a case's own on which it is judged too */
#include "ops/trials.h"

#include <string.h>

#include "ops/fill_text.h"

static const char *const names[OSW_N_TRIALS] = {
#define X(bit, NAME, text) [bit] = text,
    OSW_TRIAL_MAP(X)
#undef X
};

static const struct osw_fill fills[OSW_N_TRIALS] = {
    [OSW_TRIAL_INTEGERS] = {OSW_FILL_SMALLINT, 1, 0},
    [OSW_TRIAL_OFFSET] = {OSW_FILL_OFFSET, OSW_TRIAL_MEAN, 0},
    [OSW_TRIAL_SPECIAL] = {OSW_FILL_SPECIAL, 0, 0},
};

const char *osw_trial_name(enum osw_trial_kind kind)
{
    return (size_t)kind < OSW_N_TRIALS ? names[kind] : "?";
}

int osw_trial_find(const char *name)
{
    for (int i = 0; i < OSW_N_TRIALS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

bool osw_trial_is_centred(const struct osw_fill *fill)
{
    return fill->kind == OSW_FILL_DEFAULT || fill->kind == OSW_FILL_NORMAL ||
           fill->kind == OSW_FILL_UNIFORM || fill->kind == OSW_FILL_SMALLINT;
}

struct osw_fill osw_trial_fill_of(enum osw_trial_kind kind,
                                  enum osw_dtype_id dtype,
                                  const struct osw_fill *own)
{
    bool floating = osw_dtype_is_floating(osw_dtype_info((int)dtype));

    if (kind == OSW_TRIAL_REDRAW || !floating || !osw_trial_is_centred(own))
        return *own;
    return fills[kind];
}
