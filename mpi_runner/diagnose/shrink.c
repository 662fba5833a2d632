/* mpi_runner/diagnose/shrink.c - the smallest case that still fails in the same
 * way */
#include "mpi_runner/diagnose/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "ops/notation/tensor.h"

enum { MAX_PAIRED = 6 }; /* equal sizes of which pairs are tried */

/* A number of the case that may change: all of them in the order in which a
 * walk over the start meets them.
 */
enum slot_kind {
    SLOT_DIM,    /* of a tensor */
    SLOT_LISTED, /* in a list of integers: a shape, most often */
    SLOT_NUMBER, /* by itself: a size, or something else altogether */
};

struct slot {
    enum slot_kind kind;
    int64_t size;         /* in the start */
    uint32_t place, back; /* in its shape or list, from 0 and from the end */
};

/* How a tensor that came with strides lies. */
enum layout {
    LAYOUT_KEPT,  /* strides as they came: sizes only shrink */
    LAYOUT_DENSE, /* dimensions in the same order, without gaps */
    LAYOUT_ROWS,  /* row-major */
};

/* What is known of a point of the search. */
struct tried {
    uint64_t hash;
    enum osw_shrink_answer answer;
};

struct search {
    const struct osw_shrink_job *job;
    size_t n, n_tensors;
    const struct slot *slots; /* [n] */
    /* Points: sizes [n], then layouts and offsets [n_tensors]. */
    int64_t *now; /* the smallest that fails */
    int64_t *next;
    struct tried *tried; /* [n_tried] of max_trials */
    uint32_t n_tried;
    struct osw_case smallest;
    bool smaller; /* than the start */
    bool stopped;
    struct osw_error *err;
};

static bool has_items(const struct osw_value *v)
{
    return v->kind == OSW_VALUE_LIST || v->kind == OSW_VALUE_TUPLE ||
           v->kind == OSW_VALUE_DICT;
}

/* --- a case to its slots --- */

/* slots NULL: only count. */
struct collection {
    struct slot *slots;
    size_t n, n_tensors;
};

static void add_slot(struct collection *c, enum slot_kind kind, int64_t size,
                     uint32_t place, uint32_t length)
{
    if (c->slots)
        c->slots[c->n] = (struct slot){kind, size, place, length - place};
    c->n++;
}

static void collect(struct collection *c, const struct osw_value *v)
{
    if (v->kind == OSW_VALUE_INT)
        add_slot(c, SLOT_NUMBER, v->u.i, 0, 0);
    if (v->kind == OSW_VALUE_TENSOR) {
        const struct osw_tensor_desc *t = v->u.tensor;

        for (int32_t d = 0; d < t->ndim; d++)
            add_slot(c, SLOT_DIM, t->shape[d], (uint32_t)d, (uint32_t)t->ndim);
        c->n_tensors++;
    }
    for (uint32_t i = 0; has_items(v) && i < v->n; i++) {
        const struct osw_value *item = &v->u.items[i];

        if (v->kind == OSW_VALUE_LIST && item->kind == OSW_VALUE_INT)
            add_slot(c, SLOT_LISTED, item->u.i, i, v->n);
        else
            collect(c, item);
    }
}

/* --- a point to its case --- */

struct builder {
    osw_arena_t *memory;
    const int64_t *sizes, *layouts, *offsets; /* the next ones */
};

/* Strides without gaps, in the order of the old ones; those of 0 are kept. */
static void dense_strides(const struct osw_tensor_desc *old,
                          const int64_t *shape, int64_t *strides)
{
    int64_t step = 1;
    bool done[OSW_MAX_NDIM] = {false};

    for (int32_t k = 0; k < old->ndim; k++) {
        int32_t best = -1;

        for (int32_t d = old->ndim - 1; d >= 0; d--)
            if (!done[d] && (best < 0 || old->strides[d] < old->strides[best]))
                best = d;
        done[best] = true;
        strides[best] = old->strides[best] ? step : 0;
        if (old->strides[best] && shape[best] > 1)
            step *= shape[best];
    }
}

static const struct osw_tensor_desc *
build_tensor(struct builder *b, const struct osw_tensor_desc *old)
{
    struct osw_tensor_desc *made = osw_arena_alloc(b->memory, sizeof(*made));
    size_t n = (size_t)old->ndim;
    int64_t *dims = osw_arena_array(b->memory, 2 * n, sizeof(*dims));
    enum layout layout = (enum layout) * b->layouts++;

    if (!made || !dims)
        return NULL;
    memcpy(dims, b->sizes, n * sizeof(*dims));
    b->sizes += n;
    *made = (struct osw_tensor_desc){.dtype = old->dtype,
                                     .ndim = old->ndim,
                                     .shape = dims,
                                     .strides = dims + n,
                                     .offset = *b->offsets++};
    made->strided = old->strided && layout != LAYOUT_ROWS;
    if (!made->strided)
        return osw_tensor_contiguous(old->ndim, dims, dims + n) < 0 ? NULL
                                                                    : made;
    memcpy(dims + n, old->strides, n * sizeof(*dims));
    if (layout == LAYOUT_DENSE)
        dense_strides(old, dims, dims + n);
    return made;
}

static int build(struct builder *b, const struct osw_value *v,
                 struct osw_value *out)
{
    struct osw_value *items;

    *out = *v;
    if (v->kind == OSW_VALUE_INT)
        out->u.i = *b->sizes++;
    if (v->kind == OSW_VALUE_TENSOR) {
        out->u.tensor = build_tensor(b, v->u.tensor);
        return out->u.tensor ? 0 : -1;
    }
    if (!has_items(v))
        return 0;
    items = osw_arena_array(b->memory, v->n, sizeof(*items));
    if (!items)
        return -1;
    for (uint32_t i = 0; i < v->n; i++)
        if (build(b, &v->u.items[i], &items[i]) < 0)
            return -1;
    out->u.items = items;
    return 0;
}

/* --- one trial --- */

static size_t point_size(const struct search *s)
{
    return s->n + 2 * s->n_tensors;
}

static uint64_t hash_point(const struct search *s, const int64_t *point)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < point_size(s); i++)
        hash = (hash ^ (uint64_t)point[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static enum osw_shrink_answer stop(struct search *s)
{
    s->stopped = true;
    return OSW_SHRINK_STOP;
}

static enum osw_shrink_answer ask(struct search *s, uint64_t hash)
{
    struct builder b = {s->job->memory, s->next, s->next + s->n,
                        s->next + s->n + s->n_tensors};
    enum osw_shrink_answer answer = OSW_SHRINK_STOP;
    struct osw_case made;

    if (build(&b, &s->job->start->args, &made.args) < 0 ||
        build(&b, &s->job->start->kwargs, &made.kwargs) < 0) {
        osw_fail(s->err, OSW_NO_MEMORY, "no memory for a smaller case");
        return stop(s);
    }
    if (s->job->ask(s->job->arg, &made, &answer, s->err) < 0 ||
        answer == OSW_SHRINK_STOP)
        return stop(s);
    s->tried[s->n_tried++] = (struct tried){hash, answer};
    if (answer == OSW_SHRINK_SAME) {
        memcpy(s->now, s->next, point_size(s) * sizeof(*s->now));
        s->smallest = made;
        s->smaller = true;
    }
    return answer;
}

/* Try the point s->next; when it fails in the same way, it is the new s->now.
 */
static enum osw_shrink_answer try_next(struct search *s)
{
    uint64_t hash = hash_point(s, s->next);

    if (s->stopped)
        return OSW_SHRINK_STOP;
    if (memcmp(s->now, s->next, point_size(s) * sizeof(*s->now)) == 0)
        return OSW_SHRINK_SAME;
    for (uint32_t i = 0; i < s->n_tried; i++)
        if (s->tried[i].hash == hash)
            return s->tried[i].answer;
    return s->n_tried < s->job->max_trials ? ask(s, hash) : stop(s);
}

static void start_next(struct search *s)
{
    memcpy(s->next, s->now, point_size(s) * sizeof(*s->now));
}

/* --- groups of slots --- */

/* Slots that change together.  Those of `size` take the new one; with
 * `scaled` so do its multiples, in proportion.
 */
struct group {
    int64_t size;
    bool scaled;
    bool (*in)(const struct search *s, const struct group *g, size_t i);
    size_t a, b; /* for `in` */
};

static bool in_all(const struct search *s, const struct group *g, size_t i)
{
    (void)s, (void)g, (void)i;
    return true;
}

static bool in_shapes(const struct search *s, const struct group *g, size_t i)
{
    (void)g;
    return s->slots[i].kind != SLOT_NUMBER;
}

static bool in_tensors(const struct search *s, const struct group *g, size_t i)
{
    (void)g;
    return s->slots[i].kind == SLOT_DIM;
}

static bool in_back(const struct search *s, const struct group *g, size_t i)
{
    return in_shapes(s, g, i) && s->slots[i].back == s->slots[g->a].back;
}

static bool in_place(const struct search *s, const struct group *g, size_t i)
{
    return in_shapes(s, g, i) && s->slots[i].place == s->slots[g->a].place;
}

static bool in_pair(const struct search *s, const struct group *g, size_t i)
{
    (void)s;
    return i == g->a || i == g->b;
}

static enum osw_shrink_answer try_size(struct search *s, const struct group *g,
                                       const int64_t *from, int64_t size)
{
    start_next(s);
    for (size_t i = 0; i < s->n; i++) {
        bool hit = g->scaled ? from[i] > 0 && from[i] % g->size == 0
                             : from[i] == g->size;

        if (hit && g->in(s, g, i))
            s->next[i] = from[i] / g->size * size;
    }
    return try_next(s);
}

/* Find the smallest size of the group by halving: where it fails at all sizes
 * from some on, that is the smallest there is.  Did it get smaller?
 */
static bool reduce(struct search *s, const struct group *g)
{
    int64_t *from = malloc((s->n + 1) * sizeof(*from));
    int64_t low = 0, high = g->size;
    bool fits = false;
    int n_asked = 0;

    if (!from) {
        osw_fail(s->err, OSW_NO_MEMORY, "no memory for a smaller case");
        (void)stop(s);
        return false;
    }
    memcpy(from, s->now, s->n * sizeof(*from));
    for (int64_t size = 1; high - low > 1 && !s->stopped;
         size = low + (high - low) / 2) {
        enum osw_shrink_answer answer = try_size(s, g, from, size);

        if (answer == OSW_SHRINK_SAME)
            high = size;
        else
            low = size;
        fits = fits || answer != OSW_SHRINK_UNFIT;
        if (++n_asked == 2 && !fits)
            break; /* neither 1 nor the half: these do not go together */
    }
    free(from);
    return high < g->size;
}

static void reduce_together(struct search *s, int64_t size)
{
    const struct group groups[] = {
        {.size = size, .in = in_all},
        {.size = size, .in = in_shapes},
        {.size = size, .in = in_tensors},
        {.size = size, .in = in_shapes, .scaled = true},
    };

    for (size_t k = 0; k < sizeof(groups) / sizeof(groups[0]); k++)
        if (reduce(s, &groups[k]))
            return;
}

static bool is_dim(const struct search *s, size_t i, int64_t size)
{
    return s->slots[i].kind == SLOT_DIM && s->now[i] == size;
}

static void reduce_pairs(struct search *s, int64_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += is_dim(s, i, size);
    for (size_t i = 0; n <= MAX_PAIRED && i < s->n; i++)
        for (size_t k = i + 1; k < s->n; k++)
            if (is_dim(s, i, size) && is_dim(s, k, size))
                (void)reduce(s,
                             &(struct group){
                                 .size = size, .in = in_pair, .a = i, .b = k});
}

static void reduce_apart(struct search *s, int64_t size)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct group groups[] = {
            {.size = size, .in = in_back, .a = i},
            {.size = size, .in = in_place, .a = i},
            {.size = size, .in = in_pair, .a = i, .b = i},
        };

        for (size_t k = 0; k < 3 && is_dim(s, i, size); k++)
            (void)reduce(s, &groups[k]);
    }
    reduce_pairs(s, size);
}

/* --- layouts --- */

/* Give the tensors of [first, end) a layout, if that still fails. */
static bool set_layout(struct search *s, size_t first, size_t end,
                       enum layout layout)
{
    start_next(s);
    for (size_t i = first; i < end; i++)
        if (s->next[s->n + i] < (int64_t)layout)
            s->next[s->n + i] = layout;
    return try_next(s) == OSW_SHRINK_SAME;
}

static void simplify_layouts(struct search *s)
{
    if (set_layout(s, 0, s->n_tensors, LAYOUT_ROWS))
        return;
    for (size_t i = 0; i < s->n_tensors; i++)
        if (!set_layout(s, i, i + 1, LAYOUT_ROWS))
            (void)set_layout(s, i, i + 1, LAYOUT_DENSE);
}

/* None, or else a single element. */
static void simplify_offsets(struct search *s)
{
    for (size_t i = s->n + s->n_tensors; i < point_size(s); i++)
        for (int64_t offset = 0; offset < 2 && offset < s->now[i]; offset++) {
            start_next(s);
            s->next[i] = offset;
            (void)try_next(s);
        }
}

/* --- the search --- */

/* The largest size above 1 of a dimension, below `below`; 0: none. */
static int64_t next_size(const struct search *s, int64_t below)
{
    int64_t size = 0;

    for (size_t i = 0; i < s->n; i++)
        if (s->slots[i].kind == SLOT_DIM && s->now[i] > 1 &&
            s->now[i] < below && s->now[i] > size)
            size = s->now[i];
    return size;
}

static void sweep(struct search *s)
{
    uint64_t before;

    do {
        before = hash_point(s, s->now);
        simplify_layouts(s);
        simplify_offsets(s);
        for (int64_t size = next_size(s, INT64_MAX); size && !s->stopped;
             size = next_size(s, size)) {
            reduce_together(s, size);
            reduce_apart(s, size);
        }
    } while (!s->stopped && hash_point(s, s->now) != before);
}

/* Where no tensor came with strides, all of them are row-major already. */
static void mark_rows(const struct osw_value *v, int64_t **layout,
                      int64_t **offset)
{
    if (v->kind == OSW_VALUE_TENSOR) {
        *(*layout)++ = v->u.tensor->strided ? LAYOUT_KEPT : LAYOUT_ROWS;
        *(*offset)++ = v->u.tensor->offset;
    }
    for (uint32_t i = 0; has_items(v) && i < v->n; i++)
        mark_rows(&v->u.items[i], layout, offset);
}

static int prepare(struct search *s)
{
    const struct osw_shrink_job *job = s->job;
    struct collection c = {.slots = NULL};
    int64_t *layout, *offset;

    collect(&c, &job->start->args);
    collect(&c, &job->start->kwargs);
    s->n = c.n;
    s->n_tensors = c.n_tensors;
    c.slots = osw_arena_array(job->memory, c.n + 1, sizeof(*c.slots));
    s->now = osw_arena_array(job->memory, 2 * (c.n + 2 * c.n_tensors) + 1,
                             sizeof(*s->now));
    s->tried = osw_arena_array(job->memory, job->max_trials, sizeof(*s->tried));
    if (!c.slots || !s->now || !s->tried)
        return osw_fail(s->err, OSW_NO_MEMORY, "no memory for the sizes");
    c.n = c.n_tensors = 0;
    collect(&c, &job->start->args);
    collect(&c, &job->start->kwargs);
    s->slots = c.slots;
    s->next = s->now + point_size(s);
    for (size_t i = 0; i < s->n; i++)
        s->now[i] = s->slots[i].size;
    layout = s->now + s->n;
    offset = layout + s->n_tensors;
    mark_rows(&job->start->args, &layout, &offset);
    mark_rows(&job->start->kwargs, &layout, &offset);
    return 0;
}

int osw_shrink(const struct osw_shrink_job *job, struct osw_shrink_result *out,
               struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    struct search s = {.job = job, .smallest = *job->start, .err = &why};

    if (prepare(&s) == 0)
        sweep(&s);
    if (why.status != OSW_OK)
        return osw_fail(err, why.status, "%s", why.text);
    *out = (struct osw_shrink_result){
        .smallest = s.smallest,
        .n_trials = s.n_tried,
        .finished = !s.stopped,
        .smaller = s.smaller,
    };
    return 0;
}

/* --- what became of a size --- */

static int64_t smallest_of(const struct osw_value *a, const struct osw_value *b,
                           int64_t size, int64_t best)
{
    if (a->kind == OSW_VALUE_TENSOR)
        for (int32_t d = 0; d < a->u.tensor->ndim; d++)
            if (a->u.tensor->shape[d] == size && b->u.tensor->shape[d] < best)
                best = b->u.tensor->shape[d];
    for (uint32_t i = 0; has_items(a) && i < a->n; i++)
        best = smallest_of(&a->u.items[i], &b->u.items[i], size, best);
    return best;
}

int64_t osw_shrink_size(const struct osw_case *start, const struct osw_case *to,
                        int64_t size)
{
    int64_t best = smallest_of(&start->args, &to->args, size, INT64_MAX);

    best = smallest_of(&start->kwargs, &to->kwargs, size, best);
    return best == INT64_MAX ? size : best;
}
