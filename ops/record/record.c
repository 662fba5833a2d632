/* ops/record/record.c - what is known about one cell once it ended */
#include "ops/record/record.h"

#include <math.h>
#include <string.h>

#include "ops/record/state.h"

static const struct osw_column columns[] = {
#define X(wire, type, field, units, text)                                      \
    {#field, units, text, OSW_COLUMN_##wire,                                   \
     offsetof(struct osw_record, field)},
    OSW_RECORD_MAP(X)
#undef X
};

static const char *const check_names[] = {
#define X(number, NAME, name) [number] = name,
    OSW_CHECK_MAP(X)
#undef X
};

static const char *const stop_names[] = {
#define X(number, NAME, name) [number] = name,
    OSW_STOP_MAP(X)
#undef X
};

static const char *const timer_names[] = {
#define X(number, NAME, name) [number] = name,
    OSW_TIMER_MAP(X)
#undef X
};

static const char *const redop_names[] = {
#define X(number, NAME, name) [number] = name,
    OSW_REDOP_MAP(X)
#undef X
};

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

const struct osw_column *osw_record_columns(size_t *n)
{
    *n = N_ELEM(columns);
    return columns;
}

const char *osw_check_name(enum osw_check check)
{
    return (size_t)check < N_ELEM(check_names) ? check_names[check] : "?";
}

/* NVML: hardware slowdown, thermal by software and by hardware, power brake.
 * Not: idle, set clocks, power cap (every busy GPU has that).
 */
int64_t osw_record_phases_ns(const struct osw_record *r)
{
    return r->build_ns + r->fill_ns + r->reference_ns + r->run_ns +
           r->verify_ns + r->time_ns + r->wait_ns;
}

void osw_record_charge(struct osw_record *r, int64_t *phase_ns, int64_t ns)
{
    int64_t *phases[] = {phase_ns,     &r->verify_ns,    &r->run_ns,
                         &r->fill_ns,  &r->reference_ns, &r->time_ns,
                         &r->build_ns, &r->wait_ns};

    for (size_t i = 0; i < N_ELEM(phases) && ns != 0; i++) {
        int64_t left_ns = *phases[i] + ns;

        *phases[i] = left_ns > 0 ? left_ns : 0;
        ns = left_ns < 0 ? left_ns : 0;
    }
}

bool osw_record_throttled(uint64_t throttle)
{
    return (throttle & UINT64_C(0xe8)) != 0;
}

const char *osw_timer_name(enum osw_timer timer)
{
    return (size_t)timer < N_ELEM(timer_names) ? timer_names[timer] : "?";
}

const char *osw_redop_name(enum osw_redop redop)
{
    return (size_t)redop < N_ELEM(redop_names) ? redop_names[redop] : "?";
}

int osw_redop_find(const char *name)
{
    for (size_t i = 0; i < N_ELEM(redop_names); i++)
        if (strcmp(redop_names[i], name) == 0)
            return (int)i;
    return -1;
}

const char *osw_stop_name(enum osw_stop stop)
{
    return (size_t)stop < N_ELEM(stop_names) ? stop_names[stop] : "?";
}

void osw_record_init(struct osw_record *r)
{
    memset(r, 0, sizeof(*r));
    for (size_t i = 0; i < N_ELEM(columns); i++)
        if (columns[i].type == OSW_COLUMN_f64) {
            double missing = NAN;

            memcpy((char *)r + columns[i].offset, &missing, sizeof(missing));
        }
    r->rank = -1;
    r->first_bad = -1;
    r->bad_output = -1;
    r->reason = r->output = r->reference = r->baseline = "";
}

static void write_text(struct osw_writer *w, const char *s)
{
    char cut[OSW_RECORD_MAX_TEXT];

    if (s && strlen(s) >= sizeof(cut)) {
        memcpy(cut, s, sizeof(cut) - 4);
        memcpy(cut + sizeof(cut) - 4, "...", 4);
        s = cut;
    }
    osw_write_str(w, s);
}

void osw_record_encode(const struct osw_record *r, struct osw_writer *w)
{
    void *p;

#define X(wire, type, field, units, text) osw_write_##wire(w, r->field);
    OSW_RECORD_MAP(X)
#undef X
    write_text(w, r->reason);
    write_text(w, r->output);
    write_text(w, r->reference);
    write_text(w, r->baseline);
    p = osw_write_raw(w, r->sample_n * sizeof(float));
    if (p && r->sample_n)
        memcpy(p, r->samples, r->sample_n * sizeof(float));
}

static const char *read_text(struct osw_reader *rd)
{
    const char *s = osw_read_str(rd);

    if (strlen(s) >= OSW_RECORD_MAX_TEXT)
        rd->overrun = true;
    return s;
}

int osw_record_decode(struct osw_reader *rd, struct osw_record *r,
                      float *samples, struct osw_error *err)
{
    struct osw_record got;
    const void *p;

    osw_record_init(&got);
#define X(wire, type, field, units, text) got.field = osw_read_##wire(rd);
    OSW_RECORD_MAP(X)
#undef X
    got.reason = read_text(rd);
    got.output = read_text(rd);
    got.reference = read_text(rd);
    got.baseline = read_text(rd);
    if (got.sample_n > OSW_RECORD_MAX_SAMPLES)
        return osw_fail(err, OSW_PROTOCOL, "record with %u samples, at most %d",
                        got.sample_n, OSW_RECORD_MAX_SAMPLES);
    p = osw_read_raw(rd, got.sample_n * sizeof(float));
    if (rd->overrun)
        return osw_fail(err, OSW_PROTOCOL, "record ends before its last field");
    if (!osw_state_known(got.status_id) ||
        strcmp(osw_phase_name(got.phase_id), "?") == 0 ||
        got.check_id >= N_ELEM(check_names) ||
        got.stop_id >= N_ELEM(stop_names) ||
        got.timer_id >= N_ELEM(timer_names) ||
        got.redop_id >= N_ELEM(redop_names))
        return osw_fail(err, OSW_PROTOCOL,
                        "record of unknown status %u, phase %u, check %u or "
                        "stop %u",
                        got.status_id, got.phase_id, got.check_id, got.stop_id);
    if (got.sample_n)
        memcpy(samples, p, got.sample_n * sizeof(float));
    got.samples = samples;
    *r = got;
    return 0;
}
