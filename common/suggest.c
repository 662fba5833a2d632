/* common/suggest.c - the word that was probably meant */
#include "common/suggest.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/text.h"

enum { BEGINNING = 3 }; /* letters that are more than chance */

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;

    return m < c ? m : c;
}

/* Optimal string alignment over three rows of the usual table. */
size_t osw_suggest_distance(const char *a, const char *b)
{
    size_t rows[3][OSW_SUGGEST_MAX + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    size_t n_a = strnlen(a, OSW_SUGGEST_MAX);
    size_t n_b = strnlen(b, OSW_SUGGEST_MAX);

    for (size_t j = 0; j <= n_b; j++)
        row[j] = j;
    for (size_t i = 1; i <= n_a; i++) {
        size_t *oldest = before;

        before = above;
        above = row;
        row = oldest;
        row[0] = i;
        for (size_t j = 1; j <= n_b; j++) {
            size_t swap = a[i - 1] != b[j - 1];

            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + swap);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = min3(row[j], row[j], before[j - 2] + 1);
        }
    }
    return row[n_b];
}

/* Is `part` one or more whole parts of the hyphened word, and not all, or its
 * beginning?
 */
static bool is_part(const char *part, const char *word)
{
    size_t n = strlen(part);

    if (n < 2 || n >= strlen(word))
        return false;
    if (n >= BEGINNING && strncmp(part, word, n) == 0)
        return true;
    for (const char *at = strstr(word, part); at; at = strstr(at + 1, part))
        if ((at == word || at[-1] == '-') && (!at[n] || at[n] == '-'))
            return true;
    return false;
}

/* Of words [n] the one that means the same; NULL: none. */
static const char *same_thing(const char *word, const char *const *words,
                              size_t n)
{
    static const char *const pairs[][2] = {
        {"gpu", "cuda"},  {"nvidia", "cuda"}, {"cu", "cuda"},
        {"py", "python"}, {"md", "markdown"},
    };

    for (size_t k = 0; k < sizeof(pairs) / sizeof(pairs[0]); k++)
        for (size_t i = 0; i < n && strcmp(word, pairs[k][0]) == 0; i++)
            if (words[i] && strcmp(words[i], pairs[k][1]) == 0)
                return words[i];
    return NULL;
}

/* How far it is, for comparison: half a letter more where the first one is
 * another.  SIZE_MAX: too many are wrong.
 */
static size_t farness(const char *word, const char *other)
{
    size_t letters = strnlen(word, OSW_SUGGEST_MAX);
    bool begins = strncmp(word, other, BEGINNING) == 0;
    size_t most = letters < 3 ? 1 : (letters + begins) / 3;
    size_t d = osw_suggest_distance(word, other);

    return d > most || d >= letters ? SIZE_MAX : 2 * d + (word[0] != other[0]);
}

const char *osw_suggest(const char *word, const char *const *words, size_t n)
{
    const char *found = same_thing(word, words, n);
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < n && !found; i++)
        if (words[i] && strcasecmp(word, words[i]) == 0)
            found = words[i];
    if (found)
        return found;
    for (size_t i = 0; i < n; i++) {
        size_t d;

        if (!words[i])
            continue;
        d = farness(word, words[i]);
        if (d < best) {
            best = d;
            found = words[i];
        }
    }
    for (size_t i = 0; i < n && !found; i++)
        if (words[i] && is_part(word, words[i]))
            found = words[i];
    return found;
}

const char *osw_suggest_hint(const char *near, char hint[OSW_SUGGEST_HINT])
{
    hint[0] = '\0';
    if (near)
        snprintf(hint, OSW_SUGGEST_HINT, " (did you mean '%s'?)", near);
    return hint;
}

int osw_suggest_refuse(const char *what, const char *word,
                       const char *const *words, size_t n,
                       struct osw_error *err)
{
    struct osw_text all = OSW_TEXT_INIT;
    char hint[OSW_SUGGEST_HINT];
    const char *list;

    for (size_t i = 0; i < n; i++)
        osw_text_printf(&all, "%s%s", i ? ", " : "", words[i]);
    list = osw_text_str(&all);
    osw_fail(err, OSW_BAD_INPUT, "%s: expected one of %s; found '%s'%s", what,
             list ? list : "its words", word,
             osw_suggest_hint(osw_suggest(word, words, n), hint));
    osw_text_free(&all);
    return -1;
}
