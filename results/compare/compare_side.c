/* results/compare/compare_side.c - the cells of one file, as far as they are
 * compared
 */
#include "results/compare/compare_side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/record/state.h"

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to compare");
}

static int read_column(const osw_file_t *file, const char *name,
                       enum osw_column_type type, size_t bytes, void *out,
                       struct osw_error *err)
{
    void **column = out;

    *column = malloc(bytes * osw_file_info(file)->n_results + 1);
    return *column ? osw_file_column(file, name, type, *column, err)
                   : no_memory(err);
}

/* A column that older files lack stays zero. */
static void read_optional(const osw_file_t *file, const char *name,
                          enum osw_column_type type, size_t bytes, void *column)
{
    struct osw_error unused = OSW_ERROR_INIT;

    if (osw_file_column(file, name, type, column, &unused) < 0)
        memset(column, 0, bytes * osw_file_info(file)->n_results);
}

static int by_key(const void *a, const void *b)
{
    const struct osw_compare_cell *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Of several rows with a key the first stays. */
static void drop_twice(struct osw_compare_side *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->n; i++)
        if (kept == 0 || s->cells[kept - 1].key != s->cells[i].key)
            s->cells[kept++] = s->cells[i];
    s->n_twice = s->n - kept;
    s->n = kept;
}

struct columns {
    uint64_t *key, *throttle;
    double *lo, *hi, *q1, *q3, *least, *most;
    uint32_t *device;
    uint8_t *phase, *timer, *cold, *suspect;
};

static int read_columns(struct osw_compare_side *s, struct columns *c,
                        struct osw_error *err)
{
    const osw_file_t *f = s->file;
    size_t n = osw_file_info(f)->n_results;

    if (read_column(f, "cell_key", OSW_COLUMN_u64, 8, &c->key, err) < 0 ||
        read_column(f, "status_id", OSW_COLUMN_u8, 1, &s->status, err) < 0 ||
        read_column(f, "t_median_ns", OSW_COLUMN_f64, 8, &s->median_ns, err) <
            0 ||
        read_column(f, "t_ci_lo_ns", OSW_COLUMN_f64, 8, &c->lo, err) < 0 ||
        read_column(f, "t_ci_hi_ns", OSW_COLUMN_f64, 8, &c->hi, err) < 0 ||
        read_column(f, "t_q1_ns", OSW_COLUMN_f64, 8, &c->q1, err) < 0 ||
        read_column(f, "t_q3_ns", OSW_COLUMN_f64, 8, &c->q3, err) < 0 ||
        read_column(f, "t_min_ns", OSW_COLUMN_f64, 8, &c->least, err) < 0 ||
        read_column(f, "t_p95_ns", OSW_COLUMN_f64, 8, &c->most, err) < 0 ||
        read_column(f, "op_id", OSW_COLUMN_u32, 4, &s->op, err) < 0 ||
        read_column(f, "impl_id", OSW_COLUMN_u32, 4, &s->impl, err) < 0 ||
        read_column(f, "case_id", OSW_COLUMN_u32, 4, &s->of, err) < 0 ||
        read_column(f, "reason_id", OSW_COLUMN_u32, 4, &s->why, err) < 0 ||
        read_column(f, "device_id", OSW_COLUMN_u32, 4, &c->device, err) < 0)
        return -1;
    c->throttle = malloc(8 * n + 1);
    c->phase = malloc(n + 1);
    c->timer = malloc(n + 1);
    c->cold = malloc(n + 1);
    c->suspect = malloc(n + 1);
    s->cells = malloc(n * sizeof(*s->cells) + 1);
    if (!c->throttle || !c->phase || !c->timer || !c->cold || !c->suspect ||
        !s->cells)
        return no_memory(err);
    read_optional(f, "throttle", OSW_COLUMN_u64, 8, c->throttle);
    read_optional(f, "phase_id", OSW_COLUMN_u8, 1, c->phase);
    read_optional(f, "timer_id", OSW_COLUMN_u8, 1, c->timer);
    read_optional(f, "cold", OSW_COLUMN_u8, 1, c->cold);
    read_optional(f, "suspect", OSW_COLUMN_u8, 1, c->suspect);
    return 0;
}

static float half_of(double lo, double hi)
{
    return lo > 0 && hi >= lo && isfinite(hi) ? (float)(log(hi / lo) / 2) : NAN;
}

/* Too few samples for an interval of the median have quartiles still. */
static float half_width(const struct columns *c, size_t i)
{
    float half = half_of(c->lo[i], c->hi[i]);

    return isnan(half) ? half_of(c->q1[i], c->q3[i]) : half;
}

/* By model; of several devices of one the larger floor counts. */
static int read_floors(struct osw_compare_side *s, struct osw_error *err)
{
    size_t n;
    const struct osw_file_device *d = osw_file_devices(s->file, &n);
    struct osw_compare_floor *f = osw_compare_floors(s->file, err);

    if (!f)
        return -1;
    s->n_floors = osw_file_dict_count(s->file, OSW_DICT_DEVICE);
    s->floors = malloc(s->n_floors * sizeof(*s->floors) + 1);
    for (size_t i = 0; s->floors && i < s->n_floors; i++)
        s->floors[i] = (struct osw_compare_floor){NAN, NAN};
    for (size_t i = 0; s->floors && i < n; i++)
        if (d[i].device_id < s->n_floors) {
            struct osw_compare_floor *at = &s->floors[d[i].device_id];

            at->ns = fmax(at->ns, f[i].ns);
            at->part = fmax(at->part, f[i].part);
        }
    free(f);
    return s->floors ? 0 : no_memory(err);
}

int osw_compare_side_read(const osw_file_t *file, struct osw_compare_side *s,
                          struct osw_error *err)
{
    struct columns c = {.key = NULL};
    int rc;

    s->file = file;
    rc = osw_file_info(file)->n_results > OSW_FILE_MAX_ROWS
             ? osw_fail(err, OSW_BAD_INPUT, "'%s': more than %d rows",
                        osw_file_info(file)->path, OSW_FILE_MAX_ROWS)
             : read_columns(s, &c, err);
    if (rc == 0)
        rc = read_floors(s, err);
    if (rc == 0) {
        s->n = osw_file_info(file)->n_results;
        for (size_t i = 0; i < s->n; i++)
            s->cells[i] = (struct osw_compare_cell){
                .key = c.key[i],
                .median_ns = s->median_ns[i],
                .least_ns = c.least[i],
                .most_ns = c.most[i],
                .half = half_width(&c, i),
                .row = (int32_t)i,
                .device = c.device[i],
                .status = s->status[i],
                .timer = c.timer[i],
                .cold = c.cold[i] != 0,
                .throttled = osw_record_throttled(c.throttle[i]),
                .suspect = c.suspect[i] != 0,
                .broken = osw_state_is_broken(
                    s->status[i],
                    osw_file_text(file, OSW_DICT_REASON, s->why[i])),
                .folder = osw_state_is_folder(s->status[i], c.phase[i]),
            };
        qsort(s->cells, s->n, sizeof(*s->cells), by_key);
        drop_twice(s);
        for (size_t i = 0; i < s->n; i++) {
            s->n_suspect += s->cells[i].suspect;
            s->n_lost += osw_state_group((enum osw_state)s->cells[i].status) ==
                         OSW_GROUP_INFRA;
        }
        s->whole = osw_file_info(file)->complete && s->n_lost == 0;
    }
    free(c.key);
    free(c.throttle);
    free(c.lo);
    free(c.hi);
    free(c.q1);
    free(c.q3);
    free(c.least);
    free(c.most);
    free(c.device);
    free(c.phase);
    free(c.timer);
    free(c.cold);
    free(c.suspect);
    return rc;
}

void osw_compare_side_free(struct osw_compare_side *s)
{
    free(s->cells);
    free(s->op);
    free(s->impl);
    free(s->of);
    free(s->why);
    free(s->status);
    free(s->median_ns);
    free(s->floors);
}

bool osw_compare_side_judged(uint8_t status)
{
    enum osw_state_group g = osw_state_group((enum osw_state)status);

    return g != OSW_GROUP_INFRA && g != OSW_GROUP_NOT_JUDGED;
}

bool osw_compare_side_passes(uint8_t status)
{
    return osw_state_group((enum osw_state)status) == OSW_GROUP_PASS;
}

float osw_compare_side_noise(const struct osw_compare_side *s,
                             const struct osw_compare_cell *cell)
{
    return osw_compare_floor_noise(
        cell->device < s->n_floors ? &s->floors[cell->device] : NULL,
        cell->median_ns);
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

double osw_compare_side_median(float *v, size_t n)
{
    qsort(v, n, sizeof(*v), by_value);
    return n % 2 ? v[n / 2] : ((double)v[n / 2 - 1] + v[n / 2]) / 2;
}

const struct osw_compare_cell *
osw_compare_side_find(const struct osw_compare_side *s, uint64_t key)
{
    struct osw_compare_cell wanted = {.key = key, .row = 0};
    size_t lo = 0, hi = s->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (s->cells[mid].key < wanted.key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < s->n && s->cells[lo].key == key ? &s->cells[lo] : NULL;
}
