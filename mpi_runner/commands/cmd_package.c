/* mpi_runner/commands/cmd_package.c - opsweep package: ops as a wheel of
 * torch's operators
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/cli/cli.h"
#include "common/log.h"
#include "common/paths.h"
#include "common/reaper.h"
#include "mpi_runner/export/compile.h"
#include "mpi_runner/export/gather.h"
#include "mpi_runner/export/package.h"
#include "mpi_runner/export/rejudge.h"
#include "ops/export/export_file.h"
#include "ops/export/wheel.h"

/* A wheel is for other machines than this one. */
#if defined(__x86_64__)
#define MARCH "x86-64-v3"
#else
#define MARCH ""
#endif

struct package_opts {
    struct osw_export_opts export;
    const char *march, *release;
    bool no_openmp;
};

static const struct package_opts package_defaults = {
    .export = OSW_EXPORT_OPTS_DEFAULT, .march = MARCH, .release = "0"};

#define AT(field)        offsetof(struct package_opts, field)
#define EXPORT_AT(field) AT(export.field)
/* clang-format off */
static const struct osw_opt package_optv[] = {
    OSW_EXPORT_OPT_ROWS(EXPORT_AT),
    { "march", OSW_OPT_STR, AT(march), "oldest processor that it is for, as the compiler calls it", .value = "NAME" },
    { "no-openmp", OSW_OPT_FLAG, AT(no_openmp), "no threads of its own, and no libgomp" },
    { "release", OSW_OPT_STR, AT(release), "version of the package", .value = "VERSION" },
    { 0 },
};
/* clang-format on */
#undef AT
#undef EXPORT_AT

/* Write, compile and judge until nothing more has to be left out. */
static int build(struct osw_gathered *g, const char *dir,
                 const struct osw_compile_flags *flags, struct osw_error *err)
{
    for (size_t n_out = 1; n_out > 0;) {
        osw_paths_remove(dir);
        osw_log(OSW_LOG_INFO, "compiling %zu op%s in '%s'", g->n_ops,
                osw_plural(g->n_ops), dir);
        if (osw_package_write(g, dir, err) < 0 ||
            osw_compile(g, dir, flags, &n_out, err) < 0)
            return -1;
        if (n_out == 0 && osw_rejudge(g, dir, flags, &n_out, err) < 0)
            return -1;
    }
    return 0;
}

/* ops.json once more, with what was seen since. */
static int write_provenance(const struct osw_gathered *g, const char *dir,
                            struct osw_error *err)
{
    const struct osw_export e = {g->opts->ns, g->ops, g->n_ops};
    const char *path = osw_arena_printf(g->arena, "%s/ops.json", dir);
    struct osw_text text = OSW_TEXT_INIT;
    int rc = -1;

    osw_export_provenance(&e, &text);
    if (!path || !osw_text_str(&text)) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for a package");
    } else {
        unlink(path);
        rc = osw_export_put(path, text.data, text.used, err);
    }
    osw_text_free(&text);
    return rc;
}

/* One line for each library. */
static void print_needs(const struct osw_elf_needs *needs, const char *what)
{
    printf("needs     %s: glibc 2.%d or newer", what, needs->glibc_minor);
    for (size_t i = 0; i < needs->n_libraries; i++)
        if (strncmp(needs->libraries[i], "libc.so", 7) != 0 &&
            strncmp(needs->libraries[i], "libm.so", 7) != 0 &&
            strncmp(needs->libraries[i], "ld-linux", 8) != 0)
            printf(", %s", needs->libraries[i]);
    printf("\n");
}

/* As the reaper takes it, or "" if that is not to be had. */
static const char *whole_path(osw_arena_t *arena, const char *dir)
{
    char here[PATH_MAX];
    const char *whole = dir;

    if (*dir != '/')
        whole = getcwd(here, sizeof(here))
                    ? osw_arena_printf(arena, "%s/%s", here, dir)
                    : NULL;
    return whole ? whole : "";
}

static int make_package(struct osw_gathered *g, const struct package_opts *o,
                        const struct osw_compile_flags *flags,
                        struct osw_error *err)
{
    const char *dir = osw_package_part(g->arena, g->opts->output, err);
    const char *path = NULL, *whole;
    char word[OSW_SHELL_WORD];
    struct osw_elf_needs needs[OSW_EXPORT_N_DEVICES];
    int rc = -1;

    if (!dir)
        return -1;
    whole = whole_path(g->arena, dir);
    osw_reaper_add_folder(whole);
    if (build(g, dir, flags, err) == 0 &&
        osw_package_write_cases(g, dir, err) == 0 &&
        write_provenance(g, dir, err) == 0 &&
        osw_wheel_write(g->arena, dir, g->opts->ns, o->release, &path, needs,
                        err) == 0)
        rc = osw_package_finish(dir, g->opts->output, err);
    if (rc < 0)
        osw_paths_remove(dir);
    osw_reaper_remove_folder(whole);
    if (rc < 0)
        return -1;
    for (int d = 0; d < OSW_EXPORT_N_DEVICES; d++)
        if (needs[d].machine)
            print_needs(&needs[d],
                        osw_export_device_name((enum osw_export_device)d));
    printf("%s: %zu op%s, %zu left out; next: pip install %s%s\n",
           g->opts->output, g->n_ops, osw_plural(g->n_ops), g->n_left_out,
           osw_shell_word(g->opts->output, word), path + strlen(dir));
    return g->n_left_out ? 1 : 0;
}

static int package_all(struct osw_gathered *g, const struct package_opts *o,
                       const struct osw_args *args, struct osw_error *err)
{
    const struct osw_compile_flags flags = {o->march, !o->no_openmp};

    if (strspn(o->march, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789-_.+") != strlen(o->march))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--march': expected a processor such as "
                        "x86-64-v3 or native, found '%s'",
                        o->march);
    if (osw_wheel_check_version(o->release, err) < 0 ||
        osw_gather_check(g->opts, err) < 0 ||
        osw_compile_check(&flags, err) < 0 || osw_gather(g, args, err) < 0)
        return -1;
    return g->opts->dry_run ? osw_gather_tell(g)
                            : make_package(g, o, &flags, err);
}

static int package_run(void *opts, const struct osw_args *args,
                       struct osw_error *err)
{
    const struct package_opts *o = opts;
    struct osw_gathered *g = osw_gather_begin(&o->export, err);
    int rc;

    if (!g)
        return -1;
    osw_reaper_start(osw_paths_sandbox(NULL)); /* make goes with us */
    rc = package_all(g, o, args, err);
    osw_reaper_stop();
    osw_gather_end(g);
    return rc;
}

extern const struct osw_cmd osw_cmd_package;
const struct osw_cmd osw_cmd_package = {
    .name = "package",
    .topic = "write ops",
    .operands = "[FOLDER|OP...]",
    .summary = "make a wheel of torch's operators from op folders",
    .details =
        "As `opsweep export-ops`; then the package is built, its objects are "
        "judged on\nall cases of their folders, and DIR/dist holds a wheel "
        "that needs no compiler to\nbe installed.  What does not compile or "
        "fails as it is built here is left out.\nExit code: 0; 1 something was "
        "left out; 2 bad input; 3 no op is left.\n",
    .max_operands = 64,
    .opts = package_optv,
    .defaults = &package_defaults,
    .opts_size = sizeof(package_defaults),
    .run = package_run,
};
