/* ops/catalog/op_symbol.c - symbols in sources, as text */
#include "ops/catalog/op_symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/catalog/op.h"

enum { MAX_BYTES = 1 << 20 };

static bool takes(const char **s, const char *end, const char *word)
{
    size_t n = strlen(word);

    if ((size_t)(end - *s) < n || memcmp(*s, word, n) != 0)
        return false;
    *s += n;
    return true;
}

static void skip_blanks(const char **s, const char *end)
{
    while (*s < end && (**s == ' ' || **s == '\t'))
        (*s)++;
}

/* Does this line, without its end, define it? */
static bool defines(const char *s, const char *end, const char *symbol)
{
    bool named = takes(&s, end, "def ") || takes(&s, end, "class ");

    if (named)
        skip_blanks(&s, end);
    if (!takes(&s, end, symbol) || (s < end && osw_op_is_word(*s)))
        return false;
    skip_blanks(&s, end);
    return named || (s < end && *s == '=' && (s + 1 == end || s[1] != '=')) ||
           (s < end && *s == ':');
}

bool osw_op_symbol_defined(const char *text, size_t n, const char *symbol)
{
    const char *end = text + n;

    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));

        if (!stop)
            stop = end;
        if (defines(text, stop, symbol))
            return true;
        text = stop < end ? stop + 1 : end;
    }
    return false;
}

/* All of a file, up to MAX_BYTES + 1 of it; NULL: cannot be read. */
static char *read_file(const char *path, size_t *n)
{
    FILE *in = fopen(path, "r");
    char *text = in ? malloc(MAX_BYTES + 1) : NULL;

    if (text)
        *n = fread(text, 1, MAX_BYTES + 1, in);
    if (in)
        (void)fclose(in);
    return text;
}

bool osw_op_symbol_occurs(const char *path, const char *symbol)
{
    size_t n = 0, k = strlen(symbol);
    char *text = read_file(path, &n);
    bool found = !text || n > MAX_BYTES;

    for (size_t i = 0; !found && i + k <= n; i++)
        found = memcmp(text + i, symbol, k) == 0 &&
                (i == 0 || !osw_op_is_word(text[i - 1])) &&
                (i + k == n || !osw_op_is_word(text[i + k]));
    free(text);
    return found;
}

/* The file's name without ".py", if it can be an implementation's. */
static const char *stem_of(osw_arena_t *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    size_t n = strlen(file);

    if (n < 4 || strcmp(file + n - 3, ".py") != 0 || n - 3 > OSW_OP_MAX_NAME)
        return NULL;
    for (size_t i = 0; i < n - 3; i++)
        if (!osw_op_is_word(file[i]) && file[i] != '-')
            return NULL;
    return strcmp(file, "reference.py") == 0
               ? NULL
               : osw_arena_strndup(arena, file, n - 3);
}

const char *osw_op_symbol_impl(osw_arena_t *arena, const char *path,
                               const char *folder)
{
    const char *stem = stem_of(arena, path), *symbol;
    char *text = NULL;
    bool defined = false;
    size_t n = 0;

    symbol = stem ? osw_arena_printf(arena, "%s_kernel_impl", folder) : NULL;
    if (symbol)
        text = read_file(path, &n);
    if (text && n <= MAX_BYTES)
        defined = osw_op_symbol_defined(text, n, symbol);
    free(text);
    return defined ? stem : NULL;
}
