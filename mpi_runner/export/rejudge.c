/* mpi_runner/export/rejudge.c - the built objects of a package, judged again */
#include "mpi_runner/export/rejudge.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/json_out.h"
#include "common/paths.h"
#include "mpi_runner/diagnose/subrun.h"
#include "mpi_runner/export/choose.h"
#include "mpi_runner/export/package.h"
#include "ops/export/export_file.h"

enum { MAX_ROOTS = 64 };

struct judging {
    struct osw_gathered *g;
    const char *dir; /* the package */
    const struct osw_compile_flags *flags;
    enum osw_export_device device;
    size_t n_roots;
    const char *roots[MAX_ROOTS]; /* folders of op folders, as they are */
    size_t root_of[OSW_GATHER_MAX_OPS];
    osw_file_t *file[MAX_ROOTS]; /* results; NULL: not judged */
    struct osw_error *err;
};

static int no_memory(struct judging *j)
{
    return osw_fail(j->err, OSW_NO_MEMORY, "no memory to judge a package");
}

/* --- folders: the op's own, and the packaged objects --- */

static int note_root(struct judging *j, size_t op)
{
    char *real = realpath(j->g->ops[op].op->dir, NULL);
    char *slash = real ? strrchr(real, '/') : NULL;
    size_t i = 0;

    if (!slash) {
        free(real);
        return osw_fail_sys(j->err, errno, "cannot read '%s'",
                            j->g->ops[op].op->dir);
    }
    *slash = '\0';
    while (i < j->n_roots && strcmp(j->roots[i], real) != 0)
        i++;
    if (i == j->n_roots && i < MAX_ROOTS)
        j->roots[j->n_roots++] = osw_arena_strdup(j->g->arena, real);
    free(real);
    if (i == MAX_ROOTS)
        return osw_fail(j->err, OSW_BAD_INPUT,
                        "expected ops of at most %d roots", MAX_ROOTS);
    j->root_of[op] = i;
    return j->roots[i] ? 0 : no_memory(j);
}

/* Is it an op that the package has on this device? */
static bool is_judged(const struct judging *j, size_t root, const char *folder)
{
    for (size_t i = 0; i < j->g->n_ops; i++)
        if (j->root_of[i] == root && j->g->ops[i].n_impls[j->device] &&
            strcmp(j->g->ops[i].op->folder, folder) == 0)
            return true;
    return false;
}

/* Link what is in folder `from` into the new folder `to`. */
static int link_all(struct judging *j, size_t root, const char *from,
                    const char *to, bool is_root)
{
    DIR *all = opendir(from);
    struct dirent *entry;
    int rc = 0;

    if (!all)
        return osw_fail_sys(j->err, errno, "cannot read '%s'", from);
    if (osw_paths_make_folders(to, 0777, j->err) < 0)
        rc = -1;
    while (rc == 0 && (entry = readdir(all))) {
        const char *name = entry->d_name;
        const char *target = osw_arena_printf(j->g->arena, "%s/%s", from, name);
        const char *link = osw_arena_printf(j->g->arena, "%s/%s", to, name);

        if (*name == '.')
            continue;
        if (!target || !link)
            rc = no_memory(j);
        else if (is_root && is_judged(j, root, name))
            rc = link_all(j, root, target, link, false);
        else if (symlink(target, link) < 0)
            rc = osw_fail_sys(j->err, errno, "cannot make '%s'", link);
    }
    closedir(all);
    return rc;
}

/* The object under the names that the judge looks for. */
static int write_names(struct judging *j, size_t op, size_t impl,
                       const char *path)
{
    const struct osw_export_op *e = &j->g->ops[op];
    const char *folder = e->op->folder;
    struct osw_text t = OSW_TEXT_INIT;
    int rc;

    osw_text_printf(&t,
                    "#include <opsweep/op.h>\n"
                    "#define WEAK __attribute__((weak))\n"
                    "int osw_%zu_%zu_kernel(const osw_call *);\n"
                    "WEAK int osw_%zu_%zu_prepare(const osw_call *, void **);\n"
                    "WEAK void osw_%zu_%zu_finish(void *);\n"
                    "int %s_kernel_impl(const osw_call *call)\n"
                    "{\n    return osw_%zu_%zu_kernel(call);\n}\n"
                    "int %s_prepare(const osw_call *call, void **state)\n"
                    "{\n    return osw_%zu_%zu_prepare ? "
                    "osw_%zu_%zu_prepare(call, state) : 0;\n}\n"
                    "void %s_finish(void *state)\n"
                    "{\n    if (osw_%zu_%zu_finish && state)\n        "
                    "osw_%zu_%zu_finish(state);\n}\n",
                    op, impl, op, impl, op, impl, folder, op, impl, folder, op,
                    impl, op, impl, folder, op, impl, op, impl);
    rc = osw_text_str(&t) ? osw_export_put(path, t.data, t.used, j->err)
                          : no_memory(j);
    osw_text_free(&t);
    return rc;
}

/* A rule of the makefile that links one object. */
static int put_rule(struct judging *j, size_t op, size_t impl,
                    struct osw_text *mk)
{
    const struct osw_export_op *e = &j->g->ops[op];
    const struct osw_op_file *f = e->impls[j->device][impl].file;
    const char *object = osw_compile_object(j->g->arena, e, j->device, impl);
    const char *base =
        osw_arena_printf(j->g->arena, "judge/r%zu/%s/%s_packaged_%s",
                         j->root_of[op], e->op->folder, e->op->folder, f->name);
    const char *names = osw_arena_printf(
        j->g->arena, "%s/judge/names_%zu_%zu.c", j->dir, op, impl);

    if (!object || !base || !names)
        return no_memory(j);
    osw_text_printf(mk, "judged: %s.so\n%s.so: %s\n\t", base, base, object);
    if (j->device == OSW_EXPORT_CPU)
        osw_text_printf(mk,
                        "$(CC) -shared -fPIC -Icsrc/include -Wl,-Bsymbolic "
                        "$(OPENMP) -o $@ judge/names_%zu_%zu.c %s %s -lm\n",
                        op, impl, object, f->words);
    else
        osw_text_printf(mk,
                        "$(NVCC) -shared -cudart static -Xcompiler -fPIC "
                        "-Icsrc/include -Xlinker -Bsymbolic -o $@ "
                        "judge/names_%zu_%zu.c %s %s\n",
                        op, impl, object, f->words);
    return write_names(j, op, impl, names);
}

static int link_objects(struct judging *j)
{
    const char *path = osw_arena_printf(j->g->arena, "%s/judge.mk", j->dir);
    struct osw_text mk = OSW_TEXT_INIT, said = OSW_TEXT_INIT;
    int rc = path ? 0 : no_memory(j);

    osw_text_add(&mk, "include Makefile\n");
    for (size_t i = 0; rc == 0 && i < j->g->n_ops; i++)
        for (size_t k = 0; rc == 0 && k < j->g->ops[i].n_impls[j->device]; k++)
            rc = put_rule(j, i, k, &mk);
    if (rc == 0)
        rc = osw_text_str(&mk) ? osw_export_put(path, mk.data, mk.used, j->err)
                               : no_memory(j);
    if (rc == 0)
        rc = osw_compile_make(j->dir, j->flags, "judge.mk", "judged", &said,
                              j->err);
    osw_text_free(&mk);
    osw_text_free(&said);
    return rc;
}

/* --- a campaign for each root --- */

static int run_campaign(struct judging *j, size_t root)
{
    osw_arena_t *a = j->g->arena;
    const char *at = osw_arena_printf(a, "%s/judge/r%zu", j->dir, root);
    const char *campaign = osw_arena_printf(a, "%s.json", at ? at : "");
    const char *file = osw_arena_printf(a, "%s.h5", at ? at : "");
    const char *log = osw_arena_printf(a, "%s.log", at ? at : "");
    struct osw_text t = OSW_TEXT_INIT;
    struct osw_json_out o = osw_json_out(&t);
    int rc;

    osw_json_out_object(&o, NULL);
    osw_json_out_str(&o, "custom_ops_root", at);
    osw_json_out_list(&o, "ops");
    for (size_t i = 0; i < j->g->n_ops; i++)
        if (j->root_of[i] == root && j->g->ops[i].n_impls[j->device])
            osw_json_out_str(&o, NULL, j->g->ops[i].op->folder);
    osw_json_out_end(&o);
    osw_json_out_str(&o, "impls", "packaged_*");
    osw_json_out_str(&o, "profile", "correct");
    osw_json_out_str(&o, "device", osw_export_device_name(j->device));
    osw_json_out_u64(&o, "seed", j->g->opts->seed);
    osw_json_out_u64(&o, "ranks", 1);
    osw_json_out_end(&o);
    if (!at || !campaign || !file || !log || !osw_text_str(&t))
        rc = no_memory(j);
    else if (osw_subrun_write(campaign, t.data, j->err) < 0 ||
             osw_subrun(campaign, file, log, NULL, j->err) < 0)
        rc = -1;
    else
        rc = (j->file[root] = osw_file_open(file, j->err)) ? 0 : -1;
    osw_text_free(&t);
    return rc;
}

static bool has_any(const struct judging *j, size_t root)
{
    for (size_t i = 0; i < j->g->n_ops; i++)
        if (j->root_of[i] == root && j->g->ops[i].n_impls[j->device])
            return true;
    return false;
}

static int judge(struct judging *j)
{
    const char *folder = osw_arena_printf(j->g->arena, "%s/judge", j->dir);

    if (!folder)
        return no_memory(j);
    for (size_t r = 0; r < j->n_roots; r++) {
        const char *to = osw_arena_printf(j->g->arena, "%s/r%zu", folder, r);

        if (!to)
            return no_memory(j);
        if (has_any(j, r) && link_all(j, r, j->roots[r], to, true) < 0)
            return -1;
    }
    if (link_objects(j) < 0)
        return -1;
    for (size_t r = 0; r < j->n_roots; r++)
        if (has_any(j, r) && run_campaign(j, r) < 0)
            return -1;
    return 0;
}

/* --- verdicts --- */

/* Words on the packaged object of an implementation; *good: it stays. */
static const char *verdict(struct judging *j, const struct osw_judged *all,
                           size_t n, const struct osw_export_impl *impl,
                           bool *good)
{
    static const char prefix[] = "packaged_";
    const struct osw_judged *found = NULL;

    for (size_t i = 0; i < n; i++)
        if (strncmp(all[i].impl, prefix, sizeof(prefix) - 1) == 0 &&
            strcmp(all[i].impl + sizeof(prefix) - 1, impl->file->name) == 0)
            found = &all[i];
    *good = found && found->n_bad == 0 && found->n_pass > 0;
    if (*good)
        return osw_arena_printf(j->g->arena, "%llu cells passed, none failed",
                                (unsigned long long)found->n_pass);
    if (found && found->n_bad > 0)
        return osw_arena_printf(
            j->g->arena,
            "%llu of %llu cells failed as it is built here, the first as %s",
            (unsigned long long)found->n_bad,
            (unsigned long long)(found->n_bad + found->n_pass),
            osw_state_name(found->bad_state));
    *good = strcmp(impl->why, "not judged") == 0;
    return "no cell of it could be judged";
}

static int look_at(struct judging *j, size_t op, size_t *n_out)
{
    struct osw_export_op *e = &j->g->ops[op];
    struct osw_judged *all = NULL;
    size_t n = 0, n_impls = e->n_impls[j->device];
    struct osw_export_impl *told =
        osw_arena_array(j->g->arena, n_impls, sizeof(*told));

    if (!told)
        return no_memory(j);
    if (osw_judged_read(j->g->arena, j->file[j->root_of[op]], e->op, j->device,
                        &all, &n, j->err) < 0)
        return -1;
    memcpy(told, e->impls[j->device], n_impls * sizeof(*told));
    e->impls[j->device] = told;
    for (size_t k = n_impls; k-- > 0;) {
        bool good;
        const char *words = verdict(j, all, n, &told[k], &good);

        if (!words)
            return no_memory(j);
        told[k].packaged = words;
        if (good)
            continue;
        ++*n_out;
        if (osw_gather_drop(j->g, op, j->device, k, words, j->err) < 0)
            return -1;
    }
    return 0;
}

/* Of GPU code where there is no GPU. */
static int note_unjudged(struct judging *j, const char *why)
{
    for (size_t i = 0; i < j->g->n_ops; i++) {
        struct osw_export_op *e = &j->g->ops[i];
        size_t n = e->n_impls[j->device];
        struct osw_export_impl *told =
            osw_arena_array(j->g->arena, n, sizeof(*told));

        if (!told)
            return no_memory(j);
        if (n)
            memcpy(told, e->impls[j->device], n * sizeof(*told));
        for (size_t k = 0; k < n; k++)
            told[k].packaged = why;
        e->impls[j->device] = told;
    }
    return 0;
}

static void clean(struct judging *j)
{
    static const char *const names[] = {"judge", "judge.mk"};

    for (size_t r = 0; r < j->n_roots; r++)
        osw_file_close(j->file[r]);
    for (size_t i = 0; i < 2; i++) {
        const char *path =
            osw_arena_printf(j->g->arena, "%s/%s", j->dir, names[i]);

        if (path)
            osw_paths_remove(path);
    }
}

static int judge_on(struct osw_gathered *g, const char *dir,
                    enum osw_export_device device,
                    const struct osw_compile_flags *flags, size_t *n_out,
                    struct osw_error *err)
{
    struct judging *j = osw_arena_alloc(g->arena, sizeof(*j));
    size_t n = 0;
    int rc = 0;

    if (!j)
        return osw_fail(err, OSW_NO_MEMORY, "no memory to judge a package");
    *j = (struct judging){
        .g = g, .dir = dir, .flags = flags, .device = device, .err = err};
    for (size_t i = 0; i < g->n_ops; i++)
        n += g->ops[i].n_impls[device];
    if (n == 0)
        return 0;
    if (device == OSW_EXPORT_CUDA && access("/dev/nvidiactl", F_OK) != 0) {
        printf("judged    GPU code: not again, no GPU is here\n");
        return note_unjudged(j, "not judged again: no GPU was there");
    }
    for (size_t i = 0; rc == 0 && i < g->n_ops; i++)
        rc = note_root(j, i);
    if (rc == 0)
        rc = judge(j);
    for (size_t i = 0; rc == 0 && i < g->n_ops; i++)
        if (g->ops[i].n_impls[device])
            rc = look_at(j, i, n_out);
    clean(j);
    return rc;
}

int osw_rejudge(struct osw_gathered *g, const char *dir,
                const struct osw_compile_flags *flags, size_t *n_out,
                struct osw_error *err)
{
    *n_out = 0;
    for (int d = 0; d < OSW_EXPORT_N_DEVICES; d++)
        if (judge_on(g, dir, (enum osw_export_device)d, flags, n_out, err) < 0)
            return -1;
    return *n_out ? osw_gather_shrink(g, err) : 0;
}
