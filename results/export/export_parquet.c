/* results/export/export_parquet.c - Parquet, by Python's pyarrow
 *
 * Python gets a line of JSON (columns, dictionaries, what the file says of
 * itself), then blocks of columns as they are in memory: u64 rows; each column;
 * with samples u32 offsets [rows + 1] and their values.  A block of no rows is
 * the end: without it nothing is kept.  So no number is ever a text.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/guard.h"
#include "common/json_out.h"
#include "common/text.h"
#include "results/export/export.h"
#include "results/export/export_cells.h"

enum { NO_PYARROW = 3, CUT_OFF = 4, BLOCK_ROWS = OSW_REPORT_BLOCK };

static const char script[] =
    "import sys\n"
    "sys.path[:] = [p for p in sys.path if p]\n"
    "import json, struct\n"
    "try:\n"
    "    import pyarrow as pa, pyarrow.parquet as pq\n"
    "except ImportError:\n"
    "    sys.exit(3)\n"
    "pipe = sys.stdin.buffer\n"
    "def read(n):\n"
    "    data = pipe.read(n)\n"
    "    if len(data) != n: sys.exit(4)\n"
    "    return data\n"
    "def array(kind, n):\n"
    "    data = read(n * kind.bit_width // 8)\n"
    "    return pa.Array.from_buffers(kind, n, [None, pa.py_buffer(data)])\n"
    "line = pipe.readline()\n"
    "if not line.endswith(b'\\n'): sys.exit(4)\n"
    "head = json.loads(line)\n"
    "kinds = dict(u8=pa.uint8(), u32=pa.uint32(), u64=pa.uint64(),\n"
    "             i32=pa.int32(), i64=pa.int64(), f64=pa.float64())\n"
    "texts = {k: pa.array(v, pa.string()) for k, v in head['dicts'].items()}\n"
    "fields = []\n"
    "for c in head['columns']:\n"
    "    kind = pa.string() if c['name'] in texts else kinds[c['type']]\n"
    "    about = {'units': c['units'], 'long_name': c['text']}\n"
    "    fields.append(pa.field(c['name'], kind, metadata=about))\n"
    "if head['samples']:\n"
    "    about = {'units': 'ns', 'long_name': 'time of one call, each'}\n"
    "    kind = pa.list_(pa.float32())\n"
    "    fields.append(pa.field('samples', kind, metadata=about))\n"
    "schema = pa.schema(fields, metadata=head['file'])\n"
    "with pq.ParquetWriter(sys.argv[1], schema) as out:\n"
    "    while True:\n"
    "        n, = struct.unpack('<Q', read(8))\n"
    "        if n == 0: break\n"
    "        columns = []\n"
    "        for c in head['columns']:\n"
    "            values = array(kinds[c['type']], n)\n"
    "            if c['name'] in texts:\n"
    "                values = texts[c['name']].take(values)\n"
    "            columns.append(values)\n"
    "        if head['samples']:\n"
    "            ends = array(pa.int32(), n + 1)\n"
    "            values = array(pa.float32(), ends[n].as_py())\n"
    "            columns.append(pa.ListArray.from_arrays(ends, values))\n"
    "        out.write_table(pa.Table.from_arrays(columns, schema=schema))\n";

static const char *const types[] = {
    [OSW_COLUMN_u8] = "u8",   [OSW_COLUMN_u32] = "u32",
    [OSW_COLUMN_u64] = "u64", [OSW_COLUMN_i32] = "i32",
    [OSW_COLUMN_i64] = "i64", [OSW_COLUMN_f64] = "f64",
};

static size_t bytes_of(enum osw_column_type type)
{
    return type == OSW_COLUMN_u8                              ? 1
           : type == OSW_COLUMN_u32 || type == OSW_COLUMN_i32 ? 4
                                                              : 8;
}

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to export the cells");
}

/* --- the stream --- */

static void put_column(struct osw_json_out *o, const char *name,
                       enum osw_column_type type, const char *units,
                       const char *text)
{
    osw_json_out_object(o, NULL);
    osw_json_out_str(o, "name", name);
    osw_json_out_str(o, "type", types[type]);
    osw_json_out_str(o, "units", units);
    osw_json_out_str(o, "text", text);
    osw_json_out_end(o);
}

static void put_file(struct osw_json_out *o, const struct osw_file_info *i)
{
    osw_json_out_object(o, "file");
    osw_json_out_str(o, "opsweep.run_uuid", i->run_uuid);
    osw_json_out_str(o, "opsweep.created_utc", i->created_utc);
    osw_json_out_str(o, "opsweep.tool_version", i->tool_version);
    osw_json_out_str(o, "opsweep.command_line", i->command_line);
    osw_json_out_str(o, "opsweep.hostname", i->hostname);
    osw_json_out_str(o, "opsweep.complete", i->complete ? "1" : "0");
    osw_json_out_end(o);
}

/* The JSON is printed over several lines; the first one is what is read. */
static void join_lines(struct osw_text *t)
{
    for (size_t i = 0; i < t->used; i++)
        if (t->data[i] == '\n')
            t->data[i] = ' ';
    osw_text_add(t, "\n");
}

static int put_head(struct osw_export_cells *c, FILE *out,
                    struct osw_error *err)
{
    const osw_file_t *file = c->e->file;
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_json_out o = osw_json_out(&text);

    osw_json_out_object(&o, NULL);
    osw_json_out_bool(&o, "samples", c->e->samples);
    put_file(&o, osw_file_info(file));
    osw_json_out_list(&o, "columns");
    put_column(&o, "row", OSW_COLUMN_u64, "1", "row of the file");
    for (size_t i = 0; i < c->n_columns; i++)
        put_column(&o, osw_export_cells_name(&c->columns[i]),
                   c->columns[i].type, c->columns[i].units,
                   osw_export_cells_text(c, &c->columns[i]));
    if (c->runs)
        put_column(&o, "run", OSW_COLUMN_u32, "1",
                   "row of /runs: the run it was recorded in");
    osw_json_out_end(&o);
    osw_json_out_object(&o, "dicts");
    for (int d = 0; d < OSW_DICT_COUNT; d++) {
        uint32_t n = osw_file_dict_count(file, (enum osw_dict)d);

        osw_json_out_list(&o, osw_dict_name((enum osw_dict)d));
        for (uint32_t k = 0; k < n; k++)
            osw_json_out_str(&o, NULL,
                             osw_file_text(file, (enum osw_dict)d, k));
        if (n == 0) /* the file is older: all of it is entry 0 */
            osw_json_out_str(&o, NULL, "");
        osw_json_out_end(&o);
    }
    osw_json_out_end(&o);
    osw_json_out_end(&o);
    if (!text.failed) {
        join_lines(&text);
        fwrite(text.data, 1, text.used, out);
    }
    if (text.failed)
        no_memory(err);
    osw_text_free(&text);
    return err && err->status != OSW_OK ? -1 : 0;
}

/* An id as Python will look it up: never beyond the dictionary. */
static int check_ids(const struct osw_export_cells *c,
                     const struct osw_column *column,
                     const struct osw_record *r, struct osw_error *err)
{
    enum osw_dict dict = osw_report_dict(column);
    uint32_t id = 0, n;

    if (dict == OSW_DICT_COUNT)
        return 0;
    memcpy(&id, (const char *)r + column->offset, bytes_of(column->type));
    n = osw_file_dict_count(c->e->file, dict);
    if (id < n || (n == 0 && id == 0))
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "'%s' is damaged: entry %u of dictionary '%s' is not there",
                    osw_file_info(c->e->file)->path, id, osw_dict_name(dict));
}

struct block {
    unsigned char *values; /* [BLOCK_ROWS] of one column after the other */
    uint32_t ends[BLOCK_ROWS + 1];
    float *samples;
    size_t size_samples;
};

static int keep_samples(struct block *b, size_t i, const float *samples,
                        uint32_t n, struct osw_error *err)
{
    size_t used = b->ends[i];

    if (used + n > b->size_samples) {
        size_t size = 2 * (used + n);
        float *p = realloc(b->samples, size * sizeof(*p));

        if (!p)
            return no_memory(err);
        b->samples = p;
        b->size_samples = size;
    }
    if (n)
        memcpy(b->samples + used, samples, n * sizeof(*samples));
    b->ends[i + 1] = (uint32_t)(used + n);
    return 0;
}

static int put_block(struct osw_export_cells *c, struct block *b,
                     uint64_t first, size_t n, FILE *out, struct osw_error *err)
{
    const size_t column = (size_t)BLOCK_ROWS * 8;
    uint64_t rows = n;

    for (size_t i = 0; i < n; i++) {
        const struct osw_record *r;
        const float *samples;

        if (osw_export_cells_at(c, first + i, &r, &samples, err))
            return -1;
        for (size_t k = 0; k < c->n_columns; k++) {
            size_t bytes = bytes_of(c->columns[k].type);

            if (check_ids(c, &c->columns[k], r, err))
                return -1;
            memcpy(b->values + k * column + i * bytes,
                   (const char *)r + c->columns[k].offset, bytes);
        }
        if (keep_samples(b, i, samples, samples ? r->sample_n : 0, err))
            return -1;
    }
    fwrite(&rows, sizeof(rows), 1, out);
    for (uint64_t row = first; row < first + n; row++)
        fwrite(&row, sizeof(row), 1, out);
    for (size_t k = 0; k < c->n_columns; k++)
        fwrite(b->values + k * column, bytes_of(c->columns[k].type), n, out);
    if (c->runs)
        fwrite(c->runs + first, sizeof(*c->runs), n, out);
    if (c->e->samples) {
        fwrite(b->ends, sizeof(*b->ends), n + 1, out);
        if (b->ends[n])
            fwrite(b->samples, sizeof(*b->samples), b->ends[n], out);
    }
    return ferror(out) ? -1 : 0;
}

/* All there is to tell.  Returns 0, or -1; err stays unset when Python
 * closed its input.
 */
static int put_all(const struct osw_export *e, FILE *out, struct osw_error *err)
{
    static const uint64_t end = 0;
    struct osw_export_cells c;
    struct block *b = calloc(1, sizeof(*b));
    int rc = osw_export_cells_open(&c, e, err);

    if (b)
        b->values = malloc(c.n_columns * BLOCK_ROWS * 8);
    if (!b || !b->values)
        rc = no_memory(err);
    if (rc == 0)
        rc = put_head(&c, out, err);
    for (uint64_t at = 0; at < c.n && rc == 0; at += BLOCK_ROWS)
        rc = put_block(&c, b, at,
                       c.n - at < BLOCK_ROWS ? (size_t)(c.n - at) : BLOCK_ROWS,
                       out, err);
    if (rc == 0)
        fwrite(&end, sizeof(end), 1, out);
    if (fflush(out) || ferror(out))
        rc = -1;
    osw_export_cells_close(&c);
    if (b) {
        free(b->values);
        free(b->samples);
    }
    free(b);
    return rc;
}

/* --- Python --- */

extern char **environ;

/* Returns its process, its standard input in *in; or -1 with err set. */
static pid_t start(const char *python, const char *path, FILE **in,
                   struct osw_error *err)
{
    char *const argv[] = {(char *)(uintptr_t)python, (char *)(uintptr_t) "-c",
                          (char *)(uintptr_t)script, (char *)(uintptr_t)path,
                          NULL};
    posix_spawn_file_actions_t files;
    int fds[2], errnum;
    pid_t pid = -1;

    if (pipe2(fds, O_CLOEXEC))
        return osw_fail_sys(err, errno, "cannot make a pipe");
    *in = fdopen(fds[1], "w");
    if (!*in) {
        close(fds[0]);
        close(fds[1]);
        return no_memory(err);
    }
    errnum = posix_spawn_file_actions_init(&files);
    if (errnum == 0) {
        errnum = posix_spawn_file_actions_adddup2(&files, fds[0], 0);
        if (errnum == 0) {
            osw_guard_ceilings(false);
            errnum = posix_spawnp(&pid, python, &files, NULL, argv, environ);
            osw_guard_ceilings(true);
        }
        posix_spawn_file_actions_destroy(&files);
    }
    close(fds[0]);
    if (errnum) {
        fclose(*in);
        return osw_fail_sys(err, errnum, "cannot start '%s'", python);
    }
    return pid;
}

int osw_export_parquet(const struct osw_export *e, const char *python,
                       const char *path, struct osw_error *err)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    int rc, status = -1;
    FILE *in = NULL;
    pid_t pid;

    pid = start(python, path, &in, err);
    if (pid < 0)
        return -1;
    sigaction(SIGPIPE, &ignore, &before); /* its exit status says more */
    rc = put_all(e, in, err);
    if (fclose(in))
        rc = -1;
    sigaction(SIGPIPE, &before, NULL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (err->status != OSW_OK)
        return -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_PYARROW)
        return osw_fail(err, OSW_SYSTEM,
                        "'%s' has no pyarrow, which writes Parquet: install "
                        "it, name another python3 with --python, or take "
                        "--format csv or json",
                        python);
    if (rc || !WIFEXITED(status) || WEXITSTATUS(status))
        return osw_fail(err, OSW_SYSTEM, "'%s' could not write '%s'", python,
                        path);
    return 0;
}
