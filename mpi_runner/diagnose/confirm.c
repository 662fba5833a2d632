/* mpi_runner/diagnose/confirm.c - runs of two campaigns in turns */
#include "mpi_runner/diagnose/confirm.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/log.h"
#include "common/paths.h"
#include "common/text.h"
#include "common/whole_file.h"
#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/campaign/campaign_dump.h"
#include "mpi_runner/campaign/campaign_make.h"
#include "mpi_runner/campaign/campaign_read.h"
#include "mpi_runner/campaign/expand.h"
#include "mpi_runner/campaign/plan.h"
#include "mpi_runner/campaign/plan_load.h"
#include "mpi_runner/campaign/revision.h"
#include "mpi_runner/campaign/sources.h"
#include "mpi_runner/diagnose/subrun.h"
#include "mpi_runner/ranks/launch.h"
#include "results/compare/compare_confirm.h"
#include "results/file/file_runs.h"
#include "results/file/file_sources.h"
#include "worker/scratch.h"

enum { MAX_PATH = 4096, MAX_REVISIONS = 8, BASE = 0, NEW = 1 };

/* One of the two files: a run, or several that were merged. */
struct side {
    const char *name;
    const osw_file_t *file;
    const char *root; /* op folders; NULL: those of its runs */
    char **roots;     /* [n_runs] op folders taken from git; NULL: root */
    struct osw_file_run *runs;
    size_t n_runs;
    uint32_t *run_of;   /* [rows] */
    osw_file_t **files; /* [n_runs] of this round; NULL: no cell of that run */
};

struct turns {
    struct osw_compare_confirm confirm;
    struct side sides[2];
    char folder[64]; /* "": none */
    const volatile sig_atomic_t *n_stop;
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to confirm");
}

static int open_side(struct side *s, struct osw_error *err)
{
    s->runs = osw_file_runs(s->file, &s->n_runs, err);
    if (!s->runs)
        return -1;
    s->run_of =
        calloc(osw_file_info(s->file)->n_results + 1, sizeof(*s->run_of));
    s->files = calloc(s->n_runs, sizeof(*s->files));
    s->roots = calloc(s->n_runs, sizeof(*s->roots));
    if (!s->run_of || !s->files || !s->roots)
        return no_memory(err);
    return osw_file_runs_of(s->file, s->n_runs, s->run_of, err);
}

static int open_turns(struct turns *t, struct osw_compare *c,
                      const struct osw_confirm_config *config, unsigned n,
                      struct osw_error *err)
{
    *t = (struct turns){
        .sides =
            {{.name = "base", .file = c->base.file, .root = config->base_root},
             {.name = "new", .file = c->now.file, .root = config->new_root}},
    };
    if (osw_compare_confirm_begin(c, n, &t->confirm, err) < 0)
        return -1;
    return t->confirm.n == 0 || (open_side(&t->sides[BASE], err) == 0 &&
                                 open_side(&t->sides[NEW], err) == 0)
               ? 0
               : -1;
}

static void close_turns(struct turns *t)
{
    for (int k = 0; k < 2; k++) {
        struct side *s = &t->sides[k];

        for (size_t run = 0; s->roots && run < s->n_runs; run++)
            free(s->roots[run]);
        free(s->roots);
        free(s->runs);
        free(s->run_of);
        free(s->files);
    }
    osw_compare_confirm_end(&t->confirm);
}

/* --- a campaign, cut down to what is open --- */

/* The row of a suspicion that is open and of that run; -1: it is not. */
static int32_t row_in(const struct turns *t, int side, size_t run, size_t i)
{
    const struct osw_compare_suspicion *s = &t->confirm.list[i];
    const struct osw_compare_pair *p = &t->confirm.c->pairs[s->pair];
    int32_t row = side == BASE ? p->base : p->now;

    return s->open && t->sides[side].run_of[row] == run ? row : -1;
}

static size_t count_open(const struct turns *t, int side, size_t run)
{
    size_t n = 0;

    for (size_t i = 0; i < t->confirm.n; i++)
        n += row_in(t, side, run, i) >= 0;
    return n;
}

/* Keys of the cells, and names of their operators, with commas; cells that run
 * along are among them.
 */
static int list_cells(const struct turns *t, int side, size_t run,
                      struct osw_text *ops, struct osw_text *cells,
                      struct osw_error *err)
{
    const struct osw_compare *c = t->confirm.c;
    const struct osw_compare_side *s = side == BASE ? &c->base : &c->now;
    uint32_t n_ops = osw_file_dict_count(s->file, OSW_DICT_OP);
    bool *seen = calloc(n_ops + 1, sizeof(*seen));

    for (size_t i = 0; seen && i < t->confirm.n + t->confirm.n_controls; i++) {
        int32_t row = row_in(t, side, run, i);

        if (row < 0)
            continue;
        osw_text_printf(cells, "%s0x%016" PRIx64, cells->used ? "," : "",
                        c->pairs[t->confirm.list[i].pair].key);
        if (s->op[row] < n_ops && !seen[s->op[row]])
            osw_text_printf(ops, "%s%s", ops->used ? "," : "",
                            osw_file_text(s->file, OSW_DICT_OP, s->op[row]));
        if (s->op[row] < n_ops)
            seen[s->op[row]] = true;
    }
    free(seen);
    return seen && osw_text_str(ops) && osw_text_str(cells) ? 0
                                                            : no_memory(err);
}

/* Where its op folders are now, and that they are there. */
static int find_roots(const struct side *s, size_t run,
                      struct osw_campaign_opts *opts, struct osw_error *err)
{
    bool custom = opts->custom_ops_root && *opts->custom_ops_root;
    const char *root = s->roots[run] ? s->roots[run] : s->root;

    if (root && custom)
        opts->custom_ops_root = root;
    else if (root || (opts->library && access(opts->library, R_OK) < 0))
        opts->library = root; /* NULL: the one that is here */
    if (!custom || access(opts->custom_ops_root, R_OK) == 0)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "its op folders '%s': %s; --%s-root DIR says where "
                    "they are",
                    opts->custom_ops_root, strerror(errno), s->name);
}

/* The campaign of a run for what is open in it; all of it in the arena. */
static int cut_down(const struct turns *t, int side, size_t run,
                    osw_arena_t *arena, struct osw_campaign *campaign,
                    struct osw_error *err)
{
    const struct side *s = &t->sides[side];
    const char *text = s->runs[run].campaign_resolved;
    struct osw_campaign_opts opts = OSW_CAMPAIGN_DEFAULTS;
    struct osw_text ops = OSW_TEXT_INIT, cells = OSW_TEXT_INIT;
    int rc = list_cells(t, side, run, &ops, &cells, err);

    if (rc == 0)
        rc = osw_campaign_read(arena, "/campaign/resolved", text, strlen(text),
                               NULL, &opts, err);
    if (rc == 0) {
        opts.ops = osw_arena_strdup(arena, osw_text_str(&ops));
        opts.cells = osw_arena_strdup(arena, osw_text_str(&cells));
        opts.output = NULL;
        if (s->runs[run].mpi_size == 2)
            opts.ranks = 1; /* one worker: in the coordinator's, sooner */
        rc = opts.ops && opts.cells ? find_roots(s, run, &opts, err)
                                    : no_memory(err);
    }
    if (rc == 0)
        rc = osw_campaign_make(arena, &opts, NULL, 0, campaign, err);
    osw_text_free(&ops);
    osw_text_free(&cells);
    return rc;
}

/* "'m.h5'", or of merged files "'m.h5', run 2 ('b.h5')". */
static int in_run(const struct side *s, size_t run, struct osw_error *err)
{
    const char *path = osw_file_info(s->file)->path;

    return s->n_runs == 1 ? osw_error_in(err, "'%s'", path)
                          : osw_error_in(err, "'%s', run %zu ('%s')", path,
                                         run + 1, s->runs[run].path);
}

static int write_whole(const char *path, const char *text,
                       struct osw_error *err)
{
    struct osw_whole_file out;
    int rc = osw_whole_file_open(&out, path, err);

    if (rc < 0)
        return -1;
    if (fputs(text, out.file) < 0)
        rc = osw_fail_sys(err, errno, "cannot write '%s'", path);
    return osw_whole_file_close(&out, rc, err);
}

/* The same as JSON, into a file. */
static int write_campaign(const struct turns *t, int side, size_t run,
                          const char *path, struct osw_error *err)
{
    struct osw_text text = OSW_TEXT_INIT;
    osw_arena_t *arena = osw_arena_create();
    struct osw_campaign campaign;
    int rc =
        arena ? cut_down(t, side, run, arena, &campaign, err) : no_memory(err);

    if (rc == 0)
        osw_campaign_dump(&campaign, &text);
    if (rc == 0 && !osw_text_str(&text))
        rc = no_memory(err);
    if (rc < 0)
        in_run(&t->sides[side], run, err);
    else
        rc = write_whole(path, osw_text_str(&text), err);
    osw_text_free(&text);
    osw_arena_destroy(arena);
    return rc;
}

/* A campaign file is one run's. */
static int emit(const struct turns *t, const char *path, struct osw_error *err)
{
    const struct side *s = &t->sides[NEW];
    size_t n = 0, run = 0;

    if (t->confirm.n == 0) {
        osw_log(OSW_LOG_WARNING, "'%s' is not written: no time looks changed",
                path);
        return 0;
    }
    for (size_t i = 0; i < s->n_runs; i++)
        if (count_open(t, NEW, i) > 0) {
            run = i;
            n++;
        }
    if (n > 1)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': what looks changed is of %zu of the runs that "
                        "were merged, and a campaign is of one: option "
                        "'--emit-campaign' needs their files one by one",
                        osw_file_info(s->file)->path, n);
    return write_campaign(t, NEW, run, path, err);
}

int osw_confirm_emit(struct osw_compare *c,
                     const struct osw_confirm_config *config, const char *path,
                     struct osw_error *err)
{
    struct turns t;
    int rc = open_turns(&t, c, config, 1, err);

    t.confirm.n_controls = 0;
    if (rc == 0)
        rc = emit(&t, path, err);
    close_turns(&t);
    return rc;
}

/* --- the code that the file records --- */

/* Are the op folders, as they are, what the file records?  `folder` (or NULL)
 * becomes the name of theirs, the caller's to free.
 */
static int check_folders(const struct turns *t, int side, size_t run,
                         char **folder, struct osw_error *err)
{
    osw_arena_t *arena = osw_arena_create();
    const struct osw_run_source *sources;
    struct osw_campaign campaign;
    struct osw_backend_ops backend_ops;
    struct osw_plan plan;
    size_t n;
    int rc =
        arena ? cut_down(t, side, run, arena, &campaign, err) : no_memory(err);

    if (rc == 0) {
        const char *root = osw_campaign_root(&campaign);

        if (folder)
            *folder = strdup(root);
        osw_expand_enable(&campaign);
        rc = osw_plan_load(arena, &campaign, &backend_ops, &plan, err) < 0 ||
                     osw_sources_load(arena, &plan, &sources, &n, err) < 0
                 ? -1
                 : osw_file_sources_check(t->sides[side].file, sources, n, root,
                                          err);
    }
    osw_arena_destroy(arena);
    return rc;
}

/* Look for the recorded code in the repository that the folder is in. */
static bool take_from_git(struct turns *t, int side, size_t run,
                          const char *folder)
{
    struct side *s = &t->sides[side];
    const char *revisions = osw_file_environment(s->file, "OPSWEEP_REVISION");
    char path[MAX_PATH];

    for (size_t nth = 0; revisions && nth < MAX_REVISIONS; nth++) {
        struct osw_error unused = OSW_ERROR_INIT;

        snprintf(path, sizeof(path), "%s/%s%zu.ops", t->folder, s->name,
                 run + 1);
        s->roots[run] = mkdir(path, 0700) == 0 ? strdup(path) : NULL;
        if (!s->roots[run])
            return false;
        if (osw_revision_extract(folder, revisions, nth, path) &&
            check_folders(t, side, run, NULL, &unused) == 0) {
            osw_log(OSW_LOG_INFO, "%s: op folders as recorded, from git (%s)",
                    s->name, revisions);
            return true;
        }
        osw_scratch_remove(path);
        free(s->roots[run]);
        s->roots[run] = NULL;
    }
    return false;
}

/* No campaign of a run is started before this has found its code. */
static int find_code(struct turns *t, int side, size_t run,
                     struct osw_error *err)
{
    struct side *s = &t->sides[side];
    struct osw_error why = OSW_ERROR_INIT;
    char *folder = NULL;
    int rc = check_folders(t, side, run, &folder, &why);

    if (rc < 0 && !s->root && folder && take_from_git(t, side, run, folder))
        rc = 0;
    free(folder);
    if (rc == 0)
        return 0;
    if (why.status == OSW_NO_MEMORY)
        return no_memory(err);
    if (strstr(why.text, "-root DIR"))
        (void)osw_fail(err, OSW_BAD_INPUT, "%s", why.text);
    else
        (void)osw_fail(err, OSW_BAD_INPUT,
                       "%s; --%s-root DIR names op folders as they were",
                       why.text, s->name);
    return in_run(s, run, err);
}

static int find_all_code(struct turns *t, struct osw_error *err)
{
    for (int side = 0; side < 2; side++)
        for (size_t run = 0; run < t->sides[side].n_runs; run++)
            if (count_open(t, side, run) > 0 &&
                find_code(t, side, run, err) < 0)
                return -1;
    return 0;
}

/* What a run of ours was made of when it began, too. */
static int check_ran(const struct side *s, const osw_file_t *ran,
                     struct osw_error *err)
{
    struct osw_run_source *list = NULL;
    size_t n = 0;
    int rc = osw_file_sources(ran, &list, &n, err);

    if (rc == 0)
        rc = osw_file_sources_check(s->file, list, n, osw_file_info(ran)->path,
                                    err);
    free(list);
    return rc;
}

/* --- running --- */

static void name_file(const struct turns *t, int side, size_t run,
                      const char *suffix, char path[MAX_PATH])
{
    snprintf(path, MAX_PATH, "%s/%s%zu.%s", t->folder, t->sides[side].name,
             run + 1, suffix);
}

/* All campaigns of a side for this round, before any of them runs. */
static int write_campaigns(const struct turns *t, int side,
                           struct osw_error *err)
{
    char path[MAX_PATH];

    for (size_t run = 0; run < t->sides[side].n_runs; run++) {
        if (count_open(t, side, run) == 0)
            continue;
        name_file(t, side, run, "json", path);
        if (write_campaign(t, side, run, path, err) < 0)
            return -1;
    }
    return 0;
}

static int take_turn(struct turns *t, int side, struct osw_error *err)
{
    struct side *s = &t->sides[side];
    char campaign[MAX_PATH], file[MAX_PATH], log[MAX_PATH];

    bool spare = t->confirm.n_taken >= t->confirm.n_rounds;

    osw_log(OSW_LOG_INFO, "confirming: round %u of %s%u, %s: %zu cell%s",
            t->confirm.n_taken + 1, spare ? "at most " : "",
            spare ? t->confirm.n_most : t->confirm.n_rounds, s->name,
            t->confirm.n_open, osw_plural(t->confirm.n_open));
    for (size_t run = 0; run < s->n_runs; run++) {
        if (count_open(t, side, run) == 0)
            continue;
        name_file(t, side, run, "json", campaign);
        name_file(t, side, run, "h5", file);
        name_file(t, side, run, "log", log);
        if (osw_subrun(campaign, file, log, t->n_stop, err) < 0)
            return in_run(s, run, err);
        s->files[run] = osw_file_open(file, err);
        if (!s->files[run] || check_ran(s, s->files[run], err) < 0)
            return -1;
    }
    return 0;
}

/* Close what a round made; what failed stays, for its logs. */
static void clean_up(struct turns *t, bool keep)
{
    static const char *const suffixes[] = {"json", "h5", "log"};
    char path[MAX_PATH];

    for (int side = 0; side < 2; side++)
        for (size_t run = 0; run < t->sides[side].n_runs; run++) {
            osw_file_close(t->sides[side].files[run]);
            t->sides[side].files[run] = NULL;
            for (size_t k = 0; k < 3 && !keep; k++) {
                name_file(t, side, run, suffixes[k], path);
                (void)unlink(path);
            }
        }
}

/* The files there are, at the front: how many. */
static size_t gather(const struct side *s, const osw_file_t **files)
{
    size_t n = 0;

    for (size_t run = 0; run < s->n_runs; run++)
        if (s->files[run])
            files[n++] = s->files[run];
    return n;
}

/* ABBA order: a drift of the machine affects both sides alike. */
static int take_round(struct turns *t, struct osw_error *err)
{
    int first = t->confirm.n_taken % 2 ? NEW : BASE;
    const osw_file_t **files =
        calloc(t->sides[BASE].n_runs + t->sides[NEW].n_runs, sizeof(*files));
    int rc = files ? 0 : no_memory(err);

    if (rc == 0)
        rc = write_campaigns(t, first, err);
    if (rc == 0)
        rc = write_campaigns(t, !first, err);
    if (rc == 0)
        rc = take_turn(t, first, err);
    if (rc == 0)
        rc = take_turn(t, !first, err);
    if (rc == 0) {
        size_t n = gather(&t->sides[BASE], files);
        size_t m = gather(&t->sides[NEW], files + n);

        rc =
            osw_compare_confirm_round(&t->confirm, files, n, files + n, m, err);
    }
    clean_up(t, rc < 0);
    free(files);
    return rc;
}

static int take_rounds(struct turns *t, struct osw_error *err)
{
    int rc;

    strcpy(t->folder, "/tmp/opsweep-confirm.XXXXXX");
    if (!mkdtemp(t->folder))
        return osw_fail_sys(err, errno, "cannot make a folder in /tmp");
    t->n_stop = osw_launch_count_stops();
    rc = find_all_code(t, err);
    while (rc == 0 && osw_compare_confirm_more(&t->confirm))
        rc = take_round(t, err);
    if (rc == 0)
        osw_compare_confirm_settle(&t->confirm);
    for (int side = 0; side < 2; side++)
        for (size_t run = 0; run < t->sides[side].n_runs; run++)
            if (t->sides[side].roots[run])
                osw_scratch_remove(t->sides[side].roots[run]);
    if (*t->n_stop)
        osw_paths_remove(t->folder);
    (void)rmdir(t->folder); /* unless something failed */
    return rc;
}

int osw_confirm_run(struct osw_compare *c,
                    const struct osw_confirm_config *config,
                    struct osw_error *err)
{
    struct turns t;
    int rc;

    rc = open_turns(&t, c, config, config->n, err);
    if (rc == 0 && t.confirm.n > 0)
        rc = take_rounds(&t, err);
    close_turns(&t);
    return rc;
}
