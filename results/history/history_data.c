/* results/history/history_data.c - a history as JSON and CSV */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/formats/csv.h"
#include "common/json_out.h"
#include "ops/record/state.h"
#include "results/history/history.h"
#include "results/history/history_parts.h"

enum { JSON_VERSION = 1, FLUSH_BYTES = 1 << 16 };

static int written(FILE *out, struct osw_error *err)
{
    return fflush(out) || ferror(out)
               ? osw_fail_sys(err, errno, "cannot write the history")
               : 0;
}

/* What a finding says, as both formats have it.  NULL: a number. */
enum { N_FIELDS = 26 };
struct row {
    char key[24];
    struct osw_text facts;
    const char *texts[N_FIELDS];
    double numbers[N_FIELDS];
};

static const char *const fields[N_FIELDS] = {
    "kind",       "cell_key", "op",          "impl",        "case",
    "model",      "place",    "gpu",         "since",       "since_file",
    "since_uuid", "before",   "before_file", "before_uuid", "was",
    "is",         "effect",   "effect_lo",   "effect_hi",   "was_ns",
    "now_ns",     "n_before", "n_after",     "n_cells",     "changed",
    "known",
};

static bool is_count(size_t field)
{
    return strncmp(fields[field], "n_", 2) == 0;
}

static void put_campaign(const osw_history_t *h, uint32_t campaign,
                         const char **texts)
{
    const struct osw_history_campaign *c;

    texts[0] = texts[1] = texts[2] = "";
    if (campaign == OSW_HISTORY_NONE)
        return;
    c = &h->campaigns[campaign];
    texts[0] = osw_history_word(h, c->created);
    texts[1] = osw_history_word(h, c->path);
    texts[2] = osw_history_word(h, c->uuid);
}

static const char *state_of(uint8_t state)
{
    return state ? osw_state_name((enum osw_state)state) : "";
}

static const char *reason_of(const osw_history_t *h,
                             const struct osw_history_finding *f)
{
    size_t n;

    return f->known < 0
               ? ""
               : osw_known_failures_entries(h->v.known, &n)[f->known].reason;
}

static void fill(const osw_history_t *h, const struct osw_history_finding *f,
                 struct row *r)
{
    bool cell = f->cell != OSW_HISTORY_NONE;
    const struct osw_history_cell *c = cell ? &h->cells[f->cell] : NULL;
    bool place = f->kind == OSW_HISTORY_PLACE;
    size_t i = 0;

    r->key[0] = '\0';
    if (cell)
        snprintf(r->key, sizeof(r->key), "0x%016" PRIx64, c->key);
    osw_text_reset(&r->facts);
    osw_history_campaign_facts(h, f, &r->facts);
    osw_history_cell_facts(h, f, &r->facts);
    memset(r->texts, 0, sizeof(r->texts));
    r->texts[i++] = osw_history_name(f->kind);
    r->texts[i++] = r->key;
    r->texts[i++] = cell ? osw_history_word(h, c->op) : "";
    r->texts[i++] = cell ? osw_history_word(h, c->impl) : "";
    r->texts[i++] = cell ? osw_history_word(h, c->of) : "";
    r->texts[i++] = osw_history_word(h, f->model);
    r->texts[i++] = place ? osw_history_word(h, f->host) : "";
    r->texts[i++] = place && f->uuid != OSW_HISTORY_NONE
                        ? osw_history_word(h, f->uuid)
                        : "";
    put_campaign(h, osw_history_since(h, f), &r->texts[i]);
    put_campaign(h, osw_history_before(h, f), &r->texts[i + 3]);
    i += 6;
    r->texts[i++] = state_of(f->was);
    r->texts[i++] = state_of(f->is);
    r->numbers[i++] = expm1(f->effect);
    r->numbers[i++] = expm1(f->effect - f->half);
    r->numbers[i++] = expm1(f->effect + f->half);
    r->numbers[i++] = f->was_ns;
    r->numbers[i++] = f->now_ns;
    r->numbers[i++] = f->n_before;
    r->numbers[i++] = f->n_after;
    r->numbers[i++] = place ? f->n_cells + f->n_failing : cell;
    r->texts[i++] = osw_text_str(&r->facts) ? osw_text_str(&r->facts) : "";
    r->texts[i++] = reason_of(h, f);
}

/* --- JSON --- */

static int flush(struct osw_text *t, FILE *out, struct osw_error *err)
{
    if (!osw_text_str(t))
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the history");
    fputs(osw_text_str(t), out);
    osw_text_reset(t);
    return 0;
}

static void put_campaigns(struct osw_json_out *o, const osw_history_t *h)
{
    osw_json_out_list(o, "campaigns");
    for (size_t i = 0; i < h->v.n_campaigns; i++) {
        const struct osw_history_campaign *c = &h->campaigns[i];

        osw_json_out_object(o, NULL);
        osw_json_out_str(o, "file", osw_history_word(h, c->path));
        osw_json_out_str(o, "run_uuid", osw_history_word(h, c->uuid));
        osw_json_out_str(o, "created", osw_history_word(h, c->created));
        osw_json_out_str(o, "revision", osw_history_word(h, c->revision));
        osw_json_out_str(o, "opsweep", osw_history_word(h, c->tool));
        osw_json_out_bool(o, "complete", c->complete);
        osw_json_out_bool(o, "baseline", c->pinned);
        osw_json_out_u64(o, "n_judged", c->n_judged);
        osw_json_out_end(o);
    }
    osw_json_out_end(o);
}

static void put_head(struct osw_json_out *o, const osw_history_t *h)
{
    osw_json_out_str(o, "format", "opsweep.history");
    osw_json_out_i64(o, "version", JSON_VERSION);
    osw_json_out_f64(o, "threshold", h->options.threshold);
    osw_json_out_u64(o, "n_cells", h->v.n_followed);
    osw_json_out_u64(o, "n_timed", h->v.n_timed);
    osw_json_out_u64(o, "n_judged_before", h->v.n_judged);
    osw_json_out_u64(o, "n_in_newest", h->v.n_common);
    osw_json_out_u64(o, "n_known", h->v.n_known);
    osw_json_out_object(o, "counts");
    for (int k = 0; k < OSW_HISTORY_N_KINDS; k++)
        osw_json_out_u64(o, osw_history_name((enum osw_history_kind)k),
                         h->v.n_kind[k]);
    osw_json_out_end(o);
    osw_json_out_list(o, "notes");
    for (size_t i = 0; i < h->v.n_notes; i++)
        osw_json_out_str(o, NULL, h->notes[i]);
    osw_json_out_end(o);
    put_campaigns(o, h);
}

/* All findings, whatever the limit. */
static int write_json(const osw_history_t *h, size_t limit, FILE *out,
                      struct osw_error *err)
{
    struct osw_text t = OSW_TEXT_INIT;
    struct osw_json_out o = osw_json_out(&t);
    struct row r = {.facts = OSW_TEXT_INIT};
    int rc = 0;

    (void)limit;
    osw_json_out_object(&o, NULL);
    put_head(&o, h);
    osw_json_out_list(&o, "findings");
    for (size_t i = 0; rc == 0 && i < h->v.n_findings; i++) {
        fill(h, &h->findings[i], &r);
        osw_json_out_object(&o, NULL);
        for (size_t k = 0; k < N_FIELDS; k++)
            if (r.texts[k])
                osw_json_out_str(&o, fields[k], r.texts[k]);
            else if (is_count(k))
                osw_json_out_u64(&o, fields[k], (uint64_t)r.numbers[k]);
            else
                osw_json_out_f64(&o, fields[k], r.numbers[k]);
        osw_json_out_end(&o);
        if (t.used > FLUSH_BYTES)
            rc = flush(&t, out, err);
    }
    osw_json_out_end(&o);
    osw_json_out_end(&o);
    osw_text_add(&t, "\n");
    if (rc == 0)
        rc = flush(&t, out, err);
    osw_text_free(&t);
    osw_text_free(&r.facts);
    return rc < 0 ? rc : written(out, err);
}

/* --- CSV, RFC 4180 --- */

static int write_csv(const osw_history_t *h, size_t limit, FILE *out,
                     struct osw_error *err)
{
    struct row r = {.facts = OSW_TEXT_INIT};
    bool terminal = osw_csv_is_terminal(out);

    (void)limit;
    for (size_t k = 0; k < N_FIELDS; k++)
        fprintf(out, "%s%s", k ? "," : "", fields[k]);
    fputs("\r\n", out);
    for (size_t i = 0; i < h->v.n_findings; i++) {
        fill(h, &h->findings[i], &r);
        for (size_t k = 0; k < N_FIELDS; k++) {
            if (k)
                putc(',', out);
            if (r.texts[k])
                osw_csv_put(out, r.texts[k], terminal);
            else if (!isnan(r.numbers[k]))
                fprintf(out, "%.9g", r.numbers[k]);
        }
        fputs("\r\n", out);
    }
    osw_text_free(&r.facts);
    return written(out, err);
}

const struct osw_history_format osw_history_format_json = {"json", write_json};
const struct osw_history_format osw_history_format_csv = {"csv", write_csv};
