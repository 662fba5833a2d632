/* results/report/report_cell.c - one cell on one screen */
#include "results/report/report_cell.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "common/text.h"
#include "results/report/report_cut.h"
#include "results/report/report_devices.h"
#include "results/report/report_number.h"
#include "results/report/report_versus.h"

enum { LABEL = 12, MAX_REASON = 6, MAX_OUTPUT = 6, MAX_CASE = 4 };

struct screen {
    const osw_file_t *file;
    const struct osw_record *r;
    FILE *out;
    int width;
};

/* "label       words", broken into lines at the width. */
static void put(const struct screen *s, const char *label, int max_lines,
                const char *fmt, ...) OSW_PRINTF(4, 5);
static void put(const struct screen *s, const char *label, int max_lines,
                const char *fmt, ...)
{
    struct osw_text t = OSW_TEXT_INIT;
    char words[4096];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    osw_text_printf(&t, "%-*s %s", LABEL - 1, label, words);
    if (osw_text_str(&t))
        osw_report_put_lines(s->out, osw_text_str(&t), s->width, 0, LABEL,
                             max_lines);
    osw_text_free(&t);
}

static const char *text(const struct screen *s, enum osw_dict dict, uint32_t id)
{
    return osw_file_text(s->file, dict, id);
}

static void put_verdict(const struct screen *s, uint64_t row)
{
    const struct osw_record *r = s->r;
    const char *impl = text(s, OSW_DICT_IMPL, r->impl_id);
    enum osw_state state = (enum osw_state)r->status_id;
    char key[32];

    snprintf(key, sizeof(key), "0x%016" PRIx64, r->cell_key);
    put(s, osw_state_name(state), 2, "%s/%s", text(s, OSW_DICT_OP, r->op_id),
        *impl ? impl : "-");
    put(s, "cell", 2, "row %" PRIu64 ", key %s", row, key);
    put(s, "case", MAX_CASE, "%s", text(s, OSW_DICT_CASE, r->case_id));
    if (*text(s, OSW_DICT_FILL, r->fill_id))
        put(s, "fill", 1, "%s", text(s, OSW_DICT_FILL, r->fill_id));
}

/* The compiler's message from its first error on, line by line. */
static void put_build(const struct screen *s)
{
    const char *at = osw_report_first_error(s->r->reason);

    for (int line = 0; *at && line < MAX_REASON; line++) {
        size_t n = strcspn(at, "\n");

        put(s, line ? "" : "why", line ? 1 : 3, "%.*s", (int)n, at);
        at += n + (at[n] == '\n');
    }
}

static void put_why(const struct screen *s)
{
    const struct osw_record *r = s->r;
    const char *phase = osw_phase_name((enum osw_phase)r->phase_id);

    if (*r->reason &&
        osw_report_is_compilers((enum osw_state)r->status_id, r->reason))
        put_build(s);
    else if (*r->reason)
        put(s, "why", MAX_REASON, "%s", r->reason);
    else if (r->status_id != OSW_STATE_PASS && r->phase_id != OSW_PHASE_NONE)
        put(s, "why", 1, "ended as '%s' in phase '%s'",
            osw_state_name((enum osw_state)r->status_id), phase);
    if (r->suspect)
        put(s, "suspect", 2,
            "its device failed afterwards, before it was found sound again");
}

static void put_judged(const struct screen *s)
{
    static const char *const how[] = {
        [OSW_CHECK_NONE] = "",
        [OSW_CHECK_FULL] = "every element, within tolerances",
        [OSW_CHECK_EXACT] = "every element, equal to the bit",
        [OSW_CHECK_FREIVALDS] = "by freivalds: the product times vectors",
    };
    const struct osw_record *r = s->r;
    char allowed[32];

    if (r->check_id != OSW_CHECK_NONE && r->status_id != OSW_STATE_UNSUPPORTED)
        put(s, "judged", 2, "%s; reference: %s",
            r->check_id <= OSW_CHECK_FREIVALDS ? how[r->check_id] : "?",
            *r->reference ? r->reference : "-");
    if (r->n_bad > 0)
        put(s, "wrong", 1, "%" PRId64 " of %" PRId64 " element%s", r->n_bad,
            r->n_elem, osw_plural((uint64_t)r->n_elem));
    if (!isnan(r->err_of_allowed))
        put(s, "error", 1, "%s, at most",
            osw_report_allowed(r->err_of_allowed, allowed, sizeof(allowed)));
}

/* --- times --- */

static void put_time(const struct screen *s)
{
    const struct osw_record *r = s->r;
    char median[32], lo[32], hi[32], p95[32];
    struct osw_text ends = OSW_TEXT_INIT;

    if (!isnan(r->t_ci_lo_ns) && !isnan(r->t_ci_hi_ns))
        osw_text_printf(&ends, " [%s, %s]",
                        osw_report_duration(r->t_ci_lo_ns, lo, 32),
                        osw_report_duration(r->t_ci_hi_ns, hi, 32));
    if (!isnan(r->t_p95_ns))
        osw_text_printf(&ends, ", 95 %% below %s",
                        osw_report_duration(r->t_p95_ns, p95, 32));
    put(s, "time", 2, "%s%s; %u sample%s of %u call%s%s",
        osw_report_duration(r->t_median_ns, median, 32),
        osw_text_str(&ends) ? osw_text_str(&ends) : "", r->sample_n,
        osw_plural(r->sample_n), r->n_inner, osw_plural(r->n_inner),
        r->cold ? ", caches cleared" : "");
    osw_text_free(&ends);
}

static void put_speedup(const struct screen *s)
{
    const struct osw_record *r = s->r;
    char factor[32], interval[64], time[32], name[160];

    switch (osw_report_speedup_of(s->file, r)) {
    case OSW_REPORT_OWN:
        put(s, "speedup", 1, "it is the baseline of this case");
        break;
    case OSW_REPORT_COMPARED:
    case OSW_REPORT_ORACLE:
        osw_report_versus_name(s->file, r->baseline_id, OSW_REPORT_ONE_MODEL,
                               name, sizeof(name));
        osw_report_duration(r->baseline_median_ns, time, sizeof(time));
        put(s, "speedup", 2, "%s%s %s%s%s",
            osw_report_factor(r->speedup, factor, 32),
            osw_report_interval(r->speedup_lo, r->speedup_hi, interval, 64),
            name, isnan(r->baseline_median_ns) ? "" : ", which takes ",
            isnan(r->baseline_median_ns) ? "" : time);
        break;
    case OSW_REPORT_NO_SPEEDUP:
        if (r->speedup > 0 && r->status_id != OSW_STATE_PASS)
            put(s, "speedup", 1, "not counted: the cell is %s",
                osw_state_name((enum osw_state)r->status_id));
        else
            put(s, "speedup", 1, "none: it was timed without a baseline");
        break;
    }
}

static void put_light(const struct screen *s)
{
    const struct osw_record *r = s->r;
    char percent[32], time[32], bytes[32], flops[32];
    double light = osw_report_light_of(r);

    if (!isnan(light))
        put(s, "light", 2,
            "%s of the speed of light: bytes and operations take %s",
            osw_report_percent(light, percent, 32),
            osw_report_duration(r->t_light_ns, time, 32));
    if (r->gbps > 0 && r->gflops > 0)
        put(s, "rate", 1, "%s, %s", osw_report_rate(r->gbps, "B", bytes, 32),
            osw_report_rate(r->gflops, "FLOP", flops, 32));
    else if (r->gbps > 0)
        put(s, "rate", 1, "%s", osw_report_rate(r->gbps, "B", bytes, 32));
}

/* As nccl-tests print it. */
static void put_ranks(const struct screen *s)
{
    const struct osw_record *r = s->r;
    char alg[32], bus[32], skew[32];

    if (!(r->busbw >= 0))
        return;
    put(s, "ranks", 2,
        "%u; %.0f bytes, %.0f %s each, %s: algbw %s, busbw %s, skew %s",
        r->world, r->coll_bytes, r->coll_count,
        text(s, OSW_DICT_DTYPE, r->dtype_id),
        r->redop_id ? osw_redop_name((enum osw_redop)r->redop_id)
                    : "not combined",
        osw_report_rate(r->algbw, "B", alg, 32),
        osw_report_rate(r->busbw, "B", bus, 32),
        osw_report_duration(r->skew_ns, skew, 32));
}

/* --- where --- */

static void put_phases(const struct screen *s)
{
    const struct osw_record *r = s->r;
    const struct {
        int64_t ns;
        const char *name;
    } phases[] = {
        {r->build_ns, "build"}, {r->reference_ns, "reference"},
        {r->run_ns, "run"},     {r->verify_ns, "verify"},
        {r->time_ns, "time"},   {r->wait_ns, "wait"},
    };
    struct osw_text t = OSW_TEXT_INIT;
    char buf[32];

    if (r->wall_ns <= 0)
        return;
    for (size_t i = 0; i < sizeof(phases) / sizeof(*phases); i++)
        if (phases[i].ns > r->wall_ns / 50)
            osw_text_printf(&t, "%s%s %s", t.used ? ", " : ": ", phases[i].name,
                            osw_report_duration((double)phases[i].ns, buf, 32));
    put(s, "took", 2, "%s%s", osw_report_duration((double)r->wall_ns, buf, 32),
        osw_text_str(&t) ? osw_text_str(&t) : "");
    osw_text_free(&t);
}

static void put_place(const struct screen *s)
{
    const struct osw_record *r = s->r;
    const char *host = text(s, OSW_DICT_HOST, r->host_id);
    struct osw_text t = OSW_TEXT_INIT;

    if (r->rank >= 0) {
        osw_report_devices_of(s->file, r->rank, r->host_id, &t);
        put(s, "measured on", 2, "%s%s%s, rank %d",
            t.used && osw_text_str(&t) ? osw_text_str(&t) : "",
            t.used && *host ? ", " : "", host, r->rank);
    }
    put_phases(s);
    osw_text_free(&t);
}

/* The last lines: they are nearest to how it ended. */
static void put_output(const struct screen *s)
{
    const char *at = s->r->output + strlen(s->r->output);
    int left = MAX_OUTPUT;

    while (at > s->r->output && at[-1] == '\n')
        at--;
    for (; at > s->r->output; at--)
        if (at[-1] == '\n' && --left == 0)
            break;
    for (bool first = true; *at; first = false) {
        size_t n = strcspn(at, "\n");

        put(s, first ? "printed" : "", 2, "%s%.*s",
            first && at > s->r->output ? "... " : "", (int)n, at);
        at += n + (at[n] == '\n');
    }
}

void osw_report_cell(const osw_file_t *file, uint64_t row,
                     const struct osw_record *record, int width, FILE *out)
{
    struct screen s = {file, record, out, width};

    put_verdict(&s, row);
    put_why(&s);
    put_judged(&s);
    if (record->t_median_ns > 0) {
        put_time(&s);
        put_speedup(&s);
        put_light(&s);
        put_ranks(&s);
    }
    put_output(&s);
    put_place(&s);
}
