/* results/report/report_devices.c - on what a campaign was judged, in short */
#include "results/report/report_devices.h"

#include <string.h>

enum { MAX_MODELS = 4, MAX_LEFT_OUT = 4 };

static bool is_same(const struct osw_device_info *a,
                    const struct osw_device_info *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->driver, b->driver) == 0 &&
           strcmp(a->runtime, b->runtime) == 0 && a->cores == b->cores;
}

static void add_model(struct osw_text *out, size_t n,
                      const struct osw_device_info *d)
{
    osw_text_printf(out, "%zu worker%s on %s", n, osw_plural(n),
                    *d->name ? d->name : "unknown devices");
    if (*d->driver)
        osw_text_printf(out, ", driver %s", d->driver);
    if (*d->runtime)
        osw_text_printf(out, ", CUDA %s", d->runtime);
    if (!*d->uuid && d->cores)
        osw_text_printf(out, ", %u core%s", (unsigned)d->cores,
                        osw_plural(d->cores));
    osw_text_add(out, "\n");
}

/* A run that was resumed has a row for each time a rank was there, on another
 * host as well: it is one worker.
 */
static bool was_there(const struct osw_file_device *rows, size_t k)
{
    for (size_t i = 0; i < k; i++)
        if (rows[i].rank == rows[k].rank &&
            osw_device_info_fit(&rows[i].info) &&
            is_same(&rows[i].info, &rows[k].info))
            return true;
    return false;
}

/* Workers on the model of row i; 0 when a row before has the same. */
static size_t count_model(const struct osw_file_device *rows, size_t n,
                          size_t i)
{
    size_t same = 0;

    for (size_t k = 0; k < n; k++) {
        if (!osw_device_info_fit(&rows[k].info) ||
            !is_same(&rows[k].info, &rows[i].info))
            continue;
        if (k < i)
            return 0;
        same += !was_there(rows, k);
    }
    return same;
}

void osw_report_devices_lines(const osw_file_t *file, struct osw_text *out)
{
    size_t n, n_models = 0, n_out = 0;
    const struct osw_file_device *rows = osw_file_devices(file, &n);

    for (size_t i = 0; i < n; i++) {
        size_t same =
            osw_device_info_fit(&rows[i].info) ? count_model(rows, n, i) : 0;

        if (same && n_models++ < MAX_MODELS)
            add_model(out, same, &rows[i].info);
    }
    if (n_models > MAX_MODELS)
        osw_text_printf(out, "... and %zu models more\n",
                        n_models - MAX_MODELS);
    for (size_t i = 0; i < n; i++) {
        const struct osw_device_info *d = &rows[i].info;

        if (osw_device_info_fit(d) || n_out++ >= MAX_LEFT_OUT)
            continue;
        osw_text_printf(
            out, "left out: rank %d on %s, %s %d%s%s: %s\n", (int)rows[i].rank,
            osw_file_text(file, OSW_DICT_HOST, rows[i].host_id), d->kind,
            (int)d->index, *d->uuid ? ", " : "", d->uuid, d->health);
    }
    if (n_out > MAX_LEFT_OUT)
        osw_text_printf(out, "left out: %zu more\n", n_out - MAX_LEFT_OUT);
}

void osw_report_devices_of(const osw_file_t *file, int32_t rank,
                           uint32_t host_id, struct osw_text *out)
{
    size_t n;
    const struct osw_file_device *rows = osw_file_devices(file, &n);

    for (size_t i = 0; i < n; i++) {
        const struct osw_device_info *d = &rows[i].info;

        if (rows[i].rank != rank || rows[i].host_id != host_id || !*d->kind)
            continue;
        osw_text_printf(out, "%s %d", d->kind, (int)d->index);
        if (*d->uuid)
            osw_text_printf(out, ", %s", d->uuid);
        if (*d->driver)
            osw_text_printf(out, ", driver %s", d->driver);
        if (*d->runtime)
            osw_text_printf(out, ", CUDA %s", d->runtime);
        osw_text_printf(out, ", %s", d->health);
        return;
    }
}

static void put_row(struct osw_json_out *o, const struct osw_device_info *d)
{
#define put_i32                           osw_json_out_i64
#define put_i64                           osw_json_out_i64
#define put_u32                           osw_json_out_u64
#define put_u64                           osw_json_out_u64
#define put_f64                           osw_json_out_f64
#define X(wire, type, field, units, text) put_##wire(o, #field, d->field);
#define T(size, field, text)              osw_json_out_str(o, #field, d->field);
    OSW_DEVICE_INFO_MAP(X, T)
#undef X
#undef T
}

void osw_report_devices_json(const osw_file_t *file, struct osw_json_out *out)
{
    size_t n;
    const struct osw_file_device *rows = osw_file_devices(file, &n);

    osw_json_out_list(out, "devices");
    for (size_t i = 0; i < n; i++) {
        osw_json_out_object(out, NULL);
        osw_json_out_i64(out, "rank", rows[i].rank);
        osw_json_out_str(out, "hostname",
                         osw_file_text(file, OSW_DICT_HOST, rows[i].host_id));
        put_row(out, &rows[i].info);
        osw_json_out_end(out);
    }
    osw_json_out_end(out);
}
