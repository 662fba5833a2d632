/* ops/catalog/op.c - an op: its names, languages, implementations */
#include "ops/catalog/op.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const struct osw_language languages[OSW_N_LANGUAGES] = {
    [OSW_LANGUAGE_C] = {".c", true, true},
    [OSW_LANGUAGE_SO] = {".so", false, false},
    [OSW_LANGUAGE_PY] = {".py", false, false},
    [OSW_LANGUAGE_CU] = {".cu", true, false},
    [OSW_LANGUAGE_CPP] = {".cpp", true, true},
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

bool osw_op_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9');
}

bool osw_op_is_impl_name(const char *name)
{
    size_t n = 0;

    while (osw_op_is_word(name[n]) || name[n] == '-')
        n++;
    return n > 0 && n <= OSW_OP_MAX_NAME && name[n] == '\0';
}

enum { CANONICAL_BYTES = OSW_OP_MAX_NAME + sizeof(".default") };

/* The canonical form of an op's name; false: it is no name. */
static bool canonical(const char *name, char made[CANONICAL_BYTES])
{
    const char *colons = strstr(name, "::");
    size_t n, parts = 1;
    int wanted;

    if (colons == name ||
        (colons && memchr(name, '.', (size_t)(colons - name))))
        return false;
    wanted = !colons ? snprintf(made, CANONICAL_BYTES, "%s", name)
                     : snprintf(made, CANONICAL_BYTES, "%.*s.%s%s",
                                (int)(colons - name), name, colons + 2,
                                strchr(colons, '.') ? "" : ".default");
    n = wanted > 0 ? (size_t)wanted : 0;
    if (n == 0 || n > OSW_OP_MAX_NAME || made[0] == '.' || made[n - 1] == '.')
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!osw_op_is_word(made[i]) && made[i] != '.')
            return false;
        if (made[i] == '.' && made[i + 1] == '.')
            return false;
        parts += made[i] == '.';
    }
    if (parts == 1)
        memcpy(made + n, ".default", sizeof(".default"));
    return parts <= 3;
}

/* As canonical(), of a folder's name. */
static bool folder_canonical(const char *folder, char made[CANONICAL_BYTES])
{
    char dotted[OSW_OP_MAX_NAME + 2];
    size_t n = strlen(folder);

    if (n > OSW_OP_MAX_NAME + 1)
        return false;
    /* From the right, so that add___Tensor is add_ and Tensor. */
    for (size_t i = n; i-- > 2;)
        if (folder[i] == '_' && i + 1 < n && folder[i - 1] == '_') {
            snprintf(dotted, sizeof(dotted), "%.*s.%s", (int)(i - 1), folder,
                     folder + i + 1);
            return canonical(dotted, made);
        }
    return canonical(folder, made);
}

const char *osw_op_canonical(osw_arena_t *arena, const char *name)
{
    char made[CANONICAL_BYTES];

    return canonical(name, made) ? osw_arena_strdup(arena, made) : NULL;
}

bool osw_op_is_folder_name(const char *folder)
{
    char made[CANONICAL_BYTES];

    return folder_canonical(folder, made);
}

const char *osw_op_folder_canonical(osw_arena_t *arena, const char *folder)
{
    char made[CANONICAL_BYTES];

    return folder_canonical(folder, made) ? osw_arena_strdup(arena, made)
                                          : NULL;
}

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
