/* mpi_runner/campaign/campaign.c - what one run is asked to do */
#include "mpi_runner/campaign/campaign.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/json_out.h"
#include "common/paths.h"
#include "common/suggest.h"
#include "ops/cases/cell.h"
#include "ops/cases/suite.h"
#include "ops/catalog/backend.h"
#include "ops/notation/dtype.h"
#include "worker/device/device.h"
#include "worker/judge/process/watch.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

const char *const osw_campaign_top_by[] = {"calls", "size", NULL};

const char *osw_campaign_suite(size_t i)
{
    const struct osw_suite *suite = osw_suite_at(i);

    return suite ? suite->name : NULL;
}

const char *osw_campaign_backend(size_t i)
{
    return osw_backend_word(i);
}

const char *osw_campaign_device(size_t i)
{
    static const char *const kinds[] = {"auto", "cpu", "cuda"};

    return i < N_ELEM(kinds) ? kinds[i] : NULL;
}

const char *osw_campaign_profile(size_t i)
{
    const struct osw_profile *profile = osw_profile_at(i);

    return profile ? profile->name : NULL;
}

static const struct osw_opt fields[] = {OSW_CAMPAIGN_OPTV, {0}};

enum { N_FIELDS = N_ELEM(fields) - 1, MAX_KEY = 32 };

/* Predicted seconds of one bundle, where nobody says otherwise. */
static const struct work_row {
    const char *profile;
    double max_work_s;
} work_limits[] = {
    {"smoke", 3},
    {"sweep", 20},
    {"precise", 120},
    {"correct", 20},
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the campaign");
}

/* --- campaign JSON to options --- */

/* The key of an option: "max-bytes" is "max_bytes". */
static void make_key(const char *name, char *key)
{
    size_t i;

    for (i = 0; name[i] && i < MAX_KEY - 1; i++)
        key[i] = name[i] == '-' ? '_' : name[i];
    key[i] = '\0';
}

static int check_keys(const osw_json_t *doc, struct osw_error *err)
{
    char keys[2 * N_FIELDS][MAX_KEY];
    const char *allowed[2 * N_FIELDS + 1];
    size_t n = 0;

    for (size_t i = 0; i < N_FIELDS; i++) {
        make_key(fields[i].name, keys[n]);
        allowed[n] = keys[n];
        n++;
        if (!fields[i].alias)
            continue;
        make_key(fields[i].alias, keys[n]);
        allowed[n] = keys[n];
        n++;
    }
    allowed[n] = NULL;
    return osw_json_only_keys(doc, allowed, err);
}

/* A string, or a list of them, joined by commas. */
static int read_words(osw_arena_t *arena, const osw_json_t *v, const char **out,
                      struct osw_error *err)
{
    size_t n = osw_json_kind(v) == OSW_JSON_LIST ? osw_json_size(v) : 0;
    const char *word = "";
    struct osw_text joined = OSW_TEXT_INIT;

    if (osw_json_kind(v) != OSW_JSON_LIST) {
        if (osw_json_str(v, &word, err) < 0)
            return -1;
        osw_text_add(&joined, word);
    }
    for (size_t i = 0; i < n; i++) {
        const osw_json_t *item = osw_json_at(v, i);

        if (osw_json_expect(item, OSW_JSON_STR, err) < 0 ||
            osw_json_str(item, &word, err) < 0) {
            osw_text_free(&joined);
            return -1;
        }
        osw_text_printf(&joined, "%s%s", i ? "," : "", word);
    }
    *out = osw_text_str(&joined)
               ? osw_arena_strdup(arena, osw_text_str(&joined))
               : NULL;
    osw_text_free(&joined);
    return *out ? 0 : no_memory(err);
}

static int read_list(osw_arena_t *arena, const osw_json_t *v,
                     struct osw_list *out, struct osw_error *err)
{
    bool single = osw_json_kind(v) == OSW_JSON_STR;
    struct osw_list list = {.n = single ? 1 : osw_json_size(v)};

    if (!single && osw_json_expect(v, OSW_JSON_LIST, err) < 0)
        return -1;
    if (list.n > OSW_OPT_MAX_LIST)
        return osw_json_fail(v, err, "expected at most %d, found %zu",
                             OSW_OPT_MAX_LIST, list.n);
    for (size_t i = 0; i < list.n; i++) {
        const osw_json_t *item = single ? v : osw_json_at(v, i);
        const char *word = "";

        if (osw_json_expect(item, OSW_JSON_STR, err) < 0 ||
            osw_json_str(item, &word, err) < 0)
            return -1;
        list.items[i] = osw_arena_strdup(arena, word);
        if (!list.items[i])
            return no_memory(err);
    }
    *out = list;
    return 0;
}

/* A word for the option, as it would stand on the command line. */
static int read_as_option(const osw_json_t *v, const struct osw_opt *field,
                          struct osw_campaign_opts *opts, struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    const char *word = "";

    if (osw_json_expect(v, OSW_JSON_STR, err) < 0 ||
        osw_json_str(v, &word, err) < 0)
        return -1;
    if (osw_opt_set(field, opts, word, &why) < 0)
        return osw_json_fail(v, err, "%s", why.text);
    return 0;
}

static int read_field(osw_arena_t *arena, const osw_json_t *v,
                      const struct osw_opt *field,
                      struct osw_campaign_opts *opts, struct osw_error *err)
{
    void *at = (char *)opts + field->offset;

    switch (field->kind) {
    case OSW_OPT_FLAG:
        return osw_json_expect(v, OSW_JSON_BOOL, err) < 0
                   ? -1
                   : osw_json_bool(v, at, err);
    case OSW_OPT_STR:
        return read_words(arena, v, at, err);
    case OSW_OPT_U64: /* as a word beyond what integers of JSON hold here */
        if (osw_json_kind(v) == OSW_JSON_STR)
            return read_as_option(v, field, opts, err);
        return osw_json_expect(v, OSW_JSON_INT, err) < 0
                   ? -1
                   : osw_json_u64(v, at, err);
    case OSW_OPT_I64:
        return osw_json_expect(v, OSW_JSON_INT, err) < 0
                   ? -1
                   : osw_json_i64(v, at, err);
    case OSW_OPT_F64:
        return osw_json_f64(v, at, err);
    case OSW_OPT_SIZE:
        return osw_json_kind(v) == OSW_JSON_INT
                   ? osw_json_u64(v, at, err)
                   : read_as_option(v, field, opts, err);
    case OSW_OPT_CHOICE:
        return read_as_option(v, field, opts, err);
    case OSW_OPT_LIST:
        return read_list(arena, v, at, err);
    }
    return osw_fail(err, OSW_INTERNAL, "option '%s' of no known kind",
                    field->name);
}

static const struct osw_opt *find_field(const char *key)
{
    char name[MAX_KEY];

    for (size_t i = 0; i < N_FIELDS; i++) {
        make_key(fields[i].name, name);
        if (strcmp(name, key) == 0)
            return &fields[i];
        make_key(fields[i].alias ? fields[i].alias : "", name);
        if (name[0] && strcmp(name, key) == 0)
            return &fields[i];
    }
    return NULL;
}

static int read_document(osw_arena_t *arena, const osw_json_t *doc,
                         const struct osw_args *args,
                         struct osw_campaign_opts *opts, struct osw_error *err)
{
    struct osw_campaign_opts read = *opts, ignored;

    if (osw_json_expect(doc, OSW_JSON_OBJECT, err) < 0 ||
        check_keys(doc, err) < 0)
        return -1;
    for (size_t i = 0; i < osw_json_size(doc); i++) {
        const osw_json_t *v = osw_json_at(doc, i);
        const struct osw_opt *field = find_field(osw_json_key(v));
        bool given = args && osw_args_given(args, field->name);

        if (osw_json_kind(v) == OSW_JSON_NULL)
            return osw_json_fail(v, err, "expected a value, found null");
        /* What the command line overrides is checked all the same. */
        if (read_field(arena, v, field, given ? &ignored : &read, err) < 0)
            return -1;
    }
    *opts = read;
    return 0;
}

int osw_campaign_read(osw_arena_t *arena, const char *source, const char *text,
                      size_t n, const struct osw_args *args,
                      struct osw_campaign_opts *opts, struct osw_error *err)
{
    osw_json_t *doc = osw_json_parse(text, n, source, err);
    int rc = doc ? read_document(arena, doc, args, opts, err) : -1;

    osw_json_free(doc);
    return rc;
}

static int load(osw_arena_t *arena, const struct osw_args *args,
                struct osw_campaign_opts *opts, struct osw_error *err)
{
    osw_json_t *doc;
    int rc;

    if (!args || args->n_operands == 0)
        return 0;
    doc = osw_json_load_file(args->operands[0], err);
    rc = doc ? read_document(arena, doc, args, opts, err) : -1;
    osw_json_free(doc);
    return rc;
}

/* --- options to a campaign --- */

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
    for (const struct osw_opt *f = fields; f->name; f++) {
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
    if (!suite->needs_traces && o->traces.n > 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "suite '%s' takes no --traces: expected suite 'traces'",
                        c->suite);
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
                        "option '--max-work': expected seconds, found %g",
                        o->max_work);
    for (size_t i = 0; c->max_work_s == 0 && i < N_ELEM(work_limits); i++)
        if (strcmp(work_limits[i].profile, c->profile) == 0)
            c->max_work_s = work_limits[i].max_work_s;
    return 0;
}

static int set_device(const struct osw_campaign_opts *o, struct osw_campaign *c,
                      struct osw_error *err)
{
    c->device = is_set(o->device) && strcmp(o->device, "auto") != 0
                    ? o->device
                    : osw_device_auto();
    for (size_t i = 0; osw_device_kind(i); i++)
        if (strcmp(osw_device_kind(i), c->device) == 0)
            return 0;
    return osw_opt_refuse_word(osw_opt_find(fields, "device"), c->device, err);
}

/* Of the worker's part of free memory, what one case may be planned with: the
 * plan counts one arena, while baseline, candidate and the judge's own image
 * hold inputs and outputs at the same time.
 */
enum { ARENAS = 4, DEVICE_GIB = 8 /* of a device: nobody has opened it yet */ };

static void set_memory(const struct osw_campaign_opts *o, uint32_t n_local,
                       struct osw_campaign *c)
{
    uint64_t free_bytes = osw_watch_available();

    c->max_bytes = o->max_bytes;
    if (n_local == 0)
        n_local = c->ranks > 1 ? c->ranks - 1 : 1;
    if (c->max_bytes == 0 && strcmp(c->device, "cpu") != 0)
        c->max_bytes = (uint64_t)DEVICE_GIB << 30;
    if (c->max_bytes == 0)
        c->max_bytes =
            free_bytes ? free_bytes / ARENAS / n_local : (uint64_t)1 << 30;
}

static int set_numbers(const struct osw_campaign_opts *o,
                       struct osw_campaign *c, struct osw_error *err)
{
    const struct {
        const char *option;
        uint64_t found, max;
    } bounds[] = {
        {"top", o->top, UINT32_MAX},
        {"ranks", o->ranks, 1 << 20},
        {"threads", o->threads, 4096},
        {"max-bytes", o->max_bytes, INT64_MAX},
        {"max-rss", o->max_rss, INT64_MAX},
    };

    for (size_t i = 0; i < N_ELEM(bounds); i++)
        if (bounds[i].found > bounds[i].max)
            return osw_fail(err, OSW_BAD_INPUT,
                            "option '--%s': expected at most %llu, found %llu",
                            bounds[i].option, (unsigned long long)bounds[i].max,
                            (unsigned long long)bounds[i].found);
    if (!(o->timeout >= 0))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--timeout': expected seconds, found %g",
                        o->timeout);
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

    if (!traces)
        return no_memory(err);
    for (size_t i = 0; i < o->traces.n; i++)
        traces[i] = o->traces.items[i];
    c->traces = traces;
    c->n_traces = o->traces.n;
    c->baseline = or_empty(o->baseline);
    c->given_case = or_empty(o->given_case);
    c->fill = or_empty(o->fill);
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

int osw_campaign_make(osw_arena_t *arena, struct osw_campaign_opts *opts,
                      const struct osw_args *args, uint32_t n_local,
                      struct osw_campaign *out, struct osw_error *err)
{
    struct osw_campaign c = {.suite = ""};

    if (load(arena, args, opts, err) < 0 || check_words(opts, err) < 0 ||
        split(arena, "ops", opts->ops, &c.ops, &c.n_ops, err) < 0 ||
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

const char *osw_campaign_root(const struct osw_campaign *c)
{
    const struct osw_suite *suite = osw_suite_find(c->suite);
    bool custom = osw_backend_find(c->backend)->custom ||
                  (suite && suite->needs_custom_root);

    return custom ? c->custom_ops_root : c->library;
}

int osw_campaign_open_text(struct osw_output *out, const struct osw_args *args,
                           const struct osw_campaign *c, struct osw_error *err)
{
    const char *path = osw_args_given(args, "output") ? c->output : NULL;
    size_t n = path ? strlen(path) : 0;

    if (n > 3 && strcmp(path + n - 3, ".h5") == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--output': expected the name of a text, found "
                        "that of a result file, '%s'",
                        path);
    return osw_output_apart(path, args->operands, args->n_operands, err) < 0
               ? -1
               : osw_output_open(out, path, err);
}

/* --- a campaign to JSON --- */

static void dump_cells(struct osw_json_out *o, const struct osw_campaign *c)
{
    char key[32];

    osw_json_out_list(o, "cells");
    for (size_t i = 0; i < c->n_cells; i++) {
        snprintf(key, sizeof(key), "0x%016" PRIx64, c->cells[i]);
        osw_json_out_str(o, NULL, key);
    }
    osw_json_out_end(o);
}

static void dump_seed(struct osw_json_out *o, uint64_t seed)
{
    char word[32];

    snprintf(word, sizeof(word), "%" PRIu64, seed);
    if (seed <= INT64_MAX)
        osw_json_out_u64(o, "seed", seed);
    else
        osw_json_out_str(o, "seed", word);
}

static void dump_words(struct osw_json_out *o, const char *key,
                       const char *const *words, size_t n)
{
    osw_json_out_list(o, key);
    for (size_t i = 0; i < n; i++)
        osw_json_out_str(o, NULL, words[i]);
    osw_json_out_end(o);
}

void osw_campaign_dump(const struct osw_campaign *c, struct osw_text *out)
{
    struct osw_json_out o = osw_json_out(out);

    osw_json_out_object(&o, NULL);
    osw_json_out_str(&o, "backend", c->backend);
    osw_json_out_str(&o, "baseline", c->baseline);
    osw_json_out_str(&o, "case", c->given_case);
    dump_cells(&o, c);
    osw_json_out_str(&o, "custom_ops_root", c->custom_ops_root);
    osw_json_out_str(&o, "device", c->device);
    osw_json_out_str(&o, "fill", c->fill);
    dump_words(&o, "impls", c->impls, c->n_impls);
    osw_json_out_str(&o, "kernels_dir", c->kernels_dir);
    osw_json_out_bool(&o, "cold", c->cold);
    osw_json_out_bool(&o, "share_gpus", c->share_gpus);
    osw_json_out_bool(&o, "signed_zero", c->signed_zero);
    osw_json_out_bool(&o, "keep_going", c->keep_going);
    osw_json_out_str(&o, "library", c->library);
    osw_json_out_u64(&o, "max_bytes", c->max_bytes);
    osw_json_out_u64(&o, "max_rss", c->max_rss);
    osw_json_out_f64(&o, "max_work", c->max_work_s);
    osw_json_out_str(&o, "opinfo_dtype", c->opinfo_dtypes);
    dump_words(&o, "ops", c->ops, c->n_ops);
    osw_json_out_str(&o, "output", c->output);
    osw_json_out_str(&o, "profile", c->profile);
    osw_json_out_str(&o, "python", c->python);
    osw_json_out_u64(&o, "ranks", c->ranks);
    dump_seed(&o, c->seed);
    osw_json_out_str(&o, "suite", c->suite);
    osw_json_out_u64(&o, "threads", c->threads);
    osw_json_out_f64(&o, "timeout", c->timeout_s);
    osw_json_out_u64(&o, "top", c->top);
    osw_json_out_str(&o, "top_by", c->top_by);
    dump_words(&o, "traces", c->traces, c->n_traces);
    osw_json_out_end(&o);
}
