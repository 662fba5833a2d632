/* results/compare/known_failures.c - what is known to be broken or accepted, by
 * hand */
#include "results/compare/known_failures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/suggest.h"
#include "common/text.h"

enum { VERSION = 1, MAX_PERCENT = 100000 };

struct osw_known {
    osw_json_t *root;                         /* texts of entries are its */
    struct osw_known_failures_entry *entries; /* [n] */
    size_t n;
};

bool osw_known_failures_matches(const char *pattern, const char *text)
{
    const char *star = NULL, *again = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            again = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++again;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

bool osw_known_failures_is_date(const char *text)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day, n = 0;

    if (strlen(text) != OSW_KNOWN_FAILURES_DATE - 1 ||
        strspn(text, "0123456789-") != OSW_KNOWN_FAILURES_DATE - 1 ||
        sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &n) != 3 ||
        n != OSW_KNOWN_FAILURES_DATE - 1 || text[4] != '-' || text[7] != '-')
        return false;
    return month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month - 1] + (month == 2 && year % 4 == 0 &&
                                     (year % 100 != 0 || year % 400 == 0));
}

/* --- reading --- */

static int read_text(const osw_json_t *v, const char **out,
                     struct osw_error *err)
{
    if (osw_json_str(v, out, err) < 0)
        return -1;
    if (v && !**out)
        return osw_json_fail(v, err, "expected a text, found an empty one");
    if (v && strlen(*out) > OSW_KNOWN_FAILURES_MAX_TEXT)
        return osw_json_fail(v, err, "expected at most %d bytes, found %zu",
                             OSW_KNOWN_FAILURES_MAX_TEXT, strlen(*out));
    return 0;
}

static int need_text(const osw_json_t *entry, const char *key, const char **out,
                     struct osw_error *err)
{
    const osw_json_t *v = osw_json_need(entry, key, err);

    return v ? read_text(v, out, err) : -1;
}

static int read_what(const osw_json_t *v, struct osw_known_failures_entry *e,
                     struct osw_error *err)
{
    if (read_text(osw_json_get(v, "cell"), &e->cell, err) < 0 ||
        read_text(osw_json_get(v, "place"), &e->place, err) < 0)
        return -1;
    if (!e->cell == !e->place)
        return osw_json_fail(v, err,
                             "expected either 'cell' or 'place', found "
                             "%s",
                             e->cell ? "both" : "neither");
    if (e->cell && !strchr(e->cell, '/') && strcmp(e->cell, "*") != 0)
        return osw_json_fail(osw_json_get(v, "cell"), err,
                             "expected OP/IMPL or OP/IMPL/CASE, found '%s'",
                             e->cell);
    return 0;
}

enum { MAX_KINDS = 32 };

static int refuse_kind(const osw_json_t *v, const char *(*kind_name)(int k),
                       const char *found, struct osw_error *err)
{
    const char *words[MAX_KINDS + 1];
    char hint[OSW_SUGGEST_HINT];
    struct osw_text all = OSW_TEXT_INIT;
    size_t n = 0;

    for (; n < MAX_KINDS && kind_name((int)n); n++) {
        words[n] = kind_name((int)n);
        osw_text_printf(&all, "%s, ", words[n]);
    }
    words[n++] = "any";
    (void)osw_json_fail(v, err, "expected one of %sany; found '%s'%s",
                        osw_text_str(&all) ? osw_text_str(&all) : "", found,
                        osw_suggest_hint(osw_suggest(found, words, n), hint));
    osw_text_free(&all);
    return -1;
}

static int read_kind(const osw_json_t *v, const char *(*kind_name)(int k),
                     struct osw_known_failures_entry *e, struct osw_error *err)
{
    if (need_text(v, "kind", &e->kind, err) < 0)
        return -1;
    if (strcmp(e->kind, "any") == 0) {
        e->kind = NULL;
        return 0;
    }
    for (int k = 0; kind_name(k); k++)
        if (strcmp(kind_name(k), e->kind) == 0)
            return 0;
    return refuse_kind(osw_json_get(v, "kind"), kind_name, e->kind, err);
}

static int read_most(const osw_json_t *v, struct osw_known_failures_entry *e,
                     struct osw_error *err)
{
    double percent = NAN;

    if (osw_json_f64(v, &percent, err) < 0)
        return -1;
    if (v && !(percent > 0 && percent <= MAX_PERCENT))
        return osw_json_fail(v, err,
                             "expected percent, above 0 and at most %d, found "
                             "%g",
                             MAX_PERCENT, percent);
    e->most = v ? log1p(percent / 100) : INFINITY;
    return 0;
}

static int read_entry(const osw_json_t *v, const char *today,
                      const char *(*kind_name)(int k),
                      struct osw_known_failures_entry *e, struct osw_error *err)
{
    static const char *const keys[] = {"cell",   "place",   "kind",  "most",
                                       "reason", "expires", "since", NULL};

    if (osw_json_only_keys(v, keys, err) < 0 || read_what(v, e, err) < 0 ||
        read_kind(v, kind_name, e, err) < 0 ||
        read_most(osw_json_get(v, "most"), e, err) < 0 ||
        need_text(v, "reason", &e->reason, err) < 0 ||
        need_text(v, "expires", &e->expires, err) < 0 ||
        read_text(osw_json_get(v, "since"), &e->since, err) < 0)
        return -1;
    if (!osw_known_failures_is_date(e->expires))
        return osw_json_fail(osw_json_get(v, "expires"), err,
                             "expected a day such as 2026-12-31, found '%s'",
                             e->expires);
    e->expired = strcmp(e->expires, today) < 0;
    return 0;
}

static int check_format(const osw_json_t *root, struct osw_error *err)
{
    static const char *const keys[] = {"format", "version", "entries", NULL};
    const osw_json_t *version;
    const char *format = "";
    int64_t number = 0;

    if (osw_json_only_keys(root, keys, err) < 0 ||
        need_text(root, "format", &format, err) < 0)
        return -1;
    if (strcmp(format, "opsweep.known") != 0)
        return osw_json_fail(osw_json_get(root, "format"), err,
                             "expected 'opsweep.known', found '%s'", format);
    version = osw_json_need(root, "version", err);
    if (!version || osw_json_i64(version, &number, err) < 0)
        return -1;
    return number == VERSION
               ? 0
               : osw_json_fail(version, err, "expected %d, found %lld", VERSION,
                               (long long)number);
}

static int read_entries(osw_known_failures_t *k, const char *today,
                        const char *(*kind_name)(int k), struct osw_error *err)
{
    const osw_json_t *list;

    if (check_format(k->root, err) < 0 ||
        !(list = osw_json_need(k->root, "entries", err)) ||
        osw_json_expect(list, OSW_JSON_LIST, err) < 0)
        return -1;
    k->n = osw_json_size(list);
    if (k->n > OSW_KNOWN_FAILURES_MAX_ENTRIES)
        return osw_json_fail(list, err,
                             "expected at most %d entries, found "
                             "%zu",
                             OSW_KNOWN_FAILURES_MAX_ENTRIES, k->n);
    k->entries = calloc(k->n + 1, sizeof(*k->entries));
    if (!k->entries)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for what is known");
    for (size_t i = 0; i < k->n; i++)
        if (read_entry(osw_json_at(list, i), today, kind_name, &k->entries[i],
                       err) < 0)
            return -1;
    return 0;
}

osw_known_failures_t *osw_known_failures_load(const char *path,
                                              const char *today,
                                              const char *(*kind_name)(int k),
                                              struct osw_error *err)
{
    osw_known_failures_t *k = calloc(1, sizeof(*k));

    if (!k) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for what is known");
        return NULL;
    }
    k->root = osw_json_load_file(path, err);
    if (k->root && read_entries(k, today, kind_name, err) == 0)
        return k;
    osw_known_failures_free(k);
    return NULL;
}

void osw_known_failures_free(osw_known_failures_t *k)
{
    if (!k)
        return;
    osw_json_free(k->root);
    free(k->entries);
    free(k);
}

const struct osw_known_failures_entry *
osw_known_failures_entries(const osw_known_failures_t *k, size_t *n)
{
    *n = k->n;
    return k->entries;
}

/* --- finding --- */

/* "OP/IMPL" stands for all its cases. */
static bool is_cell(const char *pattern,
                    const struct osw_known_failures_thing *t)
{
    size_t size = strlen(t->op) + strlen(t->impl) + strlen(t->of) + 3;
    char small[512], *text = size <= sizeof(small) ? small : malloc(size);
    bool found;

    if (!text)
        return false;
    snprintf(text, size, "%s/%s", t->op, t->impl);
    found = osw_known_failures_matches(pattern, text);
    if (!found) {
        snprintf(text, size, "%s/%s/%s", t->op, t->impl, t->of);
        found = osw_known_failures_matches(pattern, text);
    }
    if (text != small)
        free(text);
    return found;
}

static bool stands_for(const struct osw_known_failures_entry *e,
                       const struct osw_known_failures_thing *t)
{
    if (e->kind && strcmp(e->kind, t->kind) != 0)
        return false;
    if (e->since && (!t->since || strcmp(e->since, t->since) != 0))
        return false;
    if (e->cell)
        return t->op && is_cell(e->cell, t);
    return t->place && osw_known_failures_matches(e->place, t->place);
}

int osw_known_failures_find(osw_known_failures_t *k,
                            const struct osw_known_failures_thing *t,
                            int *expired)
{
    int found = -1;

    *expired = -1;
    for (size_t i = 0; i < k->n; i++) {
        struct osw_known_failures_entry *e = &k->entries[i];

        if (!stands_for(e, t))
            continue;
        e->n_found++; /* of each that stands for it, also after the first */
        if (found >= 0 || (!isnan(t->effect) && fabs(t->effect) > e->most))
            continue;
        if (!e->expired)
            found = (int)i;
        else if (*expired < 0)
            *expired = (int)i;
    }
    return found;
}
