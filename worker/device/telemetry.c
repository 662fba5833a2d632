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

void osw_telemetry_clear(struct osw_telemetry *t)
{
    *t = (struct osw_telemetry){
        .sm_mhz = NAN,
        .memory_mhz = NAN,
        .temperature_c = NAN,
        .power_w = NAN,
        .energy_mj = -1,
        .reasons = -1,
        .ecc_corrected = -1,
        .ecc_uncorrected = -1,
        .power_capped_ns = -1,
        .thermal_ns = -1,
    };
}

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
    int64_t mj = grown(before->energy_mj, after->energy_mj);

    if (mj >= 0 && out->seconds >= least_energy_s) {
        out->energy_j = (double)mj / 1e3;
        out->power_w = out->energy_j / out->seconds;
        return;
    }
    out->power_w = mean_of(before->power_w, after->power_w);
    out->energy_j = out->power_w * out->seconds;
}

/* --- reasons --- */

static const struct {
    int64_t bit;
    bool slowed;
    const char *words;
} reasons[] = {
#define X(bit, NAME, slowed, words) {bit, slowed, words},
    OSW_REASON_MAP(X)
#undef X
};

/* Counters catch what was over before the second sample was taken. */
static int64_t reasons_seen(const struct osw_telemetry *before,
                            const struct osw_telemetry *after,
                            const struct osw_telemetry_span *span)
{
    bool known = before->reasons >= 0 || after->reasons >= 0;
    int64_t bits = 0;

    if (before->reasons >= 0)
        bits |= before->reasons;
    if (after->reasons >= 0)
        bits |= after->reasons;
    if (span->power_capped_ns > 0)
        bits |= OSW_REASON_SW_POWER_CAP;
    if (span->thermal_ns > 0)
        bits |= OSW_REASON_SW_THERMAL;
    return known || bits ? bits : -1;
}

static bool slows(int64_t bits)
{
    for (size_t i = 0; bits > 0 && i < N_ELEM(reasons); i++)
        if (reasons[i].slowed && (bits & reasons[i].bit))
            return true;
    return false;
}

void osw_telemetry_between(const struct osw_telemetry *before,
                           const struct osw_telemetry *after,
                           struct osw_telemetry_span *out)
{
    *out = (struct osw_telemetry_span){
        .seconds = (double)(after->at_ns - before->at_ns) / 1e9,
        .sm_mhz_before = before->sm_mhz,
        .sm_mhz_after = after->sm_mhz,
        .memory_mhz = after->memory_mhz,
        .temperature_c = fmax(before->temperature_c, after->temperature_c),
        .ecc_corrected = grown(before->ecc_corrected, after->ecc_corrected),
        .ecc_uncorrected =
            grown(before->ecc_uncorrected, after->ecc_uncorrected),
        .power_capped_ns =
            grown(before->power_capped_ns, after->power_capped_ns),
        .thermal_ns = grown(before->thermal_ns, after->thermal_ns),
        .lost = after->lost,
    };
    add_energy(before, after, out);
    out->reasons = reasons_seen(before, after, out);
    out->slowed = slows(out->reasons);
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

/* --- Xids --- */

/* By number.  45 follows any other fault, and our own kills; 94 ends the op
 * that met a memory error, which the hardware kept from everyone else.
 */
static const struct osw_xid xids[] = {
    /* clang-format off */
    {   8, true,  false, "GPU stopped processing" },
    {  13, true,  false, "graphics engine exception" },
    {  31, true,  false, "GPU memory page fault" },
    {  32, true,  false, "invalid or corrupted push buffer" },
    {  43, true,  false, "GPU stopped processing" },
    {  45, false, false, "preemptive cleanup after another error" },
    {  46, false, true,  "GPU stopped processing" },
    {  48, false, true,  "uncorrectable memory error" },
    {  62, false, true,  "internal micro-controller halt" },
    {  63, false, false, "memory row remapped" },
    {  64, false, true,  "memory row cannot be remapped" },
    {  69, true,  false, "graphics engine class error" },
    {  74, false, true,  "NVLink error" },
    {  79, false, true,  "GPU has fallen off the bus" },
    {  92, false, true,  "high rate of corrected memory errors" },
    {  94, false, false, "contained memory error" },
    {  95, false, true,  "uncontained memory error" },
    { 109, false, true,  "context switch timeout" },
    { 119, false, true,  "GPU system processor does not answer" },
    { 120, false, true,  "GPU system processor error" },
    { 140, false, true,  "unrecovered memory error" },
    /* clang-format on */
};

const struct osw_xid *osw_telemetry_xid(int number)
{
    static const struct osw_xid unknown = {0, false, false, "unknown Xid"};

    for (size_t i = 0; i < N_ELEM(xids); i++)
        if (xids[i].number == number)
            return &xids[i];
    return &unknown;
}
