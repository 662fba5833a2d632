/* ops/export/export_write.c - a package's files, but for its cases */
#include <stdio.h>
#include <string.h>

#include "common/json_out.h"
#include "ops/build/file_hash.h"
#include "ops/export/export.h"
#include "ops/export/export_file.h"
#include "ops/export/export_sources.h"
#include "ops/export/kit.h"

/* --- ops.json --- */

static void put_impl(struct osw_json_out *o, const struct osw_export_impl *impl)
{
    struct osw_error unread = OSW_ERROR_INIT;
    struct osw_file_hash hash;
    char hex[2 * OSW_FILE_HASH_BYTES + 1] = "";

    if (osw_file_hash(impl->file->path, &hash, &unread) == 0)
        for (size_t i = 0; i < OSW_FILE_HASH_BYTES; i++)
            snprintf(hex + 2 * i, 3, "%02x", hash.sha256[i]);
    osw_json_out_object(o, NULL);
    osw_json_out_str(o, "name", impl->file->name);
    osw_json_out_str(o, "file", impl->file->file);
    osw_json_out_str(o, "sha256", hex);
    osw_json_out_str(o, "judged", impl->why);
    if (impl->packaged)
        osw_json_out_str(o, "packaged", impl->packaged);
    osw_json_out_end(o);
}

void osw_export_provenance(const struct osw_export *e, struct osw_text *out)
{
    struct osw_json_out o = osw_json_out(out);

    osw_json_out_object(&o, NULL);
    osw_json_out_str(&o, "format", "opsweep-export");
    osw_json_out_i64(&o, "version", 1);
    osw_json_out_str(&o, "namespace", e->ns);
    osw_json_out_list(&o, "ops");
    for (size_t i = 0; i < e->n_ops; i++) {
        osw_json_out_object(&o, NULL);
        osw_json_out_str(&o, "op", e->ops[i].op->name);
        osw_json_out_str(&o, "schema", e->ops[i].op->schema_text);
        for (int d = 0; d < OSW_EXPORT_N_DEVICES; d++) {
            osw_json_out_list(
                &o, osw_export_device_name((enum osw_export_device)d));
            for (size_t k = 0; k < e->ops[i].n_impls[d]; k++)
                put_impl(&o, &e->ops[i].impls[d][k]);
            osw_json_out_end(&o);
        }
        osw_json_out_end(&o);
    }
    osw_json_out_end(&o);
    osw_json_out_end(&o);
    osw_text_add(out, "\n");
}

/* --- files --- */

struct writing {
    osw_arena_t *arena;
    const struct osw_export *e;
    const char *dir;
    struct osw_error *err;
};

static int put(struct writing *w, const char *name, const void *bytes, size_t n)
{
    const char *path = osw_arena_printf(w->arena, "%s/%s", w->dir, name);

    return path ? osw_export_put(path, bytes, n, w->err)
                : osw_fail(w->err, OSW_NO_MEMORY, "no memory for a package");
}

/* The text, which is freed. */
static int put_text(struct writing *w, const char *name, struct osw_text *text)
{
    const char *s = osw_text_str(text);
    int rc = s && name
                 ? put(w, name, s, strlen(s))
                 : osw_fail(w->err, OSW_NO_MEMORY, "no memory for a package");

    osw_text_free(text);
    return rc;
}

static int put_kit(struct writing *w)
{
    for (const struct osw_export_kit_file *f = osw_export_kit; f->name; f++) {
        const char *name =
            strncmp(f->name, "%s", 2) == 0
                ? osw_arena_printf(w->arena, "%s%s", w->e->ns, f->name + 2)
                : f->name;

        if (!name || put(w, name, f->bytes, f->n) < 0)
            return -1;
    }
    return 0;
}

static int put_headers(struct writing *w, const char *include_dir)
{
    static const char *const headers[] = {"op.h", "elements.h",
                                          "executorch_dtype.h"};

    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        const char *from = osw_arena_printf(w->arena, "%s/opsweep/%s",
                                            include_dir, headers[i]);
        const char *to =
            osw_arena_printf(w->arena, "csrc/include/opsweep/%s", headers[i]);
        const char *text;

        if (!from || !to)
            return osw_fail(w->err, OSW_NO_MEMORY, "no memory for a package");
        if (osw_export_read(w->arena, from, &text, w->err) < 0 ||
            put(w, to, text, strlen(text)) < 0)
            return -1;
    }
    return 0;
}

/* Sources of one op on a device, and a wrapper of each. */
static int put_sources(struct writing *w, size_t at,
                       enum osw_export_device device,
                       struct osw_export_copies *done)
{
    const struct osw_export_op *op = &w->e->ops[at];
    const char *csrc = osw_arena_printf(w->arena, "%s/csrc", w->dir);

    for (size_t k = 0; csrc && k < op->n_impls[device]; k++) {
        const struct osw_op_file *f = op->impls[device][k].file;
        struct osw_text text = OSW_TEXT_INIT;

        if (osw_export_copy_source(w->arena, op->op->dir, op->op->folder,
                                   f->file, csrc, done, w->err) < 0)
            return -1;
        osw_export_wrapper_c(w->e, at, k, device, &text);
        if (put_text(w,
                     osw_arena_printf(w->arena, "csrc/impl/%s__%s.%s",
                                      op->op->folder, f->name,
                                      device == OSW_EXPORT_CPU ? "c" : "cu"),
                     &text) < 0)
            return -1;
    }
    return csrc ? 0
                : osw_fail(w->err, OSW_NO_MEMORY, "no memory for a package");
}

static int put_generated(struct writing *w)
{
    static const struct {
        const char *name;
        void (*make)(const struct osw_export *e, struct osw_text *out);
    } files[] = {
        {"Makefile", osw_export_makefile},
        {"setup.py", osw_export_setup_py},
        {"ops.json", osw_export_provenance},
        {"%s/__init__.py", osw_export_init_py},
        {"%s/_table.py", osw_export_table_py},
    };

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct osw_text text = OSW_TEXT_INIT;
        const char *name = files[i].name;

        files[i].make(w->e, &text);
        if (strncmp(name, "%s", 2) == 0)
            name = osw_arena_printf(w->arena, "%s%s", w->e->ns, name + 2);
        if (put_text(w, name, &text) < 0)
            return -1;
    }
    return 0;
}

static int put_executorch(struct writing *w)
{
    static const struct {
        const char *name;
        int (*make)(osw_arena_t *arena, const struct osw_export *e,
                    struct osw_text *out, struct osw_error *err);
    } files[] = {
        {"custom_ops.yaml", osw_export_custom_ops_yaml},
        {"functions.yaml", osw_export_functions_yaml},
        {"et/kernels.cpp", osw_export_kernels_cpp},
    };

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct osw_text text = OSW_TEXT_INIT;

        if (files[i].make(w->arena, w->e, &text, w->err) < 0) {
            osw_text_free(&text);
            return -1;
        }
        if (put_text(w, files[i].name, &text) < 0)
            return -1;
    }
    return 0;
}

int osw_export_write(osw_arena_t *arena, const struct osw_export *e,
                     const char *include_dir, const char *dir,
                     struct osw_error *err)
{
    struct osw_export_copies *done = osw_arena_alloc(arena, sizeof(*done));
    struct writing w = {arena, e, dir, err};

    if (!done)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a package");
    if (put_kit(&w) < 0 || put_headers(&w, include_dir) < 0 ||
        put_generated(&w) < 0 || put_executorch(&w) < 0)
        return -1;
    for (int d = 0; d < OSW_EXPORT_N_DEVICES; d++) {
        enum osw_export_device device = (enum osw_export_device)d;
        struct osw_text text = OSW_TEXT_INIT;

        for (size_t i = 0; i < e->n_ops; i++)
            if (put_sources(&w, i, device, done) < 0)
                return -1;
        osw_export_table_c(e, device, &text);
        if (put_text(&w,
                     osw_arena_printf(arena, "csrc/table_%s.c",
                                      osw_export_device_name(device)),
                     &text) < 0)
            return -1;
    }
    return 0;
}
