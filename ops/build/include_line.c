/* ops/build/include_line.c - the header that a line of a source includes */
#include "ops/build/include_line.h"

#include <string.h>

const char *osw_include_line(osw_arena_t *arena, const char *line)
{
    const char *s = line + strspn(line, " \t"), *end;

    if (*s != '#')
        return NULL;
    s += 1 + strspn(s + 1, " \t");
    if (strncmp(s, "include", 7) != 0)
        return NULL;
    s += 7 + strspn(s + 7, " \t");
    if (*s != '"')
        return NULL;
    end = s + 1 + strcspn(s + 1, "\"\n");
    return *end == '"' && end > s + 1
               ? osw_arena_strndup(arena, s + 1, (size_t)(end - s - 1))
               : NULL;
}
