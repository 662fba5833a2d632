/* mpi_runner/confirm.c - runs of two campaigns in turns */
#include "mpi_runner/confirm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/log.h"
#include "common/text.h"
#include "mpi_runner/campaign.h"
#include "mpi_runner/subrun.h"

enum { MAX_ROUNDS = 100, MAX_PATH = 4096 };

static bool is_suspicion(const struct osw_compare_pair *p)
{
    return p->kind == OSW_COMPARE_SLOWER || p->kind == OSW_COMPARE_FASTER;
}

/* Names of all suspicions, once each, with commas between them; NULL: none. */
static const char *names_of(osw_arena_t *arena, const struct osw_compare *c,
                            enum osw_dict dict)
{
    const struct osw_compare_side *s = &c->now;
    const uint32_t *ids = dict == OSW_DICT_OP ? s->op : s->impl;
    uint32_t n = osw_file_dict_count(s->file, dict);
    bool *seen = osw_arena_array(arena, n + 1, sizeof(*seen));
    const char *names = NULL;

    for (size_t i = 0; seen && i < c->n; i++) {
        uint32_t id = is_suspicion(&c->pairs[i]) ? ids[c->pairs[i].now] : n;

        if (id >= n || seen[id])
            continue;
        seen[id] = true;
        names = osw_arena_printf(arena, "%s%s%s", names ? names : "",
                                 names ? "," : "",
                                 osw_file_text(s->file, dict, id));
    }
    return names;
}

/* The file's campaign for these alone, as JSON. */
static int cut_down(osw_arena_t *arena, const struct osw_compare *c,
                    const osw_file_t *file, const char *root,
                    struct osw_text *out, struct osw_error *err)
{
    const struct osw_file_info *info = osw_file_info(file);
    const char *text = info->campaign_resolved;
    struct osw_campaign_opts opts = OSW_CAMPAIGN_DEFAULTS;
    struct osw_campaign campaign;

    if (osw_campaign_read(arena, "/campaign/resolved", text, strlen(text), NULL,
                          &opts, err) < 0)
        return osw_error_in(err, "'%s'", info->path);
    opts.ops = names_of(arena, c, OSW_DICT_OP);
    opts.impls = names_of(arena, c, OSW_DICT_IMPL);
    if (!opts.ops || !opts.impls)
        return osw_fail(err, OSW_NOTHING, "no time looks changed");
    if (root && opts.custom_ops_root && *opts.custom_ops_root)
        opts.custom_ops_root = root;
    else if (root || (opts.library && access(opts.library, R_OK) < 0))
        opts.library = root; /* NULL: the one that is here */
    opts.output = NULL;
    if (osw_campaign_make(arena, &opts, NULL, 0, &campaign, err) < 0)
        return osw_error_in(err, "'%s'", info->path);
    osw_campaign_dump(&campaign, out);
    return osw_text_str(out) ? 0
                             : osw_fail(err, OSW_NO_MEMORY,
                                        "no memory for "
                                        "a campaign");
}

static int emit(const struct osw_compare *c, const osw_file_t *file,
                const char *root, const char *path, struct osw_error *err)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_text text = OSW_TEXT_INIT;
    int rc = arena ? cut_down(arena, c, file, root, &text, err)
                   : osw_fail(err, OSW_NO_MEMORY, "no memory for a campaign");

    if (rc == 0)
        rc = osw_subrun_write(path, osw_text_str(&text), err);
    osw_text_free(&text);
    osw_arena_destroy(arena);
    return rc;
}

int osw_confirm_emit(const struct osw_compare *c,
                     const struct osw_confirm_config *config, const char *path,
                     struct osw_error *err)
{
    return emit(c, c->now.file, config->new_root, path, err);
}

/* --- running --- */

struct turns {
    char folder[64];
    osw_file_t *files[2][MAX_ROUNDS]; /* base, new */
};

static void name_file(const struct turns *t, int side, const char *suffix,
                      unsigned round, char path[MAX_PATH])
{
    snprintf(path, MAX_PATH, "%s/%s%u.%s", t->folder, side ? "new" : "base",
             round, suffix);
}

static int take_turn(struct turns *t, int side, unsigned round,
                     struct osw_error *err)
{
    char campaign[MAX_PATH], file[MAX_PATH], log[MAX_PATH];

    name_file(t, side, "json", 0, campaign);
    name_file(t, side, "h5", round, file);
    name_file(t, side, "log", round, log);
    if (osw_subrun(campaign, file, log, err) < 0)
        return -1;
    t->files[side][round] = osw_file_open(file, err);
    return t->files[side][round] ? 0 : -1;
}

static int take_turns(struct osw_compare *c,
                      const struct osw_confirm_config *config, struct turns *t,
                      struct osw_error *err)
{
    char path[2][MAX_PATH];

    name_file(t, 0, "json", 0, path[0]);
    name_file(t, 1, "json", 0, path[1]);
    if (emit(c, c->base.file, config->base_root, path[0], err) < 0 ||
        emit(c, c->now.file, config->new_root, path[1], err) < 0)
        return -1;
    for (unsigned i = 0; i < config->n; i++)
        for (int side = 0; side < 2; side++) {
            osw_log(OSW_LOG_INFO, "confirming: run %u of %u, %s",
                    2 * i + (unsigned)side + 1, 2 * config->n,
                    side ? "new" : "base");
            if (take_turn(t, side, i, err) < 0)
                return -1;
        }
    return osw_compare_confirm(c, (const osw_file_t *const *)t->files[0],
                               (const osw_file_t *const *)t->files[1],
                               config->n, err);
}

/* A folder in which something failed stays, for its logs. */
static void clean_up(struct turns *t, unsigned n, bool keep)
{
    static const char *const suffixes[] = {"json", "h5", "log"};
    char path[MAX_PATH];

    for (int side = 0; side < 2; side++)
        for (unsigned i = 0; i < n; i++) {
            osw_file_close(t->files[side][i]);
            for (size_t k = 0; k < 3 && !keep; k++) {
                name_file(t, side, suffixes[k], i, path);
                (void)unlink(path);
            }
        }
    if (!keep)
        (void)rmdir(t->folder);
}

int osw_confirm_run(struct osw_compare *c,
                    const struct osw_confirm_config *config,
                    struct osw_error *err)
{
    struct turns t = {.folder = "/tmp/opsweep-confirm.XXXXXX"};
    int rc;

    if (config->n > MAX_ROUNDS)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--confirm': expected at most %d runs",
                        MAX_ROUNDS);
    if (c->n_kind[OSW_COMPARE_SLOWER] + c->n_kind[OSW_COMPARE_FASTER] == 0)
        return 0;
    if (!mkdtemp(t.folder))
        return osw_fail_sys(err, errno, "cannot make a folder in /tmp");
    rc = take_turns(c, config, &t, err);
    clean_up(&t, config->n, rc < 0);
    return rc;
}
