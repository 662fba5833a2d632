/* results/compare/compare_remarks.c - what else differs between two files, for
 * people
 */
#include <stdlib.h>
#include <string.h>

#include "common/decimal.h"
#include "common/text.h"
#include "results/compare/compare.h"
#include "results/file/file_sources.h"

enum { MAX_REMARKS = 64, MAX_SOURCES = 8, DIGITS = 12 };

void osw_compare_remark(struct osw_compare *c, const char *text)
{
    char **grown;
    char *copy;

    for (size_t i = 0; i < c->n_remarks; i++)
        if (strcmp(c->remarks[i], text) == 0)
            return;
    if (c->n_remarks == MAX_REMARKS)
        return;
    grown = realloc(c->remarks, (c->n_remarks + 1) * sizeof(*grown));
    if (!grown)
        return;
    c->remarks = grown;
    copy = strdup(text);
    if (copy)
        c->remarks[c->n_remarks++] = copy;
}

/* All values of a property of the devices that judged, sorted, once each. */
static void gather(const osw_file_t *file,
                   const char *(*get)(const struct osw_file_device *d),
                   struct osw_text *out)
{
    size_t n, used = 0;
    const struct osw_file_device *d = osw_file_devices(file, &n);
    const char **seen = calloc(n + 1, sizeof(*seen));

    for (size_t i = 0; seen && i < n; i++) {
        const char *s = get(&d[i]);
        size_t at = 0;

        while (at < used && strcmp(seen[at], s) < 0)
            at++;
        if (!*s || (at < used && strcmp(seen[at], s) == 0))
            continue;
        memmove(&seen[at + 1], &seen[at], (used - at) * sizeof(*seen));
        seen[at] = s;
        used++;
    }
    for (size_t i = 0; i < used; i++)
        osw_text_printf(out, "%s%s", i ? ", " : "", seen[i]);
    free(seen);
}

static const char *model_of(const struct osw_file_device *d)
{
    return d->info.name;
}
static const char *driver_of(const struct osw_file_device *d)
{
    return d->info.driver;
}
static const char *runtime_of(const struct osw_file_device *d)
{
    return d->info.runtime;
}
static const char *notes_of(const struct osw_file_device *d)
{
    return d->info.notes;
}

static void say_difference(struct osw_compare *c, const char *what,
                           const char *base, const char *now)
{
    struct osw_text t = OSW_TEXT_INIT;

    if (strcmp(base, now) == 0)
        return;
    osw_text_printf(&t, "%s: %s, now %s", what, *base ? base : "unknown",
                    *now ? now : "unknown");
    if (osw_text_str(&t))
        osw_compare_remark(c, osw_text_str(&t));
    osw_text_free(&t);
}

/* "2 cells of the base are suspect: ..."; of one cell `is`. */
static void say_cells(struct osw_compare *c, size_t n, const char *where,
                      const char *is, const char *are, const char *what)
{
    char text[128];

    if (n == 0)
        return;
    snprintf(text, sizeof(text), "%zu cell%s of the %s %s %s", n, osw_plural(n),
             where, n == 1 ? is : are, what);
    osw_compare_remark(c, text);
}

static void say_suspects(struct osw_compare *c, const char *where, size_t n)
{
    say_cells(c, n, where, "is", "are",
              "suspect: the device failed afterwards");
}

static void say_lost(struct osw_compare *c, const char *where, size_t n)
{
    say_cells(c, n, where, "was", "were",
              "lost: opsweep run --resume judges what was lost");
}

static void say_broken(struct osw_compare *c)
{
    char text[160];

    if (c->n_broken == 0)
        return;
    snprintf(text, sizeof(text),
             "%zu cell%s %s not compared: skipped as broken in one of the "
             "files (--keep-going judges on)",
             c->n_broken, osw_plural(c->n_broken),
             c->n_broken == 1 ? "is" : "are");
    osw_compare_remark(c, text);
}

/* --- sources --- */

struct sources {
    struct osw_run_source *list;
    size_t n;
};

static bool same_file(const struct osw_run_source *a,
                      const struct osw_run_source *b)
{
    return strcmp(a->op, b->op) == 0 && strcmp(a->file, b->file) == 0;
}

/* What became of a file: a version that `now` has of it, where it does not have
 * this one (merged files may have several); NULL.  *at: where to look first, as
 * both are in one order.
 */
static const struct osw_run_source *
changed(const struct osw_run_source *was, const struct sources *now, size_t *at)
{
    const struct osw_run_source *found = NULL;
    size_t first = *at;

    for (size_t i = 0; i < now->n; i++) {
        size_t k = (first + i) % now->n;

        if (!same_file(&now->list[k], was))
            continue;
        *at = k;
        found = &now->list[k];
        if (memcmp(found->sha256, was->sha256, sizeof(was->sha256)) == 0)
            return NULL;
    }
    return found;
}

/* "sources: mm.default mm_fast.c 096f1406207b -> dd7ac4a2ae22" */
static void list_sources(const struct sources *was, const struct sources *now,
                         struct osw_text *t)
{
    size_t n = 0, at = 0;

    for (size_t i = 0; i < was->n; i++) {
        const struct osw_run_source *s = &was->list[i];
        const struct osw_run_source *is = changed(s, now, &at);
        char before[DIGITS + 1], after[DIGITS + 1];

        if (!is || n++ >= MAX_SOURCES)
            continue;
        osw_file_sources_digits(s, DIGITS, before);
        osw_file_sources_digits(is, DIGITS, after);
        osw_text_printf(t, "%s%s %s %s -> %s", n == 1 ? "sources: " : ", ",
                        s->op, s->file, before, after);
    }
    if (n > MAX_SOURCES)
        osw_text_printf(t, " and %zu more", n - MAX_SOURCES);
}

/* Files of before schema version 1.2 have none. */
static void say_sources(struct osw_compare *c)
{
    struct osw_text t = OSW_TEXT_INIT;
    struct osw_error unused = OSW_ERROR_INIT;
    struct sources was = {0}, now = {0};

    if (osw_file_sources(c->base.file, &was.list, &was.n, &unused) == 0 &&
        osw_file_sources(c->now.file, &now.list, &now.n, &unused) == 0)
        list_sources(&was, &now, &t);
    if (t.used && osw_text_str(&t))
        osw_compare_remark(c, osw_text_str(&t));
    osw_text_free(&t);
    free(was.list);
    free(now.list);
}

void osw_compare_surroundings(struct osw_compare *c)
{
    static const struct {
        const char *name;
        const char *(*get)(const struct osw_file_device *d);
    } properties[] = {{"model", model_of},
                      {"driver", driver_of},
                      {"CUDA runtime", runtime_of},
                      {"notes on devices", notes_of}};
    const struct osw_file_info *a = osw_file_info(c->base.file),
                               *b = osw_file_info(c->now.file);
    char was[OSW_DECIMAL_MAX], is[OSW_DECIMAL_MAX];

    for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++) {
        struct osw_text x = OSW_TEXT_INIT, y = OSW_TEXT_INIT;

        gather(c->base.file, properties[i].get, &x);
        gather(c->now.file, properties[i].get, &y);
        if (osw_text_str(&x) && osw_text_str(&y))
            say_difference(c, properties[i].name, osw_text_str(&x),
                           osw_text_str(&y));
        osw_text_free(&x);
        osw_text_free(&y);
    }
    say_difference(c, "profile", a->profile, b->profile);
    osw_decimal_u64(was, a->seed);
    osw_decimal_u64(is, b->seed);
    say_difference(c, "seed", was, is);
    say_difference(c, "host", a->hostname, b->hostname);
    say_difference(c, "opsweep", a->tool_version, b->tool_version);
    say_sources(c);
    if (!a->complete)
        osw_compare_remark(c, "the base is incomplete");
    if (!b->complete)
        osw_compare_remark(c, "the new file is incomplete");
    say_broken(c);
    say_lost(c, "base", c->base.n_lost);
    say_lost(c, "new file", c->now.n_lost);
    say_suspects(c, "base", c->base.n_suspect);
    say_suspects(c, "new file", c->now.n_suspect);
    if (c->base.n_twice || c->now.n_twice)
        osw_compare_remark(
            c, "cells that came twice: the first of them is compared");
}
