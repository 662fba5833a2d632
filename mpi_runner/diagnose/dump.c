/* mpi_runner/diagnose/dump.c - the tensors of one cell, as a folder to look
 * into */
#include "mpi_runner/diagnose/dump.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/formats/npy.h"
#include "common/json_out.h"
#include "ops/record/state.h"

enum {
    BLOCK = 4096,   /* elements at a time */
    MAX_NAME = 160, /* bytes of a file's name, or of an argument's */
};

/* What cell.json says of one file. */
struct entry {
    char file[MAX_NAME];
    const char *role, *note;
    char arg[MAX_NAME]; /* of an input; "" of an output */
    uint32_t index;     /* of the argument's tensors, or of the outputs */
    enum osw_dtype_id dtype;
    int32_t ndim;
    int64_t shape[OSW_MAX_NDIM], strides[OSW_MAX_NDIM];
    bool tolerated; /* the rest is set */
    bool to_the_bit;
    double rtol, atol, ntol;
};

struct osw_dump {
    char *dir, *temp; /* temp: made when something is captured */
    bool made, captured, finished;
    struct entry *entries; /* [n] */
    size_t n;
    struct osw_error err; /* of a capture */
};

/* What numpy calls the dtypes; it has no bfloat16. */
static const struct {
    enum osw_dtype_id id;
    const char *descr;
} descrs[] = {
    {OSW_F64, "<f8"}, {OSW_F32, "<f4"}, {OSW_F16, "<f2"}, {OSW_BF16, "<u2"},
    {OSW_I64, "<i8"}, {OSW_I32, "<i4"}, {OSW_I16, "<i2"}, {OSW_I8, "|i1"},
    {OSW_U8, "|u1"},  {OSW_B8, "|b1"},  {OSW_C64, "<c8"}, {OSW_C128, "<c16"},
};

static const char *descr_of(enum osw_dtype_id id)
{
    for (size_t i = 0; i < sizeof(descrs) / sizeof(descrs[0]); i++)
        if (descrs[i].id == id)
            return descrs[i].descr;
    return NULL;
}

/* --- the folder --- */

static void remove_folder(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    rmdir(path);
}

static int check_empty(const char *path, struct osw_error *err)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    bool filled = false;

    if (!dir && errno == ENOENT)
        return 0;
    if (!dir)
        return osw_fail(err, OSW_BAD_INPUT, "cannot write folder '%s': %s",
                        path, strerror(errno));
    while ((entry = readdir(dir)))
        filled |=
            strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return filled ? osw_fail(err, OSW_BAD_INPUT,
                             "folder '%s' is not empty: expected an empty or "
                             "a new one",
                             path)
                  : 0;
}

osw_dump_t *osw_dump_create(const char *dir, struct osw_error *err)
{
    size_t n = strlen(dir);
    osw_dump_t *dump = calloc(1, sizeof(*dump));

    while (n > 1 && dir[n - 1] == '/')
        n--;
    if (dump) {
        dump->dir = strndup(dir, n);
        dump->temp = malloc(n + 32);
    }
    if (!dump || !dump->dir || !dump->temp) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for '%s'", dir);
        goto fail;
    }
    snprintf(dump->temp, n + 32, "%s.tmp.%ld", dump->dir, (long)getpid());
    if (n == 0 || check_empty(dump->dir, err) < 0)
        goto fail;
    return dump;
fail:
    osw_fail(err, OSW_BAD_INPUT, "expected the name of a folder, found '%s'",
             dir);
    osw_dump_destroy(dump);
    return NULL;
}

void osw_dump_destroy(osw_dump_t *dump)
{
    if (!dump)
        return;
    if (dump->made && !dump->finished)
        remove_folder(dump->temp);
    free(dump->entries);
    free(dump->dir);
    free(dump->temp);
    free(dump);
}

/* --- elements --- */

/* One array: as it lies, or as f32 made of bfloat16 bits. */
struct array {
    const struct osw_view *view;
    size_t bytes; /* of an element */
    bool widen;
};

/* bfloat16 is the upper half of an f32. */
static void gather(const struct array *a, const struct osw_run *run, void *to)
{
    const char *from =
        (const char *)a->view->data + run->offset * (int64_t)a->bytes;

    for (int64_t i = 0; i < run->n; i++) {
        const void *at = from + i * run->stride * (int64_t)a->bytes;
        uint16_t bits;

        if (a->widen) {
            memcpy(&bits, at, sizeof(bits));
            ((uint32_t *)to)[i] = (uint32_t)bits << 16;
        } else {
            memcpy((char *)to + (size_t)i * a->bytes, at, a->bytes);
        }
    }
}

/* The elements in row-major order, whatever the strides. */
static int put_elements(osw_npy_t *npy, const struct array *a,
                        struct osw_error *err)
{
    size_t bytes = a->widen ? sizeof(uint32_t) : a->bytes;
    double block[BLOCK * 2]; /* 16 bytes are the most */
    struct osw_walk walk;
    struct osw_run run;

    osw_walk_rows(&walk, a->view->desc);
    while (osw_walk_next(&walk, BLOCK, &run)) {
        gather(a, &run, block);
        if (osw_npy_put(npy, block, (size_t)run.n * bytes, err) < 0)
            return -1;
    }
    return 0;
}

static int write_array(const osw_dump_t *dump, const char *file,
                       const char *descr, const struct array *a,
                       struct osw_error *err)
{
    const struct osw_tensor_desc *desc = a->view->desc;
    char path[4096 + MAX_NAME];
    osw_npy_t *npy;
    int rc;

    snprintf(path, sizeof(path), "%s/%s", dump->temp, file);
    npy = osw_npy_create(path, descr, desc->ndim, desc->shape, err);
    if (!npy)
        return -1;
    rc = put_elements(npy, a, err);
    return osw_npy_close(npy, rc == 0 ? err : NULL) < 0 ? -1 : rc;
}

/* --- files --- */

/* Is the name taken?  Arguments `a` (a list) and `a_0` could share one. */
static bool is_taken(const osw_dump_t *dump, const char *file)
{
    for (size_t i = 0; i < dump->n; i++)
        if (strcmp(dump->entries[i].file, file) == 0)
            return true;
    return false;
}

static struct entry *add_entry(osw_dump_t *dump, const struct entry *like,
                               const char *name, struct osw_error *err)
{
    struct entry *grown =
        realloc(dump->entries, (dump->n + 1) * sizeof(*grown));
    struct entry *e;

    if (!grown) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for a list of tensors");
        return NULL;
    }
    dump->entries = grown;
    e = &grown[dump->n];
    *e = *like;
    snprintf(e->file, sizeof(e->file), "%.*s.npy", MAX_NAME - 8, name);
    if (is_taken(dump, e->file))
        snprintf(e->file, sizeof(e->file), "%.*s-%zu.npy", MAX_NAME - 32, name,
                 dump->n);
    dump->n++;
    return e;
}

/* Write one tensor under that name, and a bfloat16 one as f32 too. */
static int put(osw_dump_t *dump, const char *name, const struct osw_view *view,
               struct entry *like, struct osw_error *err)
{
    const struct osw_tensor_desc *desc = view->desc;
    const char *descr = descr_of(desc->dtype);
    struct array a = {.view = view,
                      .bytes = osw_dtype_info((int)desc->dtype)->bytes};
    char wide[MAX_NAME];
    struct entry *e;

    if (!descr)
        return osw_fail(err, OSW_BAD_INPUT, "numpy has nothing like %s",
                        osw_dtype_info((int)desc->dtype)->name);
    like->dtype = desc->dtype;
    like->ndim = desc->ndim;
    for (int32_t d = 0; d < desc->ndim; d++) {
        like->shape[d] = desc->shape[d];
        like->strides[d] = desc->strides[d];
    }
    like->note = desc->dtype == OSW_BF16 ? "bfloat16 bits, as uint16" : NULL;
    e = add_entry(dump, like, name, err);
    if (!e || write_array(dump, e->file, descr, &a, err) < 0)
        return -1;
    if (desc->dtype != OSW_BF16)
        return 0;
    a.widen = true;
    like->note = "the same numbers as float32";
    snprintf(wide, sizeof(wide), "%.*s_f32", MAX_NAME - 16, name);
    e = add_entry(dump, like, wide, err);
    return e ? write_array(dump, e->file, "<f4", &a, err) : -1;
}

/* --- a capture --- */

static int put_input(osw_dump_t *dump, const struct osw_capture_input *in,
                     struct osw_error *err)
{
    struct entry like = {.role = "input", .index = in->item};
    char name[MAX_NAME];
    int n = snprintf(name, sizeof(name), "input_%.128s", in->arg);

    snprintf(like.arg, sizeof(like.arg), "%s", in->arg);
    if (in->n_items > 1)
        snprintf(name + n, sizeof(name) - (size_t)n, "_%u", in->item);
    for (char *s = name; *s; s++)
        if (!isalnum((unsigned char)*s))
            *s = '_';
    return put(dump, name, &in->view, &like, err);
}

static int put_role(osw_dump_t *dump, const char *role, uint32_t i,
                    const struct osw_view *view,
                    const struct osw_capture_output *out, struct osw_error *err)
{
    struct entry like = {
        .role = role,
        .index = i,
        .tolerated = true,
        .to_the_bit = out->to_the_bit,
        .rtol = out->to_the_bit ? 0 : out->rtol,
        .atol = out->to_the_bit ? 0 : out->atol,
        .ntol = out->to_the_bit || isnan(out->ntol) ? 0 : out->ntol,
    };
    char name[MAX_NAME];

    snprintf(name, sizeof(name), "%s_%u", role, i);
    return put(dump, name, view, &like, err);
}

/* Numbers of the reference's that no dtype rounded. */
static int put_doubles(osw_dump_t *dump, const char *role, uint32_t i,
                       const double *data, const struct osw_capture_output *out,
                       struct osw_error *err)
{
    int64_t strides[OSW_MAX_NDIM];
    const struct osw_tensor_desc desc = {.dtype = OSW_F64,
                                         .ndim = out->want.desc->ndim,
                                         .shape = out->want.desc->shape,
                                         .strides = strides};
    const struct osw_view view = {.data = (void *)(uintptr_t)data,
                                  .desc = &desc};

    if (osw_tensor_contiguous(desc.ndim, desc.shape, strides) < 0)
        return osw_fail(err, OSW_INTERNAL, "output %u is too large", i);
    return put_role(dump, role, i, &view, out, err);
}

static int put_output(osw_dump_t *dump, uint32_t i,
                      const struct osw_capture_output *out,
                      struct osw_error *err)
{
    if (out->exact &&
        put_doubles(dump, "expected", i, out->exact, out, err) < 0)
        return -1;
    if (out->norm && put_doubles(dump, "norm", i, out->norm, out, err) < 0)
        return -1;
    if (!out->exact && out->want.data &&
        put_role(dump, "expected", i, &out->want, out, err) < 0)
        return -1;
    return out->got.data ? put_role(dump, "got", i, &out->got, out, err) : 0;
}

static int make_temp(osw_dump_t *dump, struct osw_error *err)
{
    if (dump->made)
        remove_folder(dump->temp);
    dump->n = 0;
    dump->made = mkdir(dump->temp, 0777) == 0;
    if (!dump->made)
        return osw_fail(err, OSW_BAD_INPUT, "cannot make folder '%s': %s",
                        dump->dir, strerror(errno));
    return 0;
}

void osw_dump_capture(void *arg, const struct osw_capture *capture)
{
    osw_dump_t *dump = arg;
    struct osw_error *err = &dump->err;

    *err = (struct osw_error)OSW_ERROR_INIT;
    dump->captured = true;
    if (capture->failed)
        osw_fail(err, OSW_NO_MEMORY, "%s", capture->failed);
    if (capture->failed || make_temp(dump, err) < 0)
        return;
    for (uint32_t i = 0; i < capture->n_inputs; i++)
        if (put_input(dump, &capture->inputs[i], err) < 0)
            return;
    for (uint32_t i = 0; i < capture->n_outputs; i++)
        if (put_output(dump, i, &capture->outputs[i], err) < 0)
            return;
}

/* --- cell.json --- */

static void out_sizes(struct osw_json_out *o, const char *key, int32_t n,
                      const int64_t *sizes)
{
    osw_json_out_list(o, key);
    for (int32_t d = 0; d < n; d++)
        osw_json_out_i64(o, NULL, sizes[d]);
    osw_json_out_end(o);
}

static void out_entry(struct osw_json_out *o, const struct entry *e)
{
    osw_json_out_object(o, NULL);
    osw_json_out_str(o, "file", e->file);
    osw_json_out_str(o, "role", e->role);
    if (*e->arg)
        osw_json_out_str(o, "argument", e->arg);
    osw_json_out_u64(o, *e->arg ? "item" : "output", e->index);
    osw_json_out_str(o, "dtype", osw_dtype_info((int)e->dtype)->name);
    out_sizes(o, "shape", e->ndim, e->shape);
    out_sizes(o, "strides", e->ndim, e->strides);
    if (e->note)
        osw_json_out_str(o, "note", e->note);
    if (e->tolerated) {
        osw_json_out_object(o, "tolerance");
        osw_json_out_bool(o, "to_the_bit", e->to_the_bit);
        osw_json_out_f64(o, "rtol", e->rtol);
        osw_json_out_f64(o, "atol", e->atol);
        osw_json_out_f64(o, "ntol", e->ntol);
        osw_json_out_end(o);
    }
    osw_json_out_end(o);
}

/* The shape of an output as far as it is known; NULL: it is not. */
static const struct entry *find_output(const osw_dump_t *dump, int32_t output)
{
    for (size_t i = 0; i < dump->n; i++)
        if (!*dump->entries[i].arg && (int32_t)dump->entries[i].index == output)
            return &dump->entries[i];
    return NULL;
}

static void out_first_bad(const osw_dump_t *dump, struct osw_json_out *o,
                          const struct osw_record *r)
{
    const struct entry *e = find_output(dump, r->bad_output);
    int64_t place[OSW_MAX_NDIM], rest = r->first_bad;

    if (r->first_bad < 0 || !e) {
        osw_json_out_null(o, "first_bad");
        return;
    }
    for (int32_t d = e->ndim - 1; d >= 0; d--) {
        place[d] = e->shape[d] ? rest % e->shape[d] : 0;
        rest = e->shape[d] ? rest / e->shape[d] : 0;
    }
    osw_json_out_object(o, "first_bad");
    osw_json_out_i64(o, "output", r->bad_output);
    osw_json_out_i64(o, "index", r->first_bad);
    out_sizes(o, "place", e->ndim, place);
    osw_json_out_end(o);
}

static void out_verdict(const osw_dump_t *dump, struct osw_json_out *o,
                        const struct osw_record *r)
{
    osw_json_out_str(o, "status", osw_state_name(r->status_id));
    osw_json_out_str(o, "phase", osw_phase_name(r->phase_id));
    osw_json_out_str(o, "check", osw_check_name(r->check_id));
    osw_json_out_str(o, "reason", r->reason);
    osw_json_out_str(o, "output", r->output);
    osw_json_out_i64(o, "signal", r->signal);
    osw_json_out_i64(o, "exit_code", r->exit_code);
    osw_json_out_i64(o, "n_elem", r->n_elem);
    osw_json_out_i64(o, "n_bad", r->n_bad);
    osw_json_out_i64(o, "n_nan", r->n_nan);
    out_first_bad(dump, o, r);
    osw_json_out_f64(o, "max_abs_err", r->max_abs_err);
    osw_json_out_f64(o, "max_rel_err", r->max_rel_err);
    osw_json_out_f64(o, "max_ulp_err", r->max_ulp_err);
    osw_json_out_f64(o, "tol_abs", r->tol_abs);
    osw_json_out_f64(o, "tol_rel", r->tol_rel);
}

/* How to read it, in English and in Python. */
static const char *const help[] = {
    "import json, numpy as np",
    "cell = json.load(open('cell.json'))",
    "t = {e['file'][:-4]: np.load(e['file']) for e in cell['tensors']}",
    "# arrays hold the logical contents, row-major, whatever the strides were",
    "# bfloat16: *_f32 are the numbers; of the bits x, torch makes",
    "#   torch.from_numpy(x.view(np.int16)).view(torch.bfloat16)",
    "# right is |got - expected| <= atol + rtol * |expected| + ntol * norm, or",
    "#   expected rounded to the dtype of got",
};

static void make_json(const osw_dump_t *dump, const struct osw_dump_about *a,
                      struct osw_text *text)
{
    struct osw_json_out o = osw_json_out(text);

    osw_json_out_object(&o, NULL);
    osw_json_out_str(&o, "format", "opsweep.cell");
    osw_json_out_i64(&o, "version", 1);
    osw_json_out_str(&o, "op", a->op);
    osw_json_out_str(&o, "impl", a->impl);
    osw_json_out_str(&o, "case", a->case_text);
    osw_json_out_str(&o, "fill", a->fill);
    osw_json_out_u64(&o, "seed", a->seed);
    osw_json_out_str(&o, "device", a->device);
    out_verdict(dump, &o, a->record);
    osw_json_out_str(&o, "run_again", a->command);
    osw_json_out_list(&o, "tensors");
    for (size_t i = 0; i < dump->n; i++)
        out_entry(&o, &dump->entries[i]);
    osw_json_out_end(&o);
    osw_json_out_list(&o, "load");
    for (size_t i = 0; i < sizeof(help) / sizeof(help[0]); i++)
        osw_json_out_str(&o, NULL, help[i]);
    osw_json_out_end(&o);
    osw_json_out_end(&o);
}

static int write_json(const osw_dump_t *dump, const char *json,
                      struct osw_error *err)
{
    char path[4096 + MAX_NAME];
    FILE *f;
    int rc = 0;

    snprintf(path, sizeof(path), "%s/cell.json", dump->temp);
    f = fopen(path, "we");
    if (!f)
        return osw_fail_sys(err, errno, "cannot write '%s'", path);
    if (fputs(json, f) < 0)
        rc = osw_fail_sys(err, errno, "cannot write '%s'", path);
    if (fclose(f) && rc == 0)
        rc = osw_fail_sys(err, errno, "cannot write '%s'", path);
    return rc;
}

int osw_dump_finish(osw_dump_t *dump, const struct osw_dump_about *about,
                    struct osw_error *err)
{
    struct osw_text json = OSW_TEXT_INIT;
    int rc;

    if (!dump->captured)
        return osw_fail(err, OSW_NOTHING, "nothing to dump: %s%s%s",
                        osw_state_name(about->record->status_id),
                        *about->record->reason ? ": " : "",
                        about->record->reason);
    if (dump->err.status != OSW_OK)
        return osw_fail(err, dump->err.status, "%s", dump->err.text);
    make_json(dump, about, &json);
    rc = osw_text_str(&json)
             ? write_json(dump, osw_text_str(&json), err)
             : osw_fail(err, OSW_NO_MEMORY, "no memory for cell.json");
    osw_text_free(&json);
    if (rc == 0 && rename(dump->temp, dump->dir))
        rc = osw_fail(err, OSW_BAD_INPUT, "cannot write folder '%s': %s",
                      dump->dir, strerror(errno));
    dump->finished = rc == 0;
    return rc;
}
