/* ops/record/state.c - the states a cell can end in, and how far each reaches
 */
#include "ops/record/state.h"

#include <stddef.h>
#include <string.h>

static const struct state_row {
    int number;
    const char *name;
    enum osw_state_group group;
    enum osw_scope scope;
} states[] = {
#define X(number, NAME, name, group, scope)                                    \
    {number, name, OSW_GROUP_##group, OSW_SCOPE_##scope},
    OSW_STATE_MAP(X)
#undef X
};

#define X(number, NAME, name, group, scope)                                    \
    _Static_assert((number) < OSW_STATE_COUNT, "state '" name "' has room");
OSW_STATE_MAP(X)
#undef X

static const char *const group_names[] = {
    [OSW_GROUP_PASS] = "pass",   [OSW_GROUP_FAIL] = "fail",
    [OSW_GROUP_ERROR] = "error", [OSW_GROUP_NOT_JUDGED] = "not judged",
    [OSW_GROUP_INFRA] = "infra",
};

static const char *const phase_names[] = {
#define X(number, NAME, name) [number] = name,
    OSW_PHASE_MAP(X)
#undef X
};

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const struct state_row *find(int number)
{
    for (size_t i = 0; i < N_ELEM(states); i++)
        if (states[i].number == number)
            return &states[i];
    return NULL;
}

const char *osw_state_name(enum osw_state state)
{
    const struct state_row *row = find((int)state);

    return row ? row->name : "?";
}

const char *osw_state_group_name(enum osw_state_group group)
{
    return (size_t)group < N_ELEM(group_names) ? group_names[group] : "?";
}

const char *osw_phase_name(enum osw_phase phase)
{
    return (size_t)phase < N_ELEM(phase_names) ? phase_names[phase] : "?";
}

bool osw_state_known(int number)
{
    return find(number) != NULL;
}

enum osw_state_group osw_state_group(enum osw_state state)
{
    const struct state_row *row = find((int)state);

    return row ? row->group : OSW_GROUP_INFRA;
}

enum osw_scope osw_state_scope(enum osw_state state)
{
    const struct state_row *row = find((int)state);

    return row ? row->scope : OSW_SCOPE_CELL;
}

enum osw_state osw_state_find(const char *name)
{
    for (size_t i = 0; i < N_ELEM(states); i++)
        if (strcmp(states[i].name, name) == 0)
            return (enum osw_state)states[i].number;
    return OSW_STATE_NONE;
}

enum osw_state osw_state_at(int i)
{
    return i >= 0 && (size_t)i < N_ELEM(states)
               ? (enum osw_state)states[i].number
               : OSW_STATE_NONE;
}

bool osw_state_is_folder(int state, int phase)
{
    return state == OSW_STATE_LOAD && phase == OSW_PHASE_PLAN;
}

bool osw_state_is_broken(int state, const char *reason)
{
    /* As worker/judge/eval/first.c begins it; it is in files. */
    static const char begin[] = "broken: ";

    return state == OSW_STATE_SKIPPED &&
           strncmp(reason, begin, sizeof(begin) - 1) == 0;
}
