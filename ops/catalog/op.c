/* ops/catalog/op.c - an op: its names, languages, implementations */
#include "ops/catalog/op.h"

#include <math.h>
#include <string.h>

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const struct osw_language languages[] = {
    {".c", NULL, true, true},    {".so", NULL, false, false},
    {".py", NULL, false, false}, {".cu", NULL, true, false},
    {".cpp", NULL, true, true},
};

static const char *const oracle_names[] = {
    [OSW_ORACLE_INDEPENDENT] = "independent",
    [OSW_ORACLE_IMPLEMENTATION] = "implementation",
    [OSW_ORACLE_IDENTITY] = "identity",
};

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n > m && strcmp(s + n - m, end) == 0;
}

const struct osw_language *osw_language_of(const char *file)
{
    for (size_t i = 0; i < N_ELEM(languages); i++)
        if (ends_with(file, languages[i].suffix))
            return &languages[i];
    return NULL;
}

size_t osw_language_row(const struct osw_language *language)
{
    return (size_t)(language - languages);
}

const char *osw_oracle_name(enum osw_oracle oracle)
{
    return (size_t)oracle < N_ELEM(oracle_names) && oracle_names[oracle]
               ? oracle_names[oracle]
               : "?";
}

/* ops/catalog/op.c - an op: its names, languages, implementations */

bool osw_op_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9');
}

/* "ns.name.overload" of torch's "ns::name.overload" and "ns::name"; NULL: it is
 * no such name.
 */
static const char *without_colons(osw_arena_t *arena, const char *name,
                                  const char *colons)
{
    if (colons == name || memchr(name, '.', (size_t)(colons - name)))
        return NULL;
    return osw_arena_printf(arena, "%.*s.%s%s", (int)(colons - name), name,
                            colons + 2, strchr(colons, '.') ? "" : ".default");
}

const char *osw_op_canonical(osw_arena_t *arena, const char *name)
{
    const char *colons = strstr(name, "::");
    size_t n, parts = 1;

    if (colons)
        name = without_colons(arena, name, colons);
    n = name ? strlen(name) : 0;
    if (n == 0 || n > OSW_OP_MAX_NAME || name[0] == '.' || name[n - 1] == '.')
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (!osw_op_is_word(name[i]) && name[i] != '.')
            return NULL;
        if (name[i] == '.' && name[i + 1] == '.')
            return NULL;
        parts += name[i] == '.';
    }
    if (parts > 3)
        return NULL;
    return parts > 1 ? osw_arena_strdup(arena, name)
                     : osw_arena_printf(arena, "%s.default", name);
}

const char *osw_op_folder_canonical(osw_arena_t *arena, const char *folder)
{
    size_t n = strlen(folder);

    /* From the right, so that add___Tensor is add_ and Tensor. */
    for (size_t i = n; i-- > 1;)
        if (folder[i] == '_' && i + 1 < n && folder[i - 1] == '_' && i > 1) {
            const char *dotted = osw_arena_printf(
                arena, "%.*s.%s", (int)(i - 1), folder, folder + i + 1);

            return dotted ? osw_op_canonical(arena, dotted) : NULL;
        }
    return osw_op_canonical(arena, folder);
}

/* ops/catalog/op.c - an op: its names, languages, implementations */
static bool same_name(const char *canonical, const char *name)
{
    size_t n = strlen(name);

    return strncmp(canonical, name, n) == 0 &&
           (canonical[n] == '\0' || strcmp(canonical + n, ".default") == 0);
}

static size_t count_dots(const char *s)
{
    size_t n = 0;

    for (; *s; s++)
        n += *s == '.';
    return n;
}

bool osw_op_is_called(const struct osw_op *op, const char *name)
{
    static const char aten[] = "aten.";

    if (same_name(op->name, name) || strcmp(op->folder, name) == 0)
        return true;
    for (size_t i = 0; i < op->n_aliases; i++)
        if (same_name(op->aliases[i], name))
            return true;
    return count_dots(op->name) < 2 &&
           strncmp(name, aten, sizeof(aten) - 1) == 0 &&
           same_name(op->name, name + sizeof(aten) - 1);
}

const struct osw_op_file *osw_op_impl(const struct osw_op *op, const char *name)
{
    for (size_t i = 0; i < op->n_impls; i++)
        if (strcmp(op->impls[i].name, name) == 0)
            return &op->impls[i];
    return NULL;
}

bool osw_op_is_compiled(const struct osw_op *op)
{
    bool any = (op->reference && op->reference->language->compiled) ||
               (op->host_reference && op->host_reference->language->compiled);

    for (size_t i = 0; i < op->n_impls && !any; i++)
        any = op->impls[i].language->compiled;
    return any;
}

struct osw_tolerance osw_op_tolerance(const struct osw_op *op,
                                      const struct osw_dtype_info *dtype)
{
    struct osw_tolerance own = op->tolerance[dtype->id];

    if (!isnan(own.rtol))
        return own;
    return (struct osw_tolerance){dtype->rtol, dtype->atol};
}
