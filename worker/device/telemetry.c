/* worker/device/telemetry.c - what a GPU says about itself around a cell */
#include "worker/device/telemetry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* The driver's counter of energy moves in steps of up to 0.1 s: over less, the
 * mean of the two power readings is nearer.
 */
static const double least_energy_s = 0.5;

/* Growth of a counter; -1 when either end is unknown, or it was reset. */
static int64_t grown(int64_t before, int64_t after)
{
    return before >= 0 && after >= before ? after - before : -1;
}

/* --- power and energy --- */

static double mean_of(double a, double b)
{
    if (isnan(a))
        return b;
    return isnan(b) ? a : (a + b) / 2;
}

static void add_energy(const struct osw_telemetry *before,
                       const struct osw_telemetry *after,
                       struct osw_telemetry_span *out)
{
    double seconds = (double)(after->at_ns - before->at_ns) / 1e9;
    int64_t mj = grown(before->energy_mj, after->energy_mj);

    if (mj >= 0 && seconds >= least_energy_s) {
        out->energy_j = (double)mj / 1e3;
        out->power_w = out->energy_j / seconds;
        return;
    }
    out->power_w = mean_of(before->power_w, after->power_w);
    out->energy_j = out->power_w * seconds;
}

/* --- reasons --- */

static const struct {
    int64_t bit;
    bool slows;
    const char *words;
} reasons[] = {
#define X(bit, NAME, slows, words) {bit, slows, words},
    OSW_REASON_MAP(X)
#undef X
};

/* Counters catch what was over before the second sample was taken. */
static int64_t reasons_seen(const struct osw_telemetry *before,
                            const struct osw_telemetry *after)
{
    bool known = before->reasons >= 0 || after->reasons >= 0;
    int64_t bits = 0;

    if (before->reasons >= 0)
        bits |= before->reasons;
    if (after->reasons >= 0)
        bits |= after->reasons;
    if (grown(before->power_capped_ns, after->power_capped_ns) > 0)
        bits |= OSW_REASON_SW_POWER_CAP;
    if (grown(before->thermal_ns, after->thermal_ns) > 0)
        bits |= OSW_REASON_SW_THERMAL;
    return known || bits ? bits : -1;
}

bool osw_telemetry_slows(int64_t bits)
{
    for (size_t i = 0; bits > 0 && i < N_ELEM(reasons); i++)
        if (reasons[i].slows && (bits & reasons[i].bit))
            return true;
    return false;
}

void osw_telemetry_between(const struct osw_telemetry *before,
                           const struct osw_telemetry *after,
                           struct osw_telemetry_span *out)
{
    *out = (struct osw_telemetry_span){
        .sm_mhz_after = after->sm_mhz,
        .temperature_c = fmax(before->temperature_c, after->temperature_c),
        .reasons = reasons_seen(before, after),
    };
    add_energy(before, after, out);
}

/* Add words to text[size], cut at its end. */
static void add(char *text, size_t size, const char *words)
{
    size_t used = strlen(text);

    snprintf(text + used, size - used, "%s%s", used ? ", " : "", words);
}

const char *osw_telemetry_reasons(int64_t bits, char *text, size_t size)
{
    int64_t left = bits;

    if (bits <= 0) {
        snprintf(text, size, "%s", bits < 0 ? "unknown" : "none");
        return text;
    }
    text[0] = '\0';
    for (size_t i = 0; i < N_ELEM(reasons); i++) {
        if (bits & reasons[i].bit)
            add(text, size, reasons[i].words);
        left &= ~reasons[i].bit;
    }
    if (left) {
        char rest[24];

        snprintf(rest, sizeof(rest), "0x%llx", (unsigned long long)left);
        add(text, size, rest);
    }
    return text;
}
