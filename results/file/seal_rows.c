/* results/file/seal_rows.c - the columns of /results and /samples, block by
 * block */
#include "results/file/seal_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/parallel.h"

enum {
    CHUNK_ROWS = 16384,
    CHUNK_SAMPLES = 65536,
    MAX_COLUMNS = 128,
    BLOCK_CHUNKS = 4,        /* of rows */
    BLOCK_SAMPLES = 8 << 20, /* fewer chunks when there are more samples */
    ROWS_PER_TASK = 1024,
};

/* Rows on their way from the journal into the file. */
struct block {
    const struct osw_replay *replay;
    const struct osw_seal_source *source; /* NULL: the journal */
    osw_replay_reader_t *reader;          /* of the journal */
    const struct osw_column *columns;
    size_t n_columns;
    int handles[MAX_COLUMNS]; /* in the store */
    int samples_handle, runs_handle;

    size_t first, n;                    /* rows of this block */
    unsigned char *values[MAX_COLUMNS]; /* [CHUNK_ROWS * BLOCK_CHUNKS] each */
    uint64_t *offsets; /* [n + 1] first sample of each row, in the file */
    float *samples;    /* from samples_from on */
    size_t size_samples;
    uint64_t samples_from;  /* a multiple of CHUNK_SAMPLES */
    struct osw_error *errs; /* one per task */
    struct osw_store_piece *pieces;
    size_t n_pieces, size_pieces;
    uint64_t *suspects; /* [n_suspects] cells, sorted */
    size_t n_suspects;
};

enum osw_store_type osw_seal_store_type(enum osw_column_type type)
{
    static const enum osw_store_type types[] = {
        [OSW_COLUMN_u8] = OSW_STORE_U8,   [OSW_COLUMN_u32] = OSW_STORE_U32,
        [OSW_COLUMN_u64] = OSW_STORE_U64, [OSW_COLUMN_i32] = OSW_STORE_I32,
        [OSW_COLUMN_i64] = OSW_STORE_I64, [OSW_COLUMN_f64] = OSW_STORE_F64,
    };

    return types[type];
}

static size_t item_bytes(const struct osw_column *c)
{
    return osw_store_type_bytes(osw_seal_store_type(c->type));
}

/* Integers whose missing value is not 0 say so, as netCDF does. */
static void put_missing(osw_store_t *s, const struct osw_column *c)
{
    struct osw_record missing;
    char path[128];
    int64_t wide = 0;
    int32_t narrow = 0;

    osw_record_init(&missing);
    snprintf(path, sizeof(path), "/results/%s", c->name);
    if (c->type == OSW_COLUMN_i64)
        memcpy(&wide, (const char *)&missing + c->offset, sizeof(wide));
    else if (c->type == OSW_COLUMN_i32)
        memcpy(&narrow, (const char *)&missing + c->offset, sizeof(narrow));
    if (wide)
        osw_store_attr(s, path, "_FillValue", OSW_STORE_I64, &wide, 1);
    if (narrow)
        osw_store_attr(s, path, "_FillValue", OSW_STORE_I32, &narrow, 1);
}

static void make_columns(struct block *b, osw_store_t *s)
{
    static const struct osw_store_column samples = {
        .name = "t",
        .type = OSW_STORE_F32,
        .units = "ns",
        .text = "time of one call; a row's are sample_off ... + sample_n"};
    static const struct osw_store_column runs = {
        .name = "run",
        .type = OSW_STORE_U32,
        .units = "1",
        .text = "row of /runs: the run it was recorded in"};
    const struct osw_replay *r = b->replay;

    osw_store_table(s, "/results", r->n_rows);
    for (size_t c = 0; c < b->n_columns; c++) {
        struct osw_store_column column = {
            .name = b->columns[c].name,
            .type = osw_seal_store_type(b->columns[c].type),
            .units = b->columns[c].units,
            .text = b->columns[c].text,
        };

        b->handles[c] =
            osw_store_column(s, "/results", &column, r->n_rows, CHUNK_ROWS);
        put_missing(s, &b->columns[c]);
    }
    if (b->source)
        b->runs_handle =
            osw_store_column(s, "/results", &runs, r->n_rows, CHUNK_ROWS);
    osw_store_group(s, "/samples");
    b->samples_handle =
        osw_store_column(s, "/samples", &samples, r->n_samples, CHUNK_SAMPLES);
}

/* How many rows the block at b->first takes. */
static size_t block_rows(const struct block *b)
{
    size_t left = b->replay->n_rows - b->first;
    size_t n = 0;
    uint64_t samples = 0;

    for (int k = 0; k < BLOCK_CHUNKS && n < left; k++) {
        size_t more = left - n < CHUNK_ROWS ? left - n : CHUNK_ROWS;

        for (size_t i = 0; i < more; i++)
            samples += b->replay->rows[b->first + n + i].sample_n;
        if (n && samples > BLOCK_SAMPLES)
            break;
        n += more;
    }
    return n;
}

/* Scatter one record over the columns. */
static void put_record(const struct block *b, size_t i,
                       const struct osw_record *r)
{
    for (size_t c = 0; c < b->n_columns; c++) {
        const char *from = (const char *)r + b->columns[c].offset;

        switch (b->columns[c].type) {
        case OSW_COLUMN_u8:
            b->values[c][i] = *(const unsigned char *)from;
            break;
        case OSW_COLUMN_u32:
        case OSW_COLUMN_i32:
            memcpy(b->values[c] + 4 * i, from, 4);
            break;
        default:
            memcpy(b->values[c] + 8 * i, from, 8);
            break;
        }
    }
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static bool is_suspect(const struct block *b, uint64_t cell)
{
    return b->n_suspects &&
           bsearch(&cell, b->suspects, b->n_suspects, sizeof(cell), by_number);
}

/* A result is on disk before its device is found to have failed.  Events after
 * it in the journal say so.
 */
static int find_suspects(struct block *b, struct osw_error *err)
{
    const struct osw_replay *r = b->replay;

    b->suspects = calloc(r->n_events + 1, sizeof(*b->suspects));
    if (!b->suspects)
        return osw_fail(err, OSW_NO_MEMORY, "no memory to write the results");
    for (size_t i = 0; i < r->n_events; i++)
        if (r->events[i].kind == OSW_EVENT_SUSPECT)
            b->suspects[b->n_suspects++] = (uint64_t)r->events[i].value;
    qsort(b->suspects, b->n_suspects, sizeof(*b->suspects), by_number);
    return 0;
}

/* A record that was read is row i of the block. */
static int take_record(const struct block *b, size_t i,
                       struct osw_record *record, const float *samples,
                       struct osw_error *err)
{
    const struct osw_replay_row *row = &b->replay->rows[b->first + i];

    if (record->cell != row->cell || record->sample_n != row->sample_n)
        return osw_fail(err, OSW_BAD_INPUT, "'%s' changed while it was read",
                        b->replay->dir);
    record->sample_off = b->offsets[i];
    if (!b->source)
        record->suspect = is_suspect(b, record->cell);
    put_record(b, i, record);
    if (record->sample_n)
        memcpy(b->samples + (b->offsets[i] - b->samples_from), samples,
               record->sample_n * sizeof(*samples));
    return 0;
}

/* Task: read ROWS_PER_TASK rows of the journal. */
static void read_rows(void *arg, size_t task)
{
    struct block *b = arg;
    size_t end = (task + 1) * ROWS_PER_TASK;
    unsigned char buffer[OSW_RECORD_MAX_BYTES];
    float samples[OSW_RECORD_MAX_SAMPLES];
    struct osw_record record;

    for (size_t i = task * ROWS_PER_TASK; i < end && i < b->n; i++)
        if (osw_replay_read(b->reader, &b->replay->rows[b->first + i], buffer,
                            samples, &record, &b->errs[task]) ||
            take_record(b, i, &record, samples, &b->errs[task]))
            return;
}

static int read_source(struct block *b, struct osw_error *err)
{
    float samples[OSW_RECORD_MAX_SAMPLES];
    struct osw_record record;

    for (size_t i = 0; i < b->n; i++)
        if (b->source->read(b->source->arg, b->first + i, samples, &record,
                            err) ||
            take_record(b, i, &record, samples, err))
            return -1;
    return 0;
}

static int read_journal(struct block *b, struct osw_error *err)
{
    size_t n_tasks = (b->n + ROWS_PER_TASK - 1) / ROWS_PER_TASK;

    memset(b->errs, 0, n_tasks * sizeof(*b->errs));
    osw_parallel(osw_parallel_threads(), n_tasks, read_rows, b);
    for (size_t t = 0; t < n_tasks; t++)
        if (b->errs[t].status != OSW_OK)
            return osw_fail(err, b->errs[t].status, "%s", b->errs[t].text);
    return 0;
}

static void add_pieces(struct block *b, int column, uint64_t first, size_t n,
                       size_t chunk_n, const void *data, size_t item)
{
    for (size_t at = 0; at < n && b->n_pieces < b->size_pieces; at += chunk_n)
        b->pieces[b->n_pieces++] = (struct osw_store_piece){
            .column = column,
            .first = first + at,
            .n = n - at < chunk_n ? n - at : chunk_n,
            .data = (const char *)data + at * item,
        };
}

/* Write the columns, and the samples up to the last whole chunk; the rest
 * moves to the front for the next block.
 */
static void write_block(struct block *b, osw_store_t *s)
{
    uint64_t end = b->offsets[b->n];
    uint64_t whole = end / CHUNK_SAMPLES * CHUNK_SAMPLES;

    if (b->first + b->n == b->replay->n_rows)
        whole = end;
    b->n_pieces = 0;
    for (size_t c = 0; c < b->n_columns; c++)
        add_pieces(b, b->handles[c], b->first, b->n, CHUNK_ROWS, b->values[c],
                   item_bytes(&b->columns[c]));
    if (b->source)
        add_pieces(b, b->runs_handle, b->first, b->n, CHUNK_ROWS,
                   b->source->runs + b->first, sizeof(*b->source->runs));
    if (whole > b->samples_from)
        add_pieces(b, b->samples_handle, b->samples_from,
                   (size_t)(whole - b->samples_from), CHUNK_SAMPLES, b->samples,
                   sizeof(*b->samples));
    osw_store_write(s, b->pieces, b->n_pieces);
    if (whole > b->samples_from && whole < end)
        memmove(b->samples, b->samples + (whole - b->samples_from),
                (size_t)(end - whole) * sizeof(*b->samples));
    if (whole > b->samples_from)
        b->samples_from = whole;
}

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to write the results");
}

/* Number the samples of the block's rows, and make room for them. */
static int place_samples(struct block *b, struct osw_error *err)
{
    size_t n_pieces, n_samples;

    for (size_t i = 0; i < b->n; i++)
        b->offsets[i + 1] =
            b->offsets[i] + b->replay->rows[b->first + i].sample_n;
    n_samples = (size_t)(b->offsets[b->n] - b->samples_from);
    if (n_samples > b->size_samples) {
        float *p = realloc(b->samples, n_samples * sizeof(*p));

        if (!p)
            return no_memory(err);
        b->samples = p;
        b->size_samples = n_samples;
    }
    n_pieces =
        (b->n_columns + 1) * BLOCK_CHUNKS + n_samples / CHUNK_SAMPLES + 1;
    if (n_pieces > b->size_pieces) {
        struct osw_store_piece *p = realloc(b->pieces, n_pieces * sizeof(*p));

        if (!p)
            return no_memory(err);
        b->pieces = p;
        b->size_pieces = n_pieces;
    }
    return 0;
}

static int do_block(struct block *b, osw_store_t *s, struct osw_error *err)
{
    b->n = block_rows(b);
    if (place_samples(b, err) ||
        (b->source ? read_source(b, err) : read_journal(b, err)))
        return -1;
    write_block(b, s);
    b->first += b->n;
    b->offsets[0] = b->offsets[b->n];
    return 0;
}

static int make_buffers(struct block *b, struct osw_error *err)
{
    size_t rows = (size_t)BLOCK_CHUNKS * CHUNK_ROWS;

    if (b->replay->n_rows < rows)
        rows = b->replay->n_rows;
    for (size_t c = 0; c < b->n_columns; c++) {
        b->values[c] = malloc(rows * item_bytes(&b->columns[c]) + 1);
        if (!b->values[c])
            return no_memory(err);
    }
    b->offsets = calloc(rows + 1, sizeof(*b->offsets));
    b->errs = calloc(rows / ROWS_PER_TASK + 1, sizeof(*b->errs));
    return b->offsets && b->errs ? 0 : no_memory(err);
}

static void free_buffers(struct block *b)
{
    for (size_t c = 0; c < b->n_columns; c++)
        free(b->values[c]);
    free(b->offsets);
    free(b->errs);
    free(b->samples);
    free(b->pieces);
    free(b->suspects);
    osw_replay_reader_close(b->reader);
}

int osw_seal_rows(const struct osw_replay *replay,
                  const struct osw_seal_source *source, osw_store_t *store,
                  struct osw_error *err)
{
    struct block b = {.replay = replay, .source = source};
    int rc = -1;

    b.columns = osw_record_columns(&b.n_columns);
    if (b.n_columns > MAX_COLUMNS)
        return osw_fail(err, OSW_INTERNAL, "%zu columns, at most %d",
                        b.n_columns, MAX_COLUMNS);
    make_columns(&b, store);
    if (!source)
        b.reader = osw_replay_reader_open(replay, err);
    if ((!source && (!b.reader || find_suspects(&b, err))) ||
        make_buffers(&b, err))
        goto out;
    for (rc = 0; rc == 0 && b.first < replay->n_rows;)
        rc = do_block(&b, store, err);
out:
    free_buffers(&b);
    return rc;
}
