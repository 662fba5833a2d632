/* mpi_runner/commands/fail_on.c - which findings make a command fail, and
 * options' ranges
 */
#include "mpi_runner/commands/fail_on.h"

#include <stdio.h>
#include <string.h>

#include "common/suggest.h"
#include "common/text.h"
#include "ops/record/state.h"

enum { MAX_NAMES = 64 };

/* The number of the name word[0..n); -1: there is none such. */
static int find(const char *(*names)(int k), const char *word, size_t n)
{
    const char *name;

    for (int k = 0; (name = names(k)) != NULL; k++)
        if (strlen(name) == n && memcmp(name, word, n) == 0)
            return k;
    return -1;
}

/* `expected`: words that may stand there. */
static int unknown(const char *(*names)(int k), const char *expected,
                   const char *list, size_t n, struct osw_error *err)
{
    const char *words[MAX_NAMES], *near;
    char word[64], hint[OSW_SUGGEST_HINT];
    size_t n_words = 0;

    while (n_words < MAX_NAMES && names((int)n_words)) {
        words[n_words] = names((int)n_words);
        n_words++;
    }
    snprintf(word, sizeof(word), "%.*s", (int)n, list);
    near = osw_suggest(word, words, n_words);
    return osw_fail(err, OSW_BAD_INPUT,
                    "option '--fail-on': expected none, or some of %s; found "
                    "'%s'%s",
                    expected, word, osw_suggest_hint(near, hint));
}

/* The word at the start of *list, which moves past it and a comma: its number.
 */
static int take(const char **list, const char *(*names)(int k),
                const char *expected, struct osw_error *err)
{
    const char *word = *list;
    size_t n = strcspn(word, ",");
    int k = find(names, word, n);

    if (n == 4 && memcmp(word, "none", n) == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--fail-on': expected 'none' alone, found "
                        "it beside other words");
    if (k < 0)
        return unknown(names, expected, word, n, err);
    *list += n + (word[n] == ',');
    return k;
}

int osw_fail_on_parse(const char *list, const char *(*names)(int k),
                      unsigned *fail_on, struct osw_error *err)
{
    struct osw_text all = OSW_TEXT_INIT;
    int k = 0;

    *fail_on = 0;
    for (int i = 0; names(i); i++)
        osw_text_printf(&all, "%s%s", i ? ", " : "", names(i));
    if (strcmp(list, "none") == 0)
        list = "";
    while (*list && k >= 0) {
        k = take(&list, names, osw_text_str(&all) ? osw_text_str(&all) : "",
                 err);
        if (k >= 0)
            *fail_on |= 1U << k;
    }
    osw_text_free(&all);
    return k < 0 ? -1 : 0;
}

/* --- states --- */

static const char *const groups[OSW_GROUP_COUNT] = {
    [OSW_GROUP_PASS] = "pass",   [OSW_GROUP_FAIL] = "fail",
    [OSW_GROUP_ERROR] = "error", [OSW_GROUP_NOT_JUDGED] = "not-judged",
    [OSW_GROUP_INFRA] = "infra",
};

/* The groups, then the states; `pass` is both, and means the same. */
static const char *group_or_state(int k)
{
    enum osw_state state;

    if (k < OSW_GROUP_COUNT)
        return groups[k];
    state = osw_state_at(k - OSW_GROUP_COUNT);
    return state == OSW_STATE_NONE ? NULL : osw_state_name(state);
}

static uint32_t states_of(int k)
{
    uint32_t states = 0;

    if (k >= OSW_GROUP_COUNT)
        return UINT32_C(1) << osw_state_at(k - OSW_GROUP_COUNT);
    for (int i = 0; osw_state_at(i) != OSW_STATE_NONE; i++)
        if (osw_state_group(osw_state_at(i)) == (enum osw_state_group)k)
            states |= UINT32_C(1) << osw_state_at(i);
    return states;
}

int osw_fail_on_states(const char *list, uint32_t *states,
                       struct osw_error *err)
{
    uint32_t found = 0;

    if (strcmp(list, "none") == 0)
        list = "";
    while (*list) {
        int k =
            take(&list, group_or_state,
                 "pass, fail, error, not-judged, infra, or single states", err);

        if (k < 0)
            return -1;
        found |= states_of(k);
    }
    *states = found;
    return 0;
}

int osw_fail_on_range(const char *name, double v, double least, double most,
                      struct osw_error *err)
{
    return v >= least && v <= most
               ? 0
               : osw_fail(err, OSW_BAD_INPUT,
                          "option '--%s': expected %g to %g, found %g", name,
                          least, most, v);
}
