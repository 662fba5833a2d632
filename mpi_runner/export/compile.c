/* mpi_runner/export/compile.c - make, in a package's folder */
#include "mpi_runner/export/compile.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/paths.h"
#include "ops/build/compiler_limits.h"
#include "ops/build/tool.h"

/* Of compilers, in the package: what a killed one left goes with it. */
#define TEMPORARY ".tmp"

enum { MAX_SAID = 1 << 16, MAX_WORD = 512 };

static const int64_t deadline_ns = INT64_C(3600) * 1000000000;

/* What is said first is the cause. */
static void hear(void *arg, const char *bytes, size_t n)
{
    struct osw_text *said = arg;

    if (said->used < MAX_SAID)
        osw_text_add_n(said, bytes,
                       n < MAX_SAID - said->used ? n : MAX_SAID - said->used);
}

/* The first line that has the word, without its end; "": none. */
static void line_with(const char *text, const char *word, char *out,
                      size_t size)
{
    const char *at = text ? strstr(text, word) : NULL;

    *out = '\0';
    if (!at)
        return;
    while (at > text && at[-1] != '\n')
        at--;
    snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
}

/* "-march=NAME", or "" */
static void march_of(const struct osw_compile_flags *flags, char word[MAX_WORD])
{
    snprintf(word, MAX_WORD, "%s%s", *flags->march ? "-march=" : "",
             flags->march);
}

int osw_compile_check(const struct osw_compile_flags *flags,
                      struct osw_error *err)
{
    char march[MAX_WORD], why[MAX_WORD];
    const char *const argv[] = {
        "sh", "-c", "exec ${CC:-cc} $0 -E -x c -o /dev/null /dev/null", march,
        NULL};
    struct osw_text said = OSW_TEXT_INIT;
    const struct osw_tool tool = {.argv = argv,
                                  .deadline_ns = deadline_ns,
                                  .sink = hear,
                                  .sink_arg = &said};
    struct osw_tool_end end;
    int rc;

    march_of(flags, march);
    rc = osw_tool_run(&tool, &end, err);
    line_with(said.data, "march", why, sizeof(why));
    osw_text_free(&said);
    if (rc < 0 || end.exit_code == 0 || !*why) /* no compiler: make says so */
        return rc;
    return osw_fail(err, OSW_BAD_INPUT, "option '--march': %s", why);
}

int osw_compile_make(const char *dir, const struct osw_compile_flags *flags,
                     const char *makefile, const char *target,
                     struct osw_text *said, struct osw_error *err)
{
    char arch[MAX_WORD + 8], march[MAX_WORD], jobs[32], why[MAX_WORD];
    char temporary[PATH_MAX];
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    /* Variables of a make that runs us would change ours. */
    const char *const argv[] = {osw_paths_sandbox(err),
                                OSW_COMPILER_WORD,
                                "env",
                                "-u",
                                "MAKEFLAGS",
                                "-u",
                                "MFLAGS",
                                "-u",
                                "CFLAGS",
                                "TMPDIR=" TEMPORARY,
                                "make",
                                "-s",
                                "-k",
                                jobs,
                                "-C",
                                dir,
                                "-f",
                                makefile,
                                arch,
                                flags->openmp ? "OPENMP=-fopenmp" : "OPENMP=",
                                target,
                                NULL};
    const struct osw_tool tool = {.argv = argv,
                                  .deadline_ns = deadline_ns,
                                  .sink = hear,
                                  .sink_arg = said};
    struct osw_tool_end end;
    uint64_t bytes;
    int rc;

    snprintf(jobs, sizeof(jobs), "-j%ld", n > 0 && n < 1024 ? n : 1);
    march_of(flags, march);
    snprintf(arch, sizeof(arch), "ARCH=%s", march);
    snprintf(temporary, sizeof(temporary), "%s/" TEMPORARY, dir);
    if (!argv[0] || osw_compiler_limits_memory(&bytes, err) < 0 ||
        osw_paths_make_folders(temporary, 0700, err) < 0)
        return -1;
    rc = osw_tool_run(&tool, &end, err);
    osw_paths_remove(temporary);
    if (rc < 0)
        return -1;
    if (end.exit_code == 0)
        return 0;
    line_with(said->data, "rror", why, sizeof(why));
    return osw_fail(err, OSW_BAD_INPUT, "make in '%s' ended with %s %d%s%s",
                    dir, end.exit_code < 0 ? "signal" : "exit code",
                    end.exit_code < 0 ? end.signal : end.exit_code,
                    *why ? ": " : "", why);
}

const char *osw_compile_object(osw_arena_t *arena,
                               const struct osw_export_op *op,
                               enum osw_export_device device, size_t impl)
{
    return osw_arena_printf(arena, "obj/%s__%s.%s.o", op->op->folder,
                            op->impls[device][impl].file->name,
                            device == OSW_EXPORT_CPU ? "c" : "cu");
}

/* Why an object is not there: compile it alone. */
static void explain(const char *dir, const struct osw_compile_flags *flags,
                    const char *object, char *why, size_t size)
{
    struct osw_text said = OSW_TEXT_INIT;
    struct osw_error err = OSW_ERROR_INIT;
    char line[MAX_WORD] = "";

    if (osw_compile_make(dir, flags, "Makefile", object, &said, &err) < 0)
        line_with(said.data, "error", line, sizeof(line));
    snprintf(why, size, "it does not compile by the package's flags: %s",
             *line ? line : err.text);
    osw_text_free(&said);
}

int osw_compile(struct osw_gathered *g, const char *dir,
                const struct osw_compile_flags *flags, size_t *n_out,
                struct osw_error *err)
{
    struct osw_text said = OSW_TEXT_INIT;
    struct osw_error failed = OSW_ERROR_INIT;
    int rc = osw_compile_make(dir, flags, "Makefile", "all", &said, &failed);
    bool no_nvcc = said.data && strstr(said.data, "no nvcc:");

    *n_out = 0;
    osw_text_free(&said);
    for (size_t i = 0; i < g->n_ops; i++)
        for (int d = 0; d < OSW_EXPORT_N_DEVICES; d++)
            for (size_t k = 0; k < g->ops[i].n_impls[d]; k++) {
                const char *object = osw_compile_object(
                    g->arena, &g->ops[i], (enum osw_export_device)d, k);
                const char *path =
                    object ? osw_arena_printf(g->arena, "%s/%s", dir, object)
                           : NULL;
                char why[2 * MAX_WORD] = "no nvcc is here";

                if (!path)
                    return osw_fail(err, OSW_NO_MEMORY,
                                    "no memory for a package");
                if (access(path, F_OK) == 0)
                    continue;
                if (d != OSW_EXPORT_CUDA || !no_nvcc)
                    explain(dir, flags, object, why, sizeof(why));
                if (osw_gather_drop(g, i, (enum osw_export_device)d, k--, why,
                                    err) < 0)
                    return -1;
                ++*n_out;
            }
    if (*n_out > 0)
        return osw_gather_shrink(g, err);
    return rc < 0 ? osw_fail(err, failed.status, "%s", failed.text) : 0;
}
