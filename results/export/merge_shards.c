/* results/export/merge_shards.c - do the files of a merge belong to one
 * campaign that was split, and which shards of it are missing? */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/export/merge_parts.h"

static const struct osw_file_info *info_of(const struct osw_merging *m,
                                           size_t i)
{
    return osw_file_info(m->inputs[i].file);
}

/* Two shards, in words that say what is wrong. */
static int compare_shards(const struct osw_file_info *a,
                          const struct osw_file_info *b, struct osw_error *err)
{
    if (a->shard.n != b->shard.n)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is of a campaign in %" PRIu32 " shards, '%s' in "
                        "%" PRIu32 ": expected shards of one split (--shard)",
                        a->path, a->shard.n, b->path, b->shard.n);
    if (a->seed != b->seed)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' was run with seed %" PRIu64 ", '%s' with %" PRIu64
                        ": expected shards of one campaign (--seed)",
                        a->path, a->seed, b->path, b->seed);
    if (strcmp(a->profile, b->profile) != 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' was run with profile %s, '%s' with %s: expected "
                        "shards of one campaign (--profile)",
                        a->path, a->profile, b->path, b->profile);
    if (a->shard.n_cells != b->shard.n_cells ||
        strcmp(a->shard.sha256, b->shard.sha256) != 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' and '%s' are shards of two campaigns, of %" PRIu64
                        " and %" PRIu64 " cells: expected the same op folders, "
                        "options, device and --history for all shards",
                        a->path, b->path, a->shard.n_cells, b->shard.n_cells);
    return 0;
}

int osw_merge_check_shards(struct osw_merging *m, struct osw_error *err)
{
    const struct osw_file_info *first = NULL;

    m->only_shards = true;
    for (size_t i = 0; i < m->n; i++) {
        const struct osw_file_info *info = info_of(m, i);

        if (info->shard.n == 0) {
            m->only_shards = false;
            continue;
        }
        if (first && compare_shards(first, info, err))
            return -1;
        if (!first)
            first = info;
    }
    m->shard = first ? &first->shard : NULL;
    return 0;
}

/* Which shards there are, by number. */
static bool *find_shards(const struct osw_merging *m)
{
    bool *there = calloc((size_t)m->shard->n + 1, sizeof(*there));

    for (size_t i = 0; there && i < m->n; i++)
        for (size_t k = 0; k < m->inputs[i].n_runs; k++) {
            const struct osw_file_run *r = &m->inputs[i].runs[k];

            if (r->n_shards == m->shard->n && r->shard <= m->shard->n)
                there[r->shard] = true;
        }
    return there;
}

int osw_merge_missing_shards(const struct osw_merging *m, uint32_t *n,
                             char *text, size_t size, struct osw_error *err)
{
    size_t used = 0;
    bool *there;

    *n = 0;
    text[0] = '\0';
    if (!m->shard)
        return 0;
    there = find_shards(m);
    if (!there)
        return osw_merge_no_memory(err);
    for (uint32_t s = 1; s <= m->shard->n; s++) {
        char word[16];
        int length =
            snprintf(word, sizeof(word), "%s%" PRIu32, *n ? ", " : "", s);

        if (there[s])
            continue;
        ++*n;
        if (used + (size_t)length + sizeof(", ...") <= size)
            used += (size_t)snprintf(text + used, size - used, "%s", word);
        else if (used && text[used - 1] != '.')
            used += (size_t)snprintf(text + used, size - used, ", ...");
    }
    free(there);
    return 0;
}
