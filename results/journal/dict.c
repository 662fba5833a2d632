/* results/journal/dict.c - texts that repeat, as numbers */
#include "results/journal/dict.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/arena.h"
#include "common/text.h"
#include "common/utf8.h"
#include "ops/record/record.h"
#include "ops/record/state.h"
#include "results/journal/digest.h"

/* One dictionary: digests by id, and a hash table of ids (0: empty slot, since
 * entry 0 is found without it).
 */
struct dict {
    const char **texts; /* [size]; of a lean one, entry 0 alone */
    struct osw_digest *digests;
    uint32_t count, size;
    uint32_t *slots;
    uint32_t n_slots; /* a power of 2, at least 4/3 count */
    bool lean;
    struct osw_text last; /* of a lean one: the text of its newest entry */
    uint32_t last_id;     /* and its number; 0: not known */
};

struct osw_dicts {
    osw_arena_t *arena;
    uint8_t key[OSW_DIGEST_KEY_BYTES];
    struct dict dict[OSW_DICT_COUNT];
};

static const char *const names[] = {
#define X(number, NAME, name) [number] = name,
    OSW_DICT_MAP(X)
#undef X
};

/* The i-th name of a fixed dictionary by number; "?" after the last. */
static const char *status_at(int i)
{
    enum { NODE = 28 }; /* a state that no cell ended in; files name it */

    if (i == NODE)
        return "node";
    return i == 0 ? "" : osw_state_name((enum osw_state)i);
}

static const char *phase_at(int i)
{
    return osw_phase_name((enum osw_phase)i);
}

static const char *check_at(int i)
{
    return osw_check_name((enum osw_check)i);
}

static const char *stop_at(int i)
{
    return osw_stop_name((enum osw_stop)i);
}

static const char *timer_at(int i)
{
    return osw_timer_name((enum osw_timer)i);
}

static const char *redop_at(int i)
{
    return osw_redop_name((enum osw_redop)i);
}

static const char *(*const fixed[OSW_DICT_COUNT])(int i) = {
    [OSW_DICT_STATUS] = status_at, [OSW_DICT_PHASE] = phase_at,
    [OSW_DICT_CHECK] = check_at,   [OSW_DICT_STOP] = stop_at,
    [OSW_DICT_TIMER] = timer_at,   [OSW_DICT_REDOP] = redop_at,
};

const char *osw_dict_name(enum osw_dict dict)
{
    return (size_t)dict < OSW_DICT_COUNT ? names[dict] : "?";
}

bool osw_dict_fixed(enum osw_dict dict)
{
    return (size_t)dict < OSW_DICT_COUNT && fixed[dict];
}

static bool is_ascii(const char *s, size_t n)
{
    unsigned char all = 0;

    for (size_t i = 0; i < n; i++)
        all |= (unsigned char)s[i];
    return all < 0x80;
}

static void clean(char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t len = osw_utf8_length(s + i, n - i);

        if (len == 0)
            s[i] = '?';
        i += len ? len : 1;
    }
}

static bool same(const struct osw_digest *a, const struct osw_digest *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* The slot that holds the text, or the empty one where it belongs. */
static uint32_t find_slot(const struct dict *d, const struct osw_digest *digest)
{
    uint32_t mask = d->n_slots - 1;
    uint32_t i = digest->words[0] & mask;

    while (d->slots[i] && !same(&d->digests[d->slots[i]], digest))
        i = (i + 1) & mask;
    return i;
}

static int grow_slots(struct dict *d, uint32_t n_slots)
{
    uint32_t *slots = calloc(n_slots, sizeof(*slots));

    if (!slots)
        return -1;
    free(d->slots);
    d->slots = slots;
    d->n_slots = n_slots;
    for (uint32_t id = 1; id < d->count; id++)
        slots[find_slot(d, &d->digests[id])] = id;
    return 0;
}

/* Room for one entry more.  Arrays of this size grow without being copied, and
 * take memory where they are used.
 */
static int reserve(struct dict *d)
{
    uint32_t size = d->size ? 2 * d->size : 16;
    struct osw_digest *digests;
    const char **texts;

    if (d->count + d->count / 3 >= d->n_slots &&
        grow_slots(d, d->n_slots ? 2 * d->n_slots : 32))
        return -1;
    if (d->count < d->size)
        return 0;
    digests = realloc(d->digests, size * sizeof(*digests));
    if (!digests)
        return -1;
    d->digests = digests;
    texts = realloc(d->texts, (d->lean ? 1 : size) * sizeof(*texts));
    if (!texts)
        return -1;
    d->texts = texts;
    d->size = size;
    return 0;
}

/* Keep the text of the entry that is about to be made. */
static int keep_text(osw_dicts_t *dicts, struct dict *d, const char *s,
                     size_t n)
{
    if (d->lean && d->count > 0) {
        osw_text_reset(&d->last);
        osw_text_add_n(&d->last, s, n);
        d->last_id = d->last.failed ? 0 : d->count;
        return d->last.failed ? -1 : 0;
    }
    d->texts[d->count] = osw_arena_strndup(dicts->arena, s, n);
    return d->texts[d->count] ? 0 : -1;
}

static int add(osw_dicts_t *dicts, struct dict *d, const char *s, size_t n)
{
    struct osw_digest digest = osw_digest_of(dicts->key, s, n);

    if (reserve(d) || keep_text(dicts, d, s, n))
        return -1;
    d->digests[d->count] = digest;
    if (d->count)
        d->slots[find_slot(d, &digest)] = d->count;
    d->count++;
    return 0;
}

bool osw_dict_per_cell(enum osw_dict dict)
{
    return dict == OSW_DICT_CASE || dict == OSW_DICT_REASON;
}

static osw_dicts_t *create(bool lean)
{
    osw_dicts_t *dicts = calloc(1, sizeof(*dicts));
    bool ok = dicts && (dicts->arena = osw_arena_create()) &&
              getrandom(dicts->key, sizeof(dicts->key), 0) ==
                  (ssize_t)sizeof(dicts->key);

    for (int k = 0; ok && k < OSW_DICT_COUNT; k++) {
        struct dict *d = &dicts->dict[k];
        const char *s = fixed[k] ? fixed[k](0) : "";

        d->lean = lean && osw_dict_per_cell((enum osw_dict)k);
        for (int i = 1; ok && strcmp(s, "?") != 0; i++) {
            ok = add(dicts, d, s, strlen(s)) == 0;
            s = fixed[k] ? fixed[k](i) : "?";
        }
    }
    if (ok)
        return dicts;
    osw_dicts_destroy(dicts);
    return NULL;
}

osw_dicts_t *osw_dicts_create(void)
{
    return create(false);
}

osw_dicts_t *osw_dicts_create_lean(void)
{
    return create(true);
}

void osw_dicts_destroy(osw_dicts_t *dicts)
{
    if (!dicts)
        return;
    for (int k = 0; k < OSW_DICT_COUNT; k++) {
        free(dicts->dict[k].texts);
        free(dicts->dict[k].digests);
        free(dicts->dict[k].slots);
        osw_text_free(&dicts->dict[k].last);
    }
    osw_arena_destroy(dicts->arena);
    free(dicts);
}

/* `s` is valid UTF-8 already. */
static int intern(osw_dicts_t *dicts, enum osw_dict dict, const char *s,
                  size_t n, uint32_t *id, bool *is_new, struct osw_error *err)
{
    struct dict *d = &dicts->dict[dict];
    bool first = n == strlen(d->texts[0]) && n && !memcmp(d->texts[0], s, n);
    struct osw_digest digest;
    uint32_t found = 0;

    if (n && !first) {
        digest = osw_digest_of(dicts->key, s, n);
        found = d->slots[find_slot(d, &digest)];
    }

    if (found || n == 0 || first) {
        *id = found;
        *is_new = false;
        return 0;
    }
    if (fixed[dict])
        return osw_fail(err, OSW_BAD_INPUT, "unknown %s '%.100s'", names[dict],
                        s);
    if (d->count >= OSW_DICT_MAX_ENTRIES)
        return osw_fail(err, OSW_BAD_INPUT, "more than %d entries in /dict/%s",
                        OSW_DICT_MAX_ENTRIES, names[dict]);
    if (add(dicts, d, s, n))
        return osw_fail(err, OSW_NO_MEMORY, "no memory for /dict/%s",
                        names[dict]);
    *id = d->count - 1;
    *is_new = true;
    return 0;
}

int osw_dicts_intern(osw_dicts_t *dicts, enum osw_dict dict, const char *text,
                     uint32_t *id, bool *is_new, struct osw_error *err)
{
    size_t n = text ? strnlen(text, OSW_DICT_MAX_TEXT) : 0;
    char *copy;
    int rc;

    if (n == 0 || is_ascii(text, n))
        return intern(dicts, dict, text, n, id, is_new, err);
    copy = malloc(n + 1);
    if (!copy)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for /dict/%s",
                        names[dict]);
    memcpy(copy, text, n);
    copy[n] = '\0';
    clean(copy, n);
    rc = intern(dicts, dict, copy, n, id, is_new, err);
    free(copy);
    return rc;
}

/* Nothing was put after the last entry, so its slot can become empty. */
void osw_dicts_forget(osw_dicts_t *dicts, enum osw_dict dict)
{
    struct dict *d = &dicts->dict[dict];

    assert(d->count > 1);
    d->slots[find_slot(d, &d->digests[d->count - 1])] = 0;
    d->count--;
    d->last_id = 0;
}

uint32_t osw_dicts_count(const osw_dicts_t *dicts, enum osw_dict dict)
{
    return dicts->dict[dict].count;
}

const char *osw_dicts_text(const osw_dicts_t *dicts, enum osw_dict dict,
                           uint32_t id)
{
    const struct dict *d = &dicts->dict[dict];

    if (id >= d->count)
        return NULL;
    if (!d->lean || id == 0)
        return d->texts[id];
    return id == d->last_id ? osw_text_str(&d->last) : NULL;
}

const char *const *osw_dicts_texts(const osw_dicts_t *dicts, enum osw_dict dict)
{
    return dicts->dict[dict].lean ? NULL : dicts->dict[dict].texts;
}

bool osw_dicts_is(const osw_dicts_t *dicts, enum osw_dict dict, uint32_t id,
                  const char *text)
{
    const struct dict *d = &dicts->dict[dict];
    struct osw_digest digest = osw_digest_of(dicts->key, text, strlen(text));

    return id < d->count && same(&d->digests[id], &digest);
}
