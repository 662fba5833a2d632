/* mpi_runner/commands/fail_on.c - which findings make a command fail, and
 * options' ranges
 */
#include "mpi_runner/commands/fail_on.h"

#include <stdio.h>
#include <string.h>

#include "common/suggest.h"
#include "common/text.h"

enum { MAX_NAMES = 32 }; /* bits of a mask */

/* The number of the name word[0..n); -1: there is none such. */
static int find(const char *(*names)(int k), const char *word, size_t n)
{
    const char *name;

    for (int k = 0; (name = names(k)) != NULL; k++)
        if (strlen(name) == n && memcmp(name, word, n) == 0)
            return k;
    return -1;
}

static int unknown(const char *(*names)(int k), const char *list, size_t n,
                   struct osw_error *err)
{
    const char *words[MAX_NAMES], *near;
    char word[64], hint[OSW_SUGGEST_HINT];
    struct osw_text all = OSW_TEXT_INIT;
    size_t n_words = 0;

    while (n_words < MAX_NAMES && names((int)n_words)) {
        words[n_words] = names((int)n_words);
        n_words++;
    }
    for (size_t i = 0; i < n_words; i++)
        osw_text_printf(&all, "%s%s", i ? ", " : "", words[i]);
    snprintf(word, sizeof(word), "%.*s", (int)n, list);
    near = osw_suggest(word, words, n_words);
    osw_fail(err, OSW_BAD_INPUT,
             "option '--fail-on': expected none, or some of %s; found '%s'%s",
             osw_text_str(&all) ? osw_text_str(&all) : "", word,
             osw_suggest_hint(near, hint));
    osw_text_free(&all);
    return -1;
}

int osw_fail_on_parse(const char *list, const char *(*names)(int k),
                      unsigned *fail_on, struct osw_error *err)
{
    size_t n;

    *fail_on = 0;
    if (strcmp(list, "none") == 0)
        return 0;
    for (; *list; list += n + (list[n] == ',')) {
        int k;

        n = strcspn(list, ",");
        k = find(names, list, n);
        if (n == 4 && memcmp(list, "none", n) == 0)
            return osw_fail(err, OSW_BAD_INPUT,
                            "option '--fail-on': expected 'none' alone, found "
                            "it beside other words");
        if (k < 0)
            return unknown(names, list, n, err);
        *fail_on |= 1U << k;
    }
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
