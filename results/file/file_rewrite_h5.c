/* results/file/file_rewrite_h5.c - an open file whose texts become others */
#include <stdio.h>
#include <string.h>

#include "results/file/file_values_h5.h"

/* How texts are rewritten. */
struct rewriting {
    osw_file_t *file;
    osw_file_rewrite_f f;
    void *arg;
    struct osw_error *err;
};

static int rewrite_text(const struct rewriting *w, enum osw_file_words kind,
                        const char **text)
{
    const char *now = w->f(w->arg, kind, *text);

    if (now && now != *text)
        now = osw_arena_strdup(w->file->arena, now);
    if (!now)
        return osw_file_no_memory(w->file, w->err);
    *text = now;
    return 0;
}

static int rewrite_device(const struct rewriting *w,
                          struct osw_device_info *info)
{
    size_t n;
    const struct osw_device_column *c = osw_device_info_columns(&n);

    for (size_t i = 0; i < n; i++) {
        char *text = (char *)info + c[i].offset;
        bool words =
            strcmp(c[i].name, "notes") == 0 || strcmp(c[i].name, "health") == 0;
        const char *now = text;

        if (c[i].size)
            now = w->f(w->arg, words ? OSW_FILE_PROSE : OSW_FILE_NAME, text);
        if (!now)
            return osw_file_no_memory(w->file, w->err);
        if (now != text)
            snprintf(text, c[i].size, "%s", now);
    }
    return 0;
}

static int rewrite_dict(const struct rewriting *w, enum osw_dict d)
{
    enum osw_file_words kind = d == OSW_DICT_HOST ? OSW_FILE_HOST
                               : d == OSW_DICT_REASON || d == OSW_DICT_OUTPUT
                                   ? OSW_FILE_PROSE
                                   : OSW_FILE_NAME;
    struct osw_file_dict *dict = &w->file->dict[d];

    for (uint32_t k = 0; k < dict->n; k++)
        if (rewrite_text(w, kind, &dict->texts[k]))
            return -1;
    return 0;
}

int osw_file_rewrite(osw_file_t *f, osw_file_rewrite_f rewrite, void *arg,
                     struct osw_error *err)
{
    const struct rewriting w = {f, rewrite, arg, err};
    struct osw_file_info *i = &f->info;
    const struct {
        enum osw_file_words kind;
        const char **text;
    } texts[] = {
        {OSW_FILE_PATH, &i->path},
        {OSW_FILE_PATH, &i->campaign_path},
        {OSW_FILE_HOST, &i->hostname},
        {OSW_FILE_NAME, &i->run_uuid},
        {OSW_FILE_NAME, &i->tool_version},
        {OSW_FILE_NAME, &i->profile},
        {OSW_FILE_PROSE, &i->command_line},
        {OSW_FILE_PROSE, &i->campaign_json},
        {OSW_FILE_PROSE, &i->campaign_resolved},
    };

    f->rewritten = true;
    for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
        if (rewrite_text(&w, texts[k].kind, texts[k].text))
            return -1;
    for (size_t k = 0; k < f->n_devices; k++)
        if (rewrite_device(&w, &f->devices[k].info))
            return -1;
    for (int d = 0; d < OSW_DICT_COUNT; d++)
        if (!osw_dict_fixed((enum osw_dict)d) &&
            rewrite_dict(&w, (enum osw_dict)d))
            return -1;
    return 0;
}
