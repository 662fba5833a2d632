/* mpi_runner/campaign/campaign_make.c - options to a campaign */
#include "mpi_runner/campaign/campaign_make.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/kernel/control_group.h"
#include "common/paths.h"
#include "common/suggest.h"
#include "mpi_runner/campaign/campaign_read.h"
#include "ops/cases/cell.h"
#include "ops/cases/limits.h"
#include "ops/cases/suite.h"
#include "ops/catalog/backend.h"
#include "ops/notation/dtype.h"
#include "ops/scaffold/yaml_ops.h"
#include "worker/device/device.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the campaign");
}

static const char *or_empty(const char *s)
{
    return s ? s : "";
}

static bool is_set(const char *s)
{
    return s && *s;
}

/* "a, b" to its words. */
static int split(osw_arena_t *arena, const char *option, const char *text,
                 const char *const **out, size_t *n_out, struct osw_error *err)
{
    const char **words;
    size_t room = 1, n = 0;

    for (const char *s = or_empty(text); *s; s++)
        room += *s == ',';
    words = osw_arena_array(arena, room, sizeof(*words));
    if (!words)
        return no_memory(err);
    for (const char *s = text; is_set(text) && s; n++) {
        const char *end;

        s += strspn(s, " ");
        end = s + strcspn(s, ", ");
        if (end == s || (end == s + 1 && *s == '!'))
            return osw_fail(err, OSW_BAD_INPUT,
                            "option '--%s': expected names separated by "
                            "commas, found '%s'",
                            option, text);
        words[n] = osw_arena_strndup(arena, s, (size_t)(end - s));
        if (!words[n])
            return no_memory(err);
        end += strspn(end, " ");
        if (*end && *end != ',')
            return osw_fail(err, OSW_BAD_INPUT,
                            "option '--%s': expected ',' before '%s'", option,
                            end);
        s = *end ? end + 1 : NULL;
    }
    *out = words;
    *n_out = n;
    return 0;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static int set_cells(osw_arena_t *arena, const struct osw_campaign_opts *o,
                     struct osw_campaign *c, struct osw_error *err)
{
    const char *const *words;
    uint64_t *keys;
    size_t n, used = 0;

    if (split(arena, "cells", o->cells, &words, &n, err) < 0)
        return -1;
    keys = osw_arena_array(arena, n, sizeof(*keys));
    if (!keys)
        return no_memory(err);
    for (size_t i = 0; i < n; i++)
        if (!osw_cell_key_parse(words[i], &keys[i]))
            return osw_fail(err, OSW_BAD_INPUT,
                            "option '--cells': expected 16 hexadecimal digits, "
                            "found '%s'",
                            words[i]);
    qsort(keys, n, sizeof(*keys), by_value);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || keys[i] != keys[i - 1])
            keys[used++] = keys[i];
    c->cells = keys;
    c->n_cells = used;
    return 0;
}

/* Whatever set them: the command line, a file or code. */
static int check_words(const struct osw_campaign_opts *o, struct osw_error *err)
{
    for (const struct osw_opt *f = osw_campaign_fields; f->name; f++) {
        const char *word;

        if (f->kind != OSW_OPT_STR)
            continue;
        word = *(const char *const *)((const char *)o + f->offset);
        if (word && osw_opt_check_word(f, word, err) < 0)
            return -1;
    }
    return 0;
}

static int set_suite(const struct osw_campaign_opts *o, struct osw_campaign *c,
                     struct osw_error *err)
{
    const struct osw_suite *suite;

    c->suite = is_set(o->suite)             ? o->suite
               : o->traces.n > 0            ? "traces"
               : is_set(o->custom_ops_root) ? "custom_ops"
                                            : "smoke";
    suite = osw_suite_find(c->suite);
    if (is_set(o->given_case))
        return 0; /* the suite is not asked */
    if (suite->needs_custom_root && !is_set(o->custom_ops_root))
        return osw_fail(err, OSW_BAD_INPUT,
                        "suite '%s' needs --custom-ops-root DIR", c->suite);
    if (suite->needs_traces && o->traces.n == 0)
        return osw_fail(err, OSW_BAD_INPUT, "suite '%s' needs --traces PATH",
                        c->suite);
    if (!suite->needs_traces && (o->traces.n > 0 || o->top || o->top_by))
        return osw_fail(err, OSW_BAD_INPUT,
                        "suite '%s' takes no --%s: expected suite 'traces'",
                        c->suite,
                        o->traces.n > 0 ? "traces"
                        : o->top        ? "top"
                                        : "top-by");
    return 0;
}

/* Each must be one; all without blanks. */
static int set_opinfo(osw_arena_t *arena, const struct osw_campaign_opts *o,
                      struct osw_campaign *c, struct osw_error *err)
{
    const char *const *names;
    size_t n;

    c->opinfo_dtypes = "";
    if (strcmp(c->suite, "opinfo") != 0)
        return is_set(o->opinfo_dtype)
                   ? osw_fail(err, OSW_BAD_INPUT,
                              "suite '%s' takes no --opinfo-dtype: expected "
                              "suite 'opinfo'",
                              c->suite)
                   : 0;
    if (split(arena, "opinfo-dtype",
              is_set(o->opinfo_dtype) ? o->opinfo_dtype : "bf16", &names, &n,
              err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct osw_dtype_info *dtype =
            osw_dtype_find(names[i], strlen(names[i]));

        if (!dtype || dtype->id == OSW_C32)
            return osw_fail(err, OSW_BAD_INPUT,
                            "option '--opinfo-dtype': expected dtypes such as "
                            "bf16 or f32, found '%s'",
                            names[i]);
        c->opinfo_dtypes = osw_arena_printf(arena, "%s%s%s", c->opinfo_dtypes,
                                            i ? "," : "", dtype->name);
        if (!c->opinfo_dtypes)
            return no_memory(err);
    }
    return 0;
}

static int set_backend(const struct osw_campaign_opts *o,
                       struct osw_campaign *c, struct osw_error *err)
{
    const struct osw_backend *backend;

    c->backend = is_set(o->backend)           ? o->backend
                 : is_set(o->kernels_dir)     ? "directory"
                 : is_set(o->custom_ops_root) ? "custom_ops"
                                              : "library";
    backend = osw_backend_find(c->backend);
    if (backend->model && !o->generates)
        return osw_fail(err, OSW_BAD_INPUT,
                        "backend '%s' is for 'opsweep run', which lets a model "
                        "write first: expected another one",
                        c->backend);
    if (backend->model)
        backend = osw_backend_find(is_set(o->custom_ops_root) ? "custom_ops"
                                                              : "library");
    c->backend = backend->name;
    if (backend->kernels != is_set(o->kernels_dir))
        return osw_fail(err, OSW_BAD_INPUT,
                        backend->kernels
                            ? "backend '%s' needs --kernels-dir DIR"
                            : "backend '%s' takes no --kernels-dir: expected "
                              "backend 'directory'",
                        c->backend);
    if (backend->custom && !is_set(o->custom_ops_root))
        return osw_fail(err, OSW_BAD_INPUT,
                        "backend '%s' needs --custom-ops-root DIR", c->backend);
    c->custom_ops_root = or_empty(o->custom_ops_root);
    c->kernels_dir = or_empty(o->kernels_dir);
    c->library = or_empty(o->library);
    if (!backend->custom && !is_set(o->library))
        c->library = osw_paths_library_dir(err);
    return c->library ? 0 : -1;
}

static int set_profile(const struct osw_campaign_opts *o,
                       struct osw_campaign *c, struct osw_error *err)
{
    c->profile = or_empty(o->profile);
    c->max_work_s = o->max_work;
    if (!(o->max_work >= 0))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--max-work': expected more than 0 seconds, "
                        "found %g",
                        o->max_work);
    if (c->max_work_s == 0)
        c->max_work_s = osw_limits_work_s(c->profile);
    return 0;
}

static int set_device(const struct osw_campaign_opts *o, struct osw_campaign *c,
                      struct osw_error *err)
{
    c->device = is_set(o->device) && strcmp(o->device, "auto") != 0
                    ? o->device
                    : osw_device_auto();
    if (osw_device_is_kind(c->device))
        return 0;
    return osw_opt_refuse_word(osw_opt_find(osw_campaign_fields, "device"),
                               c->device, err);
}

/* Of the worker's part of free memory, what one case may be planned with: the
 * plan counts one arena, while baseline, candidate and the judge's own image
 * hold inputs and outputs at the same time.
 */
enum { ARENAS = 4 };

static void set_memory(const struct osw_campaign_opts *o, uint32_t n_local,
                       struct osw_campaign *c)
{
    uint64_t free_bytes = osw_memory_left_bytes();

    c->max_bytes = o->max_bytes;
    if (n_local == 0)
        n_local = c->ranks > 1 ? c->ranks - 1 : 1;
    if (c->max_bytes == 0)
        c->max_bytes = osw_limits_bytes(c->device);
    if (c->max_bytes == 0)
        c->max_bytes = free_bytes < UINT64_MAX ? free_bytes / ARENAS / n_local
                                               : (uint64_t)1 << 30;
}

static int set_numbers(const struct osw_campaign_opts *o,
                       struct osw_campaign *c, struct osw_error *err)
{
    const struct {
        const char *option;
        uint64_t found, max;
    } bounds[] = {
        {"max-bytes", o->max_bytes, INT64_MAX},
        {"max-rss", o->max_rss, INT64_MAX},
    };

    for (size_t i = 0; i < N_ELEM(bounds); i++)
        if (bounds[i].found > bounds[i].max)
            return osw_fail(err, OSW_BAD_INPUT,
                            "option '--%s': expected at most %llu, found %llu",
                            bounds[i].option, (unsigned long long)bounds[i].max,
                            (unsigned long long)bounds[i].found);
    if (!(o->timeout >= 0 && o->timeout <= OSW_CAMPAIGN_MAX_TIMEOUT))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--timeout': expected more than 0, at most %g "
                        "seconds, found %g",
                        OSW_CAMPAIGN_MAX_TIMEOUT, o->timeout);
    c->top = (uint32_t)o->top;
    c->ranks = (uint32_t)o->ranks;
    c->threads = (uint32_t)o->threads;
    c->seed = o->seed;
    c->max_rss = o->max_rss;
    c->timeout_s = o->timeout;
    return 0;
}

static int set_texts(osw_arena_t *arena, const struct osw_campaign_opts *o,
                     struct osw_campaign *c, struct osw_error *err)
{
    const char **traces = osw_arena_array(arena, o->traces.n, sizeof(*traces));
    const char **history =
        osw_arena_array(arena, o->history.n, sizeof(*history));

    if (!traces || !history)
        return no_memory(err);
    for (size_t i = 0; i < o->traces.n; i++)
        traces[i] = o->traces.items[i];
    c->traces = traces;
    c->n_traces = o->traces.n;
    for (size_t i = 0; i < o->history.n; i++)
        history[i] = o->history.items[i];
    c->history = history;
    c->n_history = o->history.n;
    c->baseline = or_empty(o->baseline);
    c->given_case = or_empty(o->given_case);
    c->fill = or_empty(o->fill);
    c->offset = (int64_t)o->offset;
    c->python = or_empty(o->python);
    c->output = or_empty(o->output);
    c->top_by = osw_campaign_top_by[o->top_by];
    c->cold = o->cold;
    c->signed_zero = o->signed_zero;
    c->share_gpus = o->share_gpus;
    c->keep_going = o->keep_going;
    if (*c->fill && !*c->given_case)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--fill' needs --case NOTATION");
    return 0;
}

static int add_yaml(osw_arena_t *arena, const char *path,
                    struct osw_campaign *c, struct osw_error *err)
{
    if (!is_set(path) ||
        osw_yaml_ops_add(arena, path, &c->ops, &c->n_ops, err) == 0)
        return 0;
    return osw_error_in(err, "option '--ops-yaml'");
}

int osw_campaign_make(osw_arena_t *arena, struct osw_campaign_opts *opts,
                      const struct osw_args *args, uint32_t n_local,
                      struct osw_campaign *out, struct osw_error *err)
{
    struct osw_campaign c = {.suite = ""};

    if (osw_campaign_read_file(arena, args, opts, err) < 0 ||
        check_words(opts, err) < 0 ||
        split(arena, "ops", opts->ops, &c.ops, &c.n_ops, err) < 0 ||
        add_yaml(arena, opts->ops_yaml, &c, err) < 0 ||
        split(arena, "impls", opts->impls, &c.impls, &c.n_impls, err) < 0 ||
        set_cells(arena, opts, &c, err) < 0 || set_suite(opts, &c, err) < 0 ||
        set_opinfo(arena, opts, &c, err) < 0 ||
        set_backend(opts, &c, err) < 0 || set_profile(opts, &c, err) < 0 ||
        set_device(opts, &c, err) < 0 || set_numbers(opts, &c, err) < 0 ||
        set_texts(arena, opts, &c, err) < 0)
        return -1;
    set_memory(opts, n_local, &c);
    *out = c;
    return 0;
}
