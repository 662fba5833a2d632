/* ops/cases/overload.c - the one op that a name without its overload means */
#include "ops/cases/overload.h"

#include <stdio.h>
#include <string.h>

#include "ops/catalog/select.h"

enum { MAX_FOUND = 8 }; /* that a message lists */

struct found {
    const char *names[MAX_FOUND];
    size_t n; /* may be more */
};

/* Is it "<base>.<overload>", but for "aten." in front of either? */
static bool is_overload(const char *name, const char *base)
{
    size_t n;

    name = osw_select_short(name);
    base = osw_select_short(base);
    n = strlen(base);
    return strncmp(name, base, n) == 0 && name[n] == '.' &&
           !strchr(name + n + 1, '.');
}

static void add(struct found *f, const char *name)
{
    for (size_t i = 0; i < f->n && i < MAX_FOUND; i++)
        if (strcmp(f->names[i], name) == 0)
            return;
    if (f->n < MAX_FOUND)
        f->names[f->n] = name;
    f->n++;
}

static int refuse(const char *pattern, const struct found *f,
                  struct osw_error *err)
{
    char list[200] = "";
    size_t used = 0;

    for (size_t i = 0; i < f->n && i < MAX_FOUND && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
                                 i ? ", " : "", osw_select_short(f->names[i]));
    return osw_fail(err, OSW_BAD_INPUT,
                    "option '--ops': '%.60s': %zu overloads match: %s%s; name "
                    "one, or use '%.60s.*' for all",
                    pattern, f->n, list, f->n > MAX_FOUND ? ", ..." : "",
                    osw_select_short(pattern));
}

/* The overload of that base; NULL: there is none, or err is set. */
static const char *find(const struct osw_catalog *catalog,
                        const char *const *names, size_t n_names,
                        const char *base, struct osw_error *err)
{
    struct found f = {.n = 0};
    bool named;

    for (size_t i = 0; i < n_names; i++)
        if (is_overload(names[i], base))
            add(&f, names[i]);
    named = f.n > 0;
    for (size_t i = 0; i < catalog->n_ops && !named; i++)
        if (is_overload(catalog->ops[i].name, base))
            add(&f, catalog->ops[i].name);
    if (f.n > 1)
        refuse(base, &f, err);
    return f.n == 1 ? f.names[0] : NULL;
}

bool osw_overload_is_open(const struct osw_catalog *catalog,
                          const char *pattern)
{
    return !osw_select_is_glob(pattern) && !osw_catalog_has(catalog, pattern);
}

static bool is_one_of(const char *const *names, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], word) == 0 ||
            strcmp(osw_select_short(names[i]), word) == 0)
            return true;
    return false;
}

int osw_overload_resolve(osw_arena_t *arena, const struct osw_catalog *catalog,
                         const char *const *names, size_t n_names,
                         const char *const *patterns, size_t n,
                         const char *const **out, struct osw_error *err)
{
    const char **all = osw_arena_array(arena, n, sizeof(*all));
    struct osw_error why = OSW_ERROR_INIT;

    for (size_t i = 0; all && i < n; i++) {
        bool excludes = patterns[i][0] == '!';
        const char *word = patterns[i] + excludes, *name;

        all[i] = patterns[i];
        if (!osw_overload_is_open(catalog, word) ||
            is_one_of(names, n_names, word))
            continue;
        name = find(catalog, names, n_names, word, &why);
        if (why.status != OSW_OK)
            return osw_fail(err, why.status, "%s", why.text);
        if (name)
            all[i] = excludes ? osw_arena_printf(arena, "!%s", name) : name;
        if (!all[i])
            all = NULL;
    }
    if (!all)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a filter");
    *out = all;
    return 0;
}
