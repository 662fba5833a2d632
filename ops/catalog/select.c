/* ops/catalog/select.c - filters over names: exact, `!` excludes, globs on
 * request */
#include "ops/catalog/select.h"

#include <fnmatch.h>
#include <string.h>

bool osw_select_is_glob(const char *pattern)
{
    return strpbrk(pattern, "*?") != NULL;
}

const char *osw_select_short(const char *name)
{
    return strncmp(name, "aten.", 5) == 0 ? name + 5 : name;
}

bool osw_select_match(const char *pattern, const char *name)
{
    if (osw_select_is_glob(pattern))
        return fnmatch(pattern, name, FNM_NOESCAPE) == 0;
    return strcmp(pattern, name) == 0;
}

bool osw_select(const char *const *patterns, size_t n, const char *const *names,
                size_t n_names)
{
    bool includes = false, in = false;

    for (size_t i = 0; i < n; i++) {
        bool excludes = patterns[i][0] == '!';
        bool matches = false;

        for (size_t k = 0; k < n_names && !matches; k++)
            matches = osw_select_match(patterns[i] + excludes, names[k]);
        if (excludes && matches)
            return false;
        includes |= !excludes;
        in |= !excludes && matches;
    }
    return in || !includes;
}

bool osw_select_includes(const char *const *patterns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (patterns[i][0] != '!')
            return true;
    return false;
}
