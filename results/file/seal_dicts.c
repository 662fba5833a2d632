/* results/file/seal_dicts.c - the dictionaries of a journal in its file */
#include "results/file/seal_dicts.h"

#include <stdlib.h>

#include "common/text.h"

enum { STRIP_TEXTS = 4096, STRIP_BYTES = 1 << 20 };

/* Texts of one dictionary on their way from the journal into the file. */
struct strip {
    int column;
    uint32_t first, n; /* texts that wait, from number `first` on */
    uint32_t at[STRIP_TEXTS];
    struct osw_text texts; /* each with its NUL */
};

struct copying {
    const osw_dicts_t *dicts;
    osw_store_t *store;
    struct strip *strips[OSW_DICT_COUNT]; /* NULL: those that are held */
};

static void flush(const struct copying *c, struct strip *s)
{
    const char *texts[STRIP_TEXTS];

    if (s->texts.failed) {
        osw_store_no_memory(c->store);
        return;
    }
    for (uint32_t i = 0; i < s->n; i++)
        texts[i] = s->texts.data + s->at[i];
    osw_store_texts_part(c->store, s->column, s->first, texts, s->n);
    s->first += s->n;
    s->n = 0;
    osw_text_reset(&s->texts);
}

static void put(const struct copying *c, struct strip *s, const char *text)
{
    s->at[s->n++] = (uint32_t)s->texts.used;
    osw_text_add(&s->texts, text);
    osw_text_add_n(&s->texts, "", 1);
    if (s->n == STRIP_TEXTS || s->texts.used >= STRIP_BYTES)
        flush(c, s);
}

/* The journal may have grown since it was loaded. */
static int take(void *arg, const struct osw_frame *frame,
                const struct osw_journal_place *place, struct osw_error *err)
{
    const struct copying *c = arg;
    struct osw_entry e;
    struct strip *s;
    int rc;

    (void)place;
    if (frame->type != OSW_ENTRY_DICT)
        return 0;
    rc = osw_entry_decode(frame, &e, NULL, err);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    s = c->strips[e.dict.dict];
    if (s && e.dict.id == s->first + s->n &&
        e.dict.id < osw_dicts_count(c->dicts, (enum osw_dict)e.dict.dict))
        put(c, s, e.dict.text);
    return 0;
}

/* Every dictionary's dataset, and the texts of those that are held. */
static void put_held(struct copying *c, bool from_journal)
{
    osw_store_group(c->store, "/dict");
    for (int k = 0; k < OSW_DICT_COUNT; k++) {
        enum osw_dict d = (enum osw_dict)k;
        uint32_t n = osw_dicts_count(c->dicts, d);
        int column = osw_store_texts_column(c->store, "/dict", osw_dict_name(d),
                                            NULL, n);

        if (!from_journal || !osw_dict_per_cell(d)) {
            osw_store_texts_part(c->store, column, 0,
                                 osw_dicts_texts(c->dicts, d), n);
            continue;
        }
        c->strips[d] = calloc(1, sizeof(*c->strips[d]));
        if (!c->strips[d]) {
            osw_store_no_memory(c->store);
            continue;
        }
        c->strips[d]->column = column;
        put(c, c->strips[d], osw_dicts_text(c->dicts, d, 0));
    }
}

static int put_rest(struct copying *c, const char *dir, struct osw_error *err)
{
    struct osw_journal_tail tail;

    if (osw_journal_scan(dir, take, c, &tail, err))
        return -1;
    for (int d = 0; d < OSW_DICT_COUNT; d++) {
        struct strip *s = c->strips[d];
        uint32_t n = osw_dicts_count(c->dicts, (enum osw_dict)d);

        if (s && s->first + s->n != n)
            return osw_fail(err, OSW_BAD_INPUT,
                            "'%s' has %u texts of /dict/%s, before it had %u",
                            dir, s->first + s->n,
                            osw_dict_name((enum osw_dict)d), n);
        if (s)
            flush(c, s);
    }
    return 0;
}

int osw_seal_dicts(const struct osw_replay *replay, bool from_journal,
                   osw_store_t *store, struct osw_error *err)
{
    struct copying c = {.dicts = replay->dicts, .store = store};
    int rc = 0;

    put_held(&c, from_journal);
    if (from_journal)
        rc = put_rest(&c, replay->dir, err);
    for (int d = 0; d < OSW_DICT_COUNT; d++) {
        if (c.strips[d])
            osw_text_free(&c.strips[d]->texts);
        free(c.strips[d]);
    }
    return rc;
}
