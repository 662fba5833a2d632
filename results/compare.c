/* results/compare.c - two result files, cell by cell */
#include "results/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "ops/state.h"

enum {
    LEAST_FOR_SHIFT = 5,  /* to say so */
    LEAST_TAKEN_OUT = 20, /* to call it the machine's */
    MAX_REMARKS = 64,
};
/* Of candidates without a cause; measured on launches of identical code. */
#define FALSE_ALARMS 0.024

static const struct {
    const char *name, *text;
} kinds[OSW_COMPARE_N_KINDS] = {
#define X(NAME, name, text) {name, text},
    OSW_COMPARE_MAP(X)
#undef X
};

const char *osw_compare_name(enum osw_compare_kind kind)
{
    return kinds[kind].name;
}

const char *osw_compare_text(enum osw_compare_kind kind)
{
    return kinds[kind].text;
}

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to compare");
}

/* --- what else differs --- */

static void remark(struct osw_compare *c, const char *text)
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
        remark(c, osw_text_str(&t));
    osw_text_free(&t);
}

static void compare_surroundings(struct osw_compare *c)
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
    say_difference(c, "host", a->hostname, b->hostname);
    say_difference(c, "opsweep", a->tool_version, b->tool_version);
    if (!a->complete)
        remark(c, "the base is incomplete");
    if (!b->complete)
        remark(c, "the new file is incomplete");
    if (c->base.n_twice || c->now.n_twice)
        remark(c, "cells that came twice: the first of them is compared");
}

/* --- cells --- */

static bool is_injected(const struct osw_compare *c, uint64_t key)
{
    uint64_t mixed = (key ^ key >> 29) * UINT64_C(0x9e3779b97f4a7c15);

    return c->options.inject != 1 &&
           (double)(mixed >> 11) * 0x1p-53 < c->options.inject_share;
}

double osw_compare_effect(const struct osw_compare *c,
                          const struct osw_compare_cell *a,
                          const struct osw_compare_cell *b)
{
    double now = b->median_ns;

    if (is_injected(c, b->key))
        now *= c->options.inject;
    return a->median_ns > 0 && now > 0 ? log(now / a->median_ns) : NAN;
}

static enum osw_compare_kind kind_of_verdicts(const struct osw_compare_cell *a,
                                              const struct osw_compare_cell *b)
{
    if (!a || !osw_compare_side_judged(a->status))
        return b && osw_compare_side_judged(b->status) ? OSW_COMPARE_NEW
                                                       : OSW_COMPARE_UNTIMED;
    if (!b || !osw_compare_side_judged(b->status))
        return OSW_COMPARE_GONE;
    if (osw_compare_side_passes(a->status) !=
        osw_compare_side_passes(b->status))
        return osw_compare_side_passes(a->status) ? OSW_COMPARE_NEWLY_FAILING
                                                  : OSW_COMPARE_NEWLY_PASSING;
    return a->status != b->status ? OSW_COMPARE_CHANGED : OSW_COMPARE_UNTIMED;
}

/* Devices of the base by their ids there, as ids of the new file. */
static uint32_t *map_devices(const struct osw_compare *c)
{
    uint32_t n = osw_file_dict_count(c->base.file, OSW_DICT_DEVICE);
    uint32_t m = osw_file_dict_count(c->now.file, OSW_DICT_DEVICE);
    uint32_t *map = malloc((n + 1) * sizeof(*map));

    for (uint32_t i = 0; map && i < n; i++) {
        const char *name = osw_file_text(c->base.file, OSW_DICT_DEVICE, i);

        map[i] = UINT32_MAX;
        for (uint32_t k = 0; k < m; k++)
            if (strcmp(osw_file_text(c->now.file, OSW_DICT_DEVICE, k), name) ==
                0)
                map[i] = k;
    }
    return map;
}

static void pair_times(struct osw_compare *c, const uint32_t *devices,
                       const struct osw_compare_cell *a,
                       const struct osw_compare_cell *b,
                       struct osw_compare_pair *p)
{
    uint32_t n_devices = osw_file_dict_count(c->base.file, OSW_DICT_DEVICE);
    double d = osw_compare_effect(c, a, b);

    if (isnan(d))
        return;
    p->effect = (float)d;
    p->half = isnan(a->half) || isnan(b->half)
                  ? NAN
                  : sqrtf(a->half * a->half + b->half * b->half);
    p->noise = osw_compare_side_noise(a->median_ns);
    p->kind = OSW_COMPARE_SAME; /* until the shift is known */
    if (a->device >= n_devices || devices[a->device] != b->device ||
        a->timer != b->timer || a->cold != b->cold || a->throttled ||
        b->throttled)
        p->kind = OSW_COMPARE_INCOMPARABLE;
}

static void add_pair(struct osw_compare *c, const uint32_t *devices,
                     const struct osw_compare_cell *a,
                     const struct osw_compare_cell *b)
{
    struct osw_compare_pair *p = &c->pairs[c->n];

    *p = (struct osw_compare_pair){
        .key = a ? a->key : b->key,
        .base = a ? a->row : OSW_COMPARE_NO_ROW,
        .now = b ? b->row : OSW_COMPARE_NO_ROW,
        .kind = kind_of_verdicts(a, b),
        .effect = NAN,
        .half = NAN,
        .noise = NAN,
    };
    c->n_judged += a && osw_compare_side_judged(a->status);
    c->n_common += a && b && osw_compare_side_judged(a->status);
    if ((!a || !osw_compare_side_judged(a->status)) &&
        (!b || !osw_compare_side_judged(b->status)))
        return; /* judged in neither */
    if (p->kind == OSW_COMPARE_UNTIMED && a && b)
        pair_times(c, devices, a, b, p);
    c->n++;
}

static int join(struct osw_compare *c, struct osw_error *err)
{
    const struct osw_compare_side *a = &c->base, *b = &c->now;
    uint32_t *devices = map_devices(c);
    size_t i = 0, k = 0;

    c->pairs = malloc((a->n + b->n) * sizeof(*c->pairs) + 1);
    if (!c->pairs || !devices) {
        free(devices);
        return no_memory(err);
    }
    while (i < a->n || k < b->n) {
        bool from_a =
            k == b->n || (i < a->n && a->cells[i].key <= b->cells[k].key);
        bool from_b =
            i == a->n || (k < b->n && b->cells[k].key <= a->cells[i].key);

        add_pair(c, devices, from_a ? &a->cells[i] : NULL,
                 from_b ? &b->cells[k] : NULL);
        i += from_a;
        k += from_b;
    }
    free(devices);
    return 0;
}

/* --- times --- */

/* What all cells have in common is the machine's: clocks, driver, node. */
static int find_shift(struct osw_compare *c, struct osw_error *err)
{
    float *d = malloc(c->n * sizeof(*d) + 1);
    size_t n = 0;

    if (!d)
        return no_memory(err);
    for (size_t i = 0; i < c->n; i++)
        if (c->pairs[i].kind == OSW_COMPARE_SAME)
            d[n++] = c->pairs[i].effect;
    c->n_timed = n;
    c->shift = n >= LEAST_FOR_SHIFT ? osw_compare_side_median(d, n) : 0;
    c->shift_out = n >= LEAST_TAKEN_OUT;
    free(d);
    return 0;
}

double osw_compare_threshold(const struct osw_compare *c,
                             const struct osw_compare_pair *p)
{
    return fmax(log1p(c->options.threshold), p->noise);
}

static enum osw_compare_kind kind_of_times(const struct osw_compare *c,
                                           const struct osw_compare_pair *p)
{
    double least = osw_compare_threshold(c, p), size = fabsf(p->effect);
    double half = isnan(p->half) ? INFINITY : p->half;

    if (size > least && size > half)
        return p->effect > 0 ? OSW_COMPARE_SLOWER : OSW_COMPARE_FASTER;
    return size <= least && half <= least ? OSW_COMPARE_SAME
                                          : OSW_COMPARE_UNSURE;
}

static void judge_times(struct osw_compare *c)
{
    for (size_t i = 0; i < c->n; i++) {
        struct osw_compare_pair *p = &c->pairs[i];

        if (p->kind != OSW_COMPARE_SAME)
            continue;
        if (c->shift_out)
            p->effect -= (float)c->shift;
        p->kind = kind_of_times(c, p);
    }
}

static int by_gravity(const void *a, const void *b)
{
    const struct osw_compare_pair *x = a, *y = b;
    float d = fabsf(x->effect), e = fabsf(y->effect);

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (d != e && !isnan(d) && !isnan(e))
        return d > e ? -1 : 1;
    if (x->base != y->base)
        return x->base < y->base ? -1 : 1;
    return (x->now > y->now) - (x->now < y->now);
}

void osw_compare_sort(struct osw_compare *c)
{
    memset(c->n_kind, 0, sizeof(c->n_kind));
    for (size_t i = 0; i < c->n; i++)
        c->n_kind[c->pairs[i].kind]++;
    qsort(c->pairs, c->n, sizeof(*c->pairs), by_gravity);
}

int osw_compare_run(const osw_file_t *base, const osw_file_t *now,
                    const struct osw_compare_options *options,
                    struct osw_compare *out, struct osw_error *err)
{
    *out = (struct osw_compare){.options = *options};
    if (osw_compare_side_read(base, &out->base, err) < 0 ||
        osw_compare_side_read(now, &out->now, err) < 0 || join(out, err) < 0 ||
        find_shift(out, err) < 0)
        return -1;
    compare_surroundings(out);
    judge_times(out);
    osw_compare_sort(out);
    return 0;
}

void osw_compare_free(struct osw_compare *c)
{
    osw_compare_side_free(&c->base);
    osw_compare_side_free(&c->now);
    free(c->pairs);
    for (size_t i = 0; i < c->n_remarks; i++)
        free(c->remarks[i]);
    free(c->remarks);
}

bool osw_compare_shifted(const struct osw_compare *c, double most)
{
    return c->shift > log1p(most);
}

double osw_compare_expected(const struct osw_compare *c)
{
    return FALSE_ALARMS * (double)c->n_timed;
}
