/* mpi_runner/campaign/revision.c - which revision of their repository the ops
 * are */
#include "mpi_runner/campaign/revision.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/text.h"
#include "ops/build/tool.h"
#include "ops/catalog/op.h"

enum { MAX_ROOTS = 8, MAX_PATH = 4096, MAX_LINE = 256 };
#define DEADLINE_NS INT64_C(2000000000)
#define EXTRACT_NS  INT64_C(30000000000)

/* The exit code of a program, and what it says; -1: it cannot be run. */
static int run(const char *const *argv, int64_t deadline_ns,
               struct osw_text *out)
{
    struct osw_error unused = OSW_ERROR_INIT;
    struct osw_tool_end end;
    struct osw_tool tool = {
        .argv = argv,
        .split = true,
        .deadline_ns = deadline_ns,
        .sink = osw_tool_to_text,
        .sink_arg = out,
    };

    return osw_tool_run(&tool, &end, &unused) < 0 || end.late ? -1
                                                              : end.exit_code;
}

/* The same of git in `dir`. */
static int git(const char *dir, const char *const *words, int64_t deadline_ns,
               struct osw_text *out)
{
    const char *argv[16] = {"git", "-c", "core.fsmonitor=false", "-C", dir};
    size_t n = 5;

    while (*words && n + 1 < sizeof(argv) / sizeof(argv[0]))
        argv[n++] = *words++;
    argv[n] = NULL;
    return run(argv, deadline_ns, out);
}

/* Append the revision of `dir`, unless it is there. */
static void add_revision(const char *dir, struct osw_text *all)
{
    static const char *const head[] = {"rev-parse", "--short=12", "HEAD", NULL};
    static const char *const same[] = {"diff", "--quiet", "HEAD",
                                       "--",   ".",       NULL};
    struct osw_text out = OSW_TEXT_INIT, none = OSW_TEXT_INIT;
    char text[MAX_LINE];
    const char *so_far;

    if (git(dir, head, DEADLINE_NS, &out) == 0 && osw_text_str(&out)) {
        size_t n = strcspn(osw_text_str(&out), "\r\n");
        bool dirty = git(dir, same, DEADLINE_NS, &none) == 1;

        snprintf(text, sizeof(text), "%.*s%s", n > 64 ? 64 : (int)n,
                 osw_text_str(&out), dirty ? "+" : "");
        so_far = osw_text_str(all);
        if (n && so_far && !strstr(so_far, text))
            osw_text_printf(all, "%s%s", *so_far ? ", " : "", text);
    }
    osw_text_free(&out);
    osw_text_free(&none);
}

/* The folder that an op's folder lies in. */
static bool root_of(const struct osw_op *op, char root[MAX_PATH])
{
    const char *slash = strrchr(op->dir, '/');
    size_t n = slash ? (size_t)(slash - op->dir) : 0;

    if (n >= MAX_PATH)
        return false;
    snprintf(root, MAX_PATH, "%.*s", (int)n, op->dir);
    if (n == 0)
        strcpy(root, slash ? "/" : ".");
    return true;
}

static void add_revisions(const struct osw_plan *plan, struct osw_text *all)
{
    char roots[MAX_ROOTS][MAX_PATH];
    size_t n = 0;

    for (size_t i = 0; i < plan->n_bundles && n < MAX_ROOTS; i++) {
        size_t k = 0;

        if (!plan->bundles[i].op || !root_of(plan->bundles[i].op, roots[n]))
            continue;
        while (strcmp(roots[k], roots[n]) != 0)
            k++;
        if (k < n)
            continue;
        add_revision(roots[n++], all);
    }
}

/* Not by setenv(): another thread may read the environment. */
const char *const *osw_revision_environment(osw_arena_t *memory,
                                            const struct osw_plan *plan)
{
    struct osw_text all = OSW_TEXT_INIT;
    size_t n = 0, n_own = 0;
    const char **own;

    while (environ[n])
        n++;
    own = osw_arena_array(memory, n + 2, sizeof(*own));
    for (size_t i = 0; own && i < n; i++)
        own[n_own++] = environ[i];
    if (own && !getenv("OPSWEEP_REVISION"))
        add_revisions(plan, &all);
    if (osw_text_str(&all) && *osw_text_str(&all))
        own[n_own++] =
            osw_arena_printf(memory, "OPSWEEP_REVISION=%s", osw_text_str(&all));
    osw_text_free(&all);
    return own;
}

/* --- files as they were --- */

/* Number `nth` of "a, b+" without its "+"; false: there are fewer. */
static bool nth_of(const char *revisions, size_t nth, char out[MAX_LINE])
{
    size_t n;

    for (; nth > 0; nth--) {
        revisions = strchr(revisions, ',');
        if (!revisions)
            return false;
        revisions += strspn(revisions, ", ");
    }
    n = strspn(revisions, "0123456789abcdef");
    snprintf(out, MAX_LINE, "%.*s", n < MAX_LINE ? (int)n : 0, revisions);
    return n > 0;
}

bool osw_revision_extract(const char *dir, const char *revisions, size_t nth,
                          const char *into)
{
    char revision[MAX_LINE], tar[MAX_PATH];
    const char *const archive[] = {"archive", "--format=tar", "-o",
                                   tar,       revision,       NULL};
    const char *const unpack[] = {"tar", "-xf", tar, "-C", into, NULL};
    struct osw_text said = OSW_TEXT_INIT;
    bool ok;

    if (!nth_of(revisions, nth, revision) ||
        snprintf(tar, sizeof(tar), "%s/archive.tar", into) >= (int)sizeof(tar))
        return false;
    ok = git(dir, archive, EXTRACT_NS, &said) == 0 &&
         run(unpack, EXTRACT_NS, &said) == 0;
    (void)remove(tar);
    osw_text_free(&said);
    return ok;
}
