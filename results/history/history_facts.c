/* results/history/history_facts.c - what a finding is about, and what a cell
 * did */
#include <string.h>

#include "common/text.h"
#include "results/history/history.h"
#include "results/history/history_parts.h"

static bool is_all(const struct osw_history_finding *f)
{
    return f->kind == OSW_HISTORY_SHIFT || f->kind == OSW_HISTORY_SHIFTED;
}

/* The place of `before` or `since`, which is a point or a place itself. */
static const struct osw_history_place *
place_of(const osw_history_t *h, const struct osw_history_finding *f,
         uint32_t at)
{
    if (at == OSW_HISTORY_NONE)
        return NULL;
    return is_all(f) ? &h->places[at] : osw_history_place_of(h, at);
}

uint32_t osw_history_since(const osw_history_t *h,
                           const struct osw_history_finding *f)
{
    const struct osw_history_place *p = place_of(h, f, f->since);

    return p ? p->campaign : OSW_HISTORY_NONE;
}

uint32_t osw_history_before(const osw_history_t *h,
                            const struct osw_history_finding *f)
{
    const struct osw_history_place *p = place_of(h, f, f->before);

    return p ? p->campaign : OSW_HISTORY_NONE;
}

/* "WHAT was -> is", where both are known and differ. */
static void put(const osw_history_t *h, struct osw_text *out, const char *what,
                uint32_t was, uint32_t is)
{
    const char *a = osw_history_word(h, was), *b = osw_history_word(h, is);

    if (was == is || (!*a && !*b))
        return;
    osw_text_printf(out, "%s%s %s -> %s", out->used ? ", " : "", what,
                    *a ? a : "unknown", *b ? b : "unknown");
}

void osw_history_campaign_facts(const osw_history_t *h,
                                const struct osw_history_finding *f,
                                struct osw_text *out)
{
    uint32_t before = osw_history_before(h, f), since = osw_history_since(h, f);
    const struct osw_history_campaign *a, *b;

    if (before == OSW_HISTORY_NONE || since == OSW_HISTORY_NONE)
        return;
    a = &h->campaigns[before];
    b = &h->campaigns[since];
    put(h, out, "ops", a->revision, b->revision);
    put(h, out, "opsweep", a->tool, b->tool);
    put(h, out, "profile", a->profile, b->profile);
    put(h, out, "host of the coordinator", a->hostname, b->hostname);
}

void osw_history_cell_facts(const osw_history_t *h,
                            const struct osw_history_finding *f,
                            struct osw_text *out)
{
    const struct osw_history_place *a = place_of(h, f, f->before);
    const struct osw_history_place *b = place_of(h, f, f->since);

    if (!a || !b)
        return;
    put(h, out, "driver", a->driver, b->driver);
    put(h, out, "CUDA", a->runtime, b->runtime);
    put(h, out, "node", a->host, b->host);
    put(h, out, "GPU", a->uuid, b->uuid);
    if (is_all(f))
        return;
    put(h, out, "source", h->points[f->before].source,
        h->points[f->since].source);
    put(h, out, "judged by", h->points[f->before].rest,
        h->points[f->since].rest);
}

void osw_history_what(const osw_history_t *h,
                      const struct osw_history_finding *f, struct osw_text *out)
{
    if (f->cell != OSW_HISTORY_NONE) {
        const struct osw_history_cell *c = &h->cells[f->cell];

        osw_text_printf(out, "%s/%s %s", osw_history_word(h, c->op),
                        osw_history_word(h, c->impl),
                        osw_history_word(h, c->of));
    } else if (f->kind == OSW_HISTORY_PLACE) {
        osw_text_printf(out, "%s", osw_history_word(h, f->host));
        if (f->uuid != OSW_HISTORY_NONE && *osw_history_word(h, f->uuid))
            osw_text_printf(out, ", %s", osw_history_word(h, f->uuid));
    } else {
        osw_text_printf(out, "all cells on %s", osw_history_word(h, f->model));
    }
}
