/* worker/sandbox/python.c - host of Python files, inside the user's own python
 *
 * The interpreter is the program here: it loads this library and calls
 * osw_python_loop() with an object of opsweep_host.py, which does whatever is
 * easier said in Python.  Nothing links libpython: its stable functions are
 * looked up in the running process, so any version and any venv will do.
 *
 * Arguments are made once per case, over the memory that the judge shares, by
 * DLPack and without a copy.  A timed call is one PyObject_Call; what it
 * returns is looked at and copied behind the clock.
 */
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker/hash_mix.h"
#include "worker/isolation.h"
#include "worker/sandbox/isolate.h"
#include "worker/sandbox/python.h"
#include "worker/sandbox/session.h"

typedef struct python_object object;

/* What is used of the interpreter: all of it is in its stable ABI. */
/* clang-format off */
#define PYTHON_MAP(X)                                                          \
    X(object *, Call, "PyObject_Call", (object *, object *, object *))         \
    X(object *, GetAttr, "PyObject_GetAttrString", (object *, const char *))   \
    X(void, Keep, "Py_IncRef", (object *))                                     \
    X(void, Drop, "Py_DecRef", (object *))                                     \
    X(void, Fetch, "PyErr_Fetch", (object **, object **, object **))           \
    X(void, Normalize, "PyErr_NormalizeException",                             \
      (object **, object **, object **))                                       \
    X(void, Clear, "PyErr_Clear", (void))                                      \
    X(object *, Int, "PyLong_FromLongLong", (long long))                       \
    X(long long, AsInt, "PyLong_AsLongLong", (object *))                       \
    X(object *, Float, "PyFloat_FromDouble", (double))                         \
    X(object *, Bool, "PyBool_FromLong", (long))                               \
    X(object *, Text, "PyUnicode_DecodeUTF8",                                  \
      (const char *, ssize_t, const char *))                                   \
    X(const char *, AsText, "PyUnicode_AsUTF8AndSize", (object *, ssize_t *))  \
    X(object *, Tuple, "PyTuple_New", (ssize_t))                               \
    X(int, SetItem, "PyTuple_SetItem", (object *, ssize_t, object *))          \
    X(object *, Item, "PyTuple_GetItem", (object *, ssize_t))                  \
    X(ssize_t, Size, "PyTuple_Size", (object *))                               \
    X(object *, List, "PyList_New", (ssize_t))                                 \
    X(int, SetListItem, "PyList_SetItem", (object *, ssize_t, object *))       \
    X(object *, Dict, "PyDict_New", (void))                                    \
    X(int, SetKey, "PyDict_SetItemString", (object *, const char *, object *)) \
    X(object *, Capsule, "PyCapsule_New",                                      \
      (void *, const char *, void (*)(object *)))                              \
    X(int, IsCapsule, "PyCapsule_IsValid", (object *, const char *))           \
    X(void *, CapsulePointer, "PyCapsule_GetPointer", (object *, const char *)) \
    X(void *, Rest, "PyEval_SaveThread", (void))                               \
    X(void, Wake, "PyEval_RestoreThread", (void *))
/* clang-format on */

static struct {
#define X(type, name, symbol, parameters) type(*name) parameters;
    PYTHON_MAP(X)
#undef X
    object *none; /* borrowed for the process's life */
    object *host; /* object of opsweep_host.py; NULL: not in a python */
    void *thread; /* while resting */
} py;

/* What host.explain() makes of an exception, and what CUDA calls it. */
enum { SAID_NO_MEMORY = 3, DEVICE_NO_MEMORY = 2 };

/* One loaded file. */
struct python {
    bool reference;
    bool keywords;         /* any in kwargs: calls without are quicker */
    bool called;           /* with them, before */
    object *entry;         /* the function */
    object *args, *kwargs; /* of the current case */
    object *result;        /* of the last call; NULL: none, or collected */
};

/* --- talking to Python --- */

static int find_functions(void)
{
#define X(type, name, symbol, parameters)                                      \
    {                                                                          \
        void *found = dlsym(RTLD_DEFAULT, symbol);                             \
        if (!found) {                                                          \
            fprintf(stderr, "sandbox: this python has no %s\n", symbol);       \
            return -1;                                                         \
        }                                                                      \
        memcpy(&py.name, &found, sizeof(found));                               \
    }
    PYTHON_MAP(X)
#undef X
    return 0;
}

static object *text(const char *s)
{
    return py.Text(s, (ssize_t)strlen(s), "replace");
}

/* A tuple of n new references, which it adopts; NULL if one of them is. */
static object *pack(ssize_t n, object *const *items)
{
    object *tuple = py.Tuple(n);
    bool whole = tuple != NULL;

    for (ssize_t i = 0; i < n; i++)
        if (!items[i])
            whole = false;
        else if (tuple)
            py.SetItem(tuple, i, items[i]);
        else
            py.Drop(items[i]);
    if (!whole && tuple)
        py.Drop(tuple);
    return whole ? tuple : NULL;
}

/* host.<name>(*items), adopting the items.  A new reference, or NULL with an
 * exception set.
 */
static object *ask(const char *name, ssize_t n, object *const *items)
{
    object *args = pack(n, items), *method = NULL, *answer = NULL;

    if (args)
        method = py.GetAttr(py.host, name);
    if (method)
        answer = py.Call(method, args, NULL);
    if (method)
        py.Drop(method);
    if (args)
        py.Drop(args);
    return answer;
}
#define ASK(name, ...)                                                         \
    ask(name, sizeof((object *[]){__VA_ARGS__}) / sizeof(object *),            \
        (object *[]){__VA_ARGS__})

/* An answer that says nothing, adopted: was there one? */
static bool tell(object *answer)
{
    if (answer)
        py.Drop(answer);
    return answer != NULL;
}

static object *or_none(object *o)
{
    o = o ? o : py.none;
    py.Keep(o);
    return o;
}

/* What the pending exception means, and its words; it is none any more. */
static int explain(char *words, size_t size)
{
    object *what[3] = {NULL, NULL, NULL}, *answer;
    int code = OSW_ERROR;
    const char *s;

    py.Fetch(&what[0], &what[1], &what[2]);
    py.Normalize(&what[0], &what[1], &what[2]);
    answer = ASK("explain", or_none(what[1]), or_none(what[2]));
    snprintf(words, size, "an exception that could not be shown");
    if (answer) {
        code = (int)py.AsInt(py.Item(answer, 0));
        s = py.AsText(py.Item(answer, 1), NULL);
        if (s)
            snprintf(words, size, "%s", s);
        py.Drop(answer);
    }
    py.Clear();
    for (int i = 0; i < 3; i++)
        if (what[i])
            py.Drop(what[i]);
    return code ? code : OSW_ERROR;
}

/* An exception as the result of a call; memory that ran out is the device's
 * own error.
 */
static int fail_call(struct osw_session *s)
{
    char words[sizeof(s->text)];
    int code = explain(words, sizeof(words));

    if (!s->text[0])
        snprintf(s->text, sizeof(s->text), "%s", words);
    if (code == SAID_NO_MEMORY) {
        s->result.device_code = DEVICE_NO_MEMORY;
        return OSW_ERROR;
    }
    return code;
}

/* --- tensors --- */

/* DLPack's DLManagedTensor. */
struct managed {
    osw_tensor tensor;
    void *context;
    void (*deleter)(struct managed *self);
    int64_t dims[2 * OSW_MAX_NDIM];
};

_Static_assert(sizeof(osw_tensor) == 48, "laid out as DLPack's DLTensor");

static void drop_managed(struct managed *m)
{
    free(m);
}

/* Nobody took the tensor out of its capsule. */
static void drop_capsule(object *capsule)
{
    if (py.IsCapsule(capsule, "dltensor"))
        drop_managed(py.CapsulePointer(capsule, "dltensor"));
}

static object *capsule_of(const osw_tensor *t)
{
    struct managed *m = calloc(1, sizeof(*m));
    size_t n = (size_t)t->ndim;
    object *capsule;

    if (!m)
        return NULL;
    m->tensor = *t;
    m->deleter = drop_managed;
    for (size_t d = 0; d < n; d++) {
        m->dims[d] = t->shape[d];
        m->dims[OSW_MAX_NDIM + d] = t->strides[d];
    }
    m->tensor.shape = m->dims;
    m->tensor.strides = m->dims + OSW_MAX_NDIM;
    if (t->dtype.code == OSW_BOOL) /* older torch knows no bool here */
        m->tensor.dtype.code = OSW_UINT;
    capsule = py.Capsule(m, "dltensor", drop_capsule);
    if (!capsule)
        free(m);
    return capsule;
}

static object *dims_of(const int64_t *dims, int32_t n, int64_t factor)
{
    object *items[OSW_MAX_NDIM];

    for (int32_t d = 0; d < n; d++)
        items[d] = py.Int(dims[d] * factor);
    return pack(n, items);
}

/* Bytes from its first element to behind its last one. */
static int64_t extent_of(const osw_tensor *t)
{
    struct osw_output o = {.dtype = osw_dtype_from_dl(t->dtype)->id,
                           .ndim = t->ndim};

    for (int32_t d = 0; d < t->ndim; d++) {
        o.shape[d] = t->shape[d];
        o.strides[d] = t->strides[d];
    }
    return osw_output_extent(&o);
}

/* The tensor as torch or numpy has it, over the same memory. */
static object *make_tensor(const osw_tensor *t)
{
    const struct osw_dtype_info *dtype = osw_dtype_from_dl(t->dtype);
    int64_t bytes = (int64_t)dtype->bytes;

    return ASK("tensor", capsule_of(t), py.Int((long long)(intptr_t)t->data),
               py.Int(extent_of(t)), text(dtype->name),
               dims_of(t->shape, t->ndim, 1),
               dims_of(t->strides, t->ndim, bytes));
}

/* --- arguments --- */

static object *make_value(const osw_arg *a);

/* A list, tuple or dict, whichever the case has. */
static object *make_items(const osw_arg *a)
{
    int64_t kind = a->u.items[a->n].u.i;
    object *all = kind == OSW_ITEMS_DICT    ? py.Dict()
                  : kind == OSW_ITEMS_TUPLE ? py.Tuple(a->n)
                                            : py.List(a->n);

    for (uint32_t i = 0; all && i < a->n; i++) {
        object *item = make_value(&a->u.items[i]);

        if (!item) {
            py.Drop(all);
            return NULL;
        }
        if (kind == OSW_ITEMS_TUPLE) {
            py.SetItem(all, i, item);
        } else if (kind == OSW_ITEMS_LIST) {
            py.SetListItem(all, i, item);
        } else {
            py.SetKey(all, a->u.items[i].name, item);
            py.Drop(item);
        }
    }
    return all;
}

static object *make_value(const osw_arg *a)
{
    switch (a->tag) {
    case OSW_ARG_BOOL:
        return py.Bool(a->u.i != 0);
    case OSW_ARG_INT:
        return py.Int(a->u.i);
    case OSW_ARG_FLOAT:
        return py.Float(a->u.f);
    case OSW_ARG_STRING:
        return ASK("word", text(a->u.s), text(a->name));
    case OSW_ARG_DTYPE:
        return ASK("dtype", text(osw_dtype_from_dl(a->u.dtype)->name));
    case OSW_ARG_TENSOR:
        return make_tensor(a->u.tensor);
    case OSW_ARG_LIST:
        return make_items(a);
    default:
        return or_none(NULL);
    }
}

static void forget_case(struct python *p)
{
    object **kept[] = {&p->args, &p->kwargs, &p->result};

    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        if (*kept[i])
            py.Drop(*kept[i]);
        *kept[i] = NULL;
    }
}

/* As the case gives them: defaults are the function's own.  `all` gets every
 * argument given, in the order of the call, None elsewhere.
 */
static bool place_args(struct python *p, const struct osw_session *s,
                       object **all)
{
    const struct osw_case_received *job = &s->job;
    ssize_t n = 0, at = 0;

    for (uint32_t i = 0; i < job->n_args; i++)
        n += job->given[i] == OSW_GIVEN_POSITION;
    p->args = py.Tuple(n);
    p->kwargs = py.Dict();
    p->keywords = false;
    *all = py.Tuple(job->n_args);
    if (!p->args || !p->kwargs || !*all)
        return false;
    for (uint32_t i = 0; i < job->n_args; i++) {
        bool given = job->given[i] != OSW_GIVEN_DEFAULT;
        object *value = given ? make_value(&job->args[i]) : or_none(NULL);

        if (!value)
            return false;
        py.Keep(value);
        py.SetItem(*all, i, value);
        if (job->given[i] == OSW_GIVEN_POSITION) {
            py.SetItem(p->args, at++, value);
            continue;
        }
        if (given)
            py.SetKey(p->kwargs, job->args[i].name, value);
        p->keywords = p->keywords || given;
        py.Drop(value);
    }
    return true;
}

/* Which outputs must be an argument; -1: that output is new.  Behind the last
 * one that must there are none.
 */
static object *expected_aliases(const struct osw_case_received *job)
{
    uint32_t n = job->n_expected;
    object *aliases;

    while (n > 0 && job->expected[n - 1].alias < 0)
        n--;
    aliases = py.Tuple(n);
    for (uint32_t i = 0; aliases && i < n; i++)
        py.SetItem(aliases, i, py.Int(job->expected[i].alias));
    return aliases;
}

/* --- the host's row --- */

/* What numpy and torch take: 63 bits, all of which neighbouring seeds differ
 * in.
 */
static object *python_seed(uint64_t seed)
{
    return py.Int((long long)(osw_hash_mix(seed) >> 1));
}

static int python_load(const struct osw_load *load, struct osw_loaded *out,
                       void **state, struct osw_error *err)
{
    const char *entry = load->reference ? "_reference" : "_kernel_impl";
    struct python *p = calloc(1, sizeof(*p));
    char words[sizeof(err->text)];

    if (!p)
        return osw_fail(err, OSW_NO_MEMORY, "no memory to load a file");
    if (!py.host) {
        free(p);
        return osw_fail(err, OSW_BAD_INPUT,
                        "a Python file in a sandbox that is no python");
    }
    p->entry = load->generator
                   ? ASK("load_generator", text(load->path), text(load->symbol))
                   : ASK("load", text(load->path), text(load->symbol),
                         text(entry), py.Bool(load->reference));
    if (!p->entry) {
        (void)explain(words, sizeof(words));
        free(p);
        return osw_fail(err, OSW_BAD_INPUT, "%s", words);
    }
    p->reference = load->reference;
    out->own_outputs = true;
    *state = p;
    return 0;
}

/* Where the interpreter puts code is its own affair. */
static int python_reload(void **state, struct osw_error *err)
{
    (void)state;
    (void)err;
    return 0;
}

static void python_unload(void *state)
{
    struct python *p = state;

    forget_case(p);
    py.Drop(p->entry);
    free(p);
}

static int python_meta(void *state, const osw_call *call)
{
    (void)state;
    (void)call;
    return OSW_UNSUPPORTED;
}

static int python_prepare(void *state, const osw_call *call, void **op_state)
{
    struct osw_session *s = call->runner;
    struct python *p = state;
    object *all = NULL, *answer = NULL;

    (void)op_state;
    forget_case(p);
    p->called = false;
    if (place_args(p, s, &all)) {
        py.Keep(all);
        answer = ASK("begin", all, expected_aliases(&s->job),
                     python_seed(call->seed),
                     py.Int((long long)(intptr_t)call->stream));
    }
    if (all)
        py.Drop(all);
    if (!answer)
        return fail_call(s);
    py.Drop(answer);
    return 0;
}

static void python_finish(void *state, void *op_state)
{
    (void)op_state;
    forget_case(state);
}

static int python_run(void *state, const osw_call *call)
{
    struct osw_session *s = call->runner;
    struct python *p = state;
    object *old = p->result;

    /* Not in timed calls. */
    if (s->poison_scratch && p->called && !tell(ask("put_back", 0, NULL)))
        return fail_call(s);
    if (s->poison_scratch && p->reference &&
        !tell(ASK("remember", or_none(p->args), or_none(p->kwargs))))
        return fail_call(s);
    p->called = true;
    p->result = py.Call(p->entry, p->args, p->keywords ? p->kwargs : NULL);
    if (old)
        py.Drop(old);
    return p->result ? 0 : fail_call(s);
}

/* What Python made, into memory that the runner gave. */
static int copy_out(struct osw_session *s, const osw_tensor *to, object *value)
{
    object *slot = make_tensor(to), *done = NULL;

    if (slot)
        done = ASK("copy", slot, or_none(value));
    if (!done)
        return fail_call(s);
    py.Drop(done);
    return 0;
}

/* The same in float64, of a reference that has it. */
static int take_exact(const osw_call *call, int i, const osw_tensor *like,
                      object *value)
{
    int64_t strides[OSW_MAX_NDIM], stride = 1;
    osw_tensor t = *like;

    if (value == py.none)
        return 0;
    t.data = osw_output_exact(call, i);
    if (!t.data)
        return OSW_ERROR;
    for (int32_t d = t.ndim - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= t.shape[d] > 1 ? t.shape[d] : 1;
    }
    t.strides = strides;
    t.dtype = osw_dtype_info(OSW_F64)->dl;
    return copy_out(call->runner, &t, value);
}

/* Does [t->data, its end) hold the address, or a tensor of the items? */
static bool holds(const osw_arg *a, const unsigned char *address)
{
    if (a->tag == OSW_ARG_LIST)
        for (uint32_t i = 0; i < a->n; i++)
            if (holds(&a->u.items[i], address))
                return true;
    return a->tag == OSW_ARG_TENSOR &&
           address >= (const unsigned char *)a->u.tensor->data &&
           address < (const unsigned char *)a->u.tensor->data +
                         extent_of(a->u.tensor);
}

/* As osw_output.shares, of what lies at the address. */
static uint32_t shares_with(const osw_call *call, const unsigned char *address)
{
    for (uint32_t i = 0; address && i < call->n_args; i++)
        if (holds(&call->args[i], address))
            return OSW_SHARES_ARGUMENT + i;
    return OSW_SHARES_NOTHING;
}

/* One leaf of what came back: (alias, dtype, shape, value, address, plain,
 * exact).
 */
static int take_output(const osw_call *call, int i, object *leaf)
{
    int alias = (int)py.AsInt(py.Item(leaf, 0)), code = 0;
    struct osw_session *s = call->runner;
    const void *from = (const void *)(intptr_t)py.AsInt(py.Item(leaf, 4));
    object *shape = py.Item(leaf, 2);
    const char *name = py.AsText(py.Item(leaf, 1), NULL);
    const struct osw_dtype_info *dtype;
    int64_t dims[OSW_MAX_NDIM];
    const osw_tensor *t;
    ssize_t ndim;

    if (alias >= 0) {
        t = osw_output_alias(call, i, alias);
        return t ? take_exact(call, i, t, py.Item(leaf, 6)) : OSW_ERROR;
    }
    ndim = py.Size(shape);
    dtype = name ? osw_dtype_find(name, strlen(name)) : NULL;
    if (!dtype || ndim < 0 || ndim > OSW_MAX_NDIM)
        return osw_error(call, "an output of impossible dtype or rank");
    for (ssize_t d = 0; d < ndim; d++)
        dims[d] = py.AsInt(py.Item(shape, d));
    t = osw_output(call, i, dtype->dl, (int32_t)ndim, dims, NULL);
    if (!t)
        return OSW_ERROR;
    s->result.outputs[i].shares = shares_with(call, from);
    if (py.AsInt(py.Item(leaf, 5)))
        s->device->ops->copy(s->device, t->data, from, (uint64_t)extent_of(t));
    else
        code = copy_out(s, t, py.Item(leaf, 3));
    return code ? code : take_exact(call, i, t, py.Item(leaf, 6));
}

/* What is to be said of a result that is in order. */
static void take_note(struct osw_session *s)
{
    object *note = py.GetAttr(py.host, "note");
    const char *words = note ? py.AsText(note, NULL) : NULL;

    if (words && *words)
        snprintf(s->text, sizeof(s->text), "%s", words);
    if (note)
        py.Drop(note);
    if (!words)
        py.Clear();
}

static int python_collect(void *state, const osw_call *call)
{
    struct osw_session *s = call->runner;
    struct python *p = state;
    object *leaves;
    int code = 0;

    if (!p->result)
        return 0;
    s->result.n_outputs = 0;
    leaves = ASK("outputs", p->result); /* adopted */
    p->result = NULL;
    if (!leaves)
        return fail_call(s);
    for (ssize_t i = 0; code == 0 && i < py.Size(leaves); i++)
        code = take_output(call, (int)i, py.Item(leaves, i));
    py.Drop(leaves);
    if (code == 0)
        take_note(s);
    return code;
}

static int python_work(void *state, const osw_call *call, osw_work *work)
{
    (void)state;
    (void)call;
    (void)work;
    return OSW_UNSUPPORTED;
}

/* --- generators --- */

static int python_expand(void *state, uint64_t seed, char *out, uint64_t size,
                         uint64_t *used, struct osw_error *err)
{
    object *lines = ASK("expand", python_seed(seed));
    char words[sizeof(err->text)];
    const char *s = NULL;
    ssize_t n = 0;

    (void)state;
    if (lines)
        s = py.AsText(lines, &n);
    if (!s) {
        (void)explain(words, sizeof(words));
        return osw_fail(err, OSW_BAD_INPUT, "%s", words);
    }
    if ((uint64_t)n <= size) {
        memcpy(out, s, (size_t)n);
        *used = (uint64_t)n;
    }
    py.Drop(lines);
    return (uint64_t)n <= size
               ? 0
               : osw_fail(err, OSW_BAD_INPUT, "%zd bytes of cases", n);
}

static int python_draw(void *state, const osw_call *call, uint64_t *digest)
{
    struct osw_session *s = call->runner;
    struct python *p = state;
    object *all = NULL, *answer = NULL;

    forget_case(p);
    if (place_args(p, s, &all))
        answer = ASK("draw", or_none(p->args), or_none(p->kwargs),
                     py.Int(s->job.draw), python_seed(call->seed));
    if (all)
        py.Drop(all);
    if (answer)
        *digest = (uint64_t)py.AsInt(answer);
    forget_case(p);
    if (!answer)
        return fail_call(s);
    py.Drop(answer);
    return 0;
}

/* Threads of op code run while the judge thinks. */
static void python_rest(void *state, bool rest)
{
    (void)state;
    if (rest)
        py.thread = py.Rest();
    else
        py.Wake(py.thread);
}

const struct osw_host_ops osw_host_python = {
    .suffix = ".py",
    .load = python_load,
    .reload = python_reload,
    .unload = python_unload,
    .meta = python_meta,
    .prepare = python_prepare,
    .finish = python_finish,
    .run = python_run,
    .collect = python_collect,
    .work = python_work,
    .expand = python_expand,
    .draw = python_draw,
    .rest = python_rest,
};

void osw_python_isolate(const char *device)
{
    osw_isolate(device);
}

void osw_python_close(void)
{
    osw_isolation_close(osw_isolation_level(getenv("OPSWEEP_ISOLATION")));
}

int osw_python_loop(void *host, void *none, const char *device)
{
    /* Memory that was freed is used again, as a device's allocator does it:
     * else it depends on what lies on top of the heap whether calls of the
     * same code take page faults.
     */
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 30);
    if (find_functions() < 0)
        return 1;
    py.host = host;
    py.none = none;
    return osw_sandbox_loop(OSW_PROTOCOL_FD, device);
}
