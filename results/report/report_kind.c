/* results/report/report_kind.c - reasons that say the same of different cells
 */
#include "results/report/report_kind.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    const char *text;
    size_t n; /* bytes that name the kind */
    uint32_t id;
};

size_t osw_report_kind_length(const char *text)
{
    const char *end = strstr(text, ": ");

    return end ? (size_t)(end - text) : strlen(text);
}

static int by_kind(const struct entry *a, const struct entry *b)
{
    int c = memcmp(a->text, b->text, a->n < b->n ? a->n : b->n);

    return c ? c : (a->n > b->n) - (a->n < b->n);
}

static int by_kind_and_id(const void *x, const void *y)
{
    const struct entry *a = x, *b = y;
    int c = by_kind(a, b);

    return c ? c : (a->id > b->id) - (a->id < b->id);
}

int osw_report_kinds(const char *const *texts, uint32_t n, uint32_t *kinds)
{
    struct entry *entries = calloc((size_t)n + 1, sizeof(*entries));
    uint32_t first = 0;

    if (!entries)
        return -1;
    for (uint32_t i = 0; i < n; i++)
        entries[i] =
            (struct entry){texts[i], osw_report_kind_length(texts[i]), i};
    qsort(entries, n, sizeof(*entries), by_kind_and_id);
    for (uint32_t i = 0; i < n; i++) {
        if (by_kind(&entries[first], &entries[i]) != 0)
            first = i;
        kinds[entries[i].id] = entries[first].id;
    }
    free(entries);
    return 0;
}
