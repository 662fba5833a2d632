/* worker/sandbox/python.c - host of Python files, inside the user's own python
 *
 * The interpreter is the program here: it loads this library and calls
 * osw_python_loop() with an object of opsweep_host.py, which does whatever is
 * easier said in Python.  Any version and any venv will do: see python_api.h.
 *
 * Arguments are made once per case, over the memory that the judge shares, by
 * DLPack and without a copy.  A timed call is one PyObject_Call; what it
 * returns is checked and copied after the clock stops.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker/hash_mix.h"
#include "worker/isolation.h"
#include "worker/sandbox/isolate.h"
#include "worker/sandbox/open_apart.h"
#include "worker/sandbox/python.h"
#include "worker/sandbox/python_api.h"
#include "worker/sandbox/python_look.h"
#include "worker/sandbox/session.h"

/* What host.explain() makes of an exception, and what CUDA calls it. */
enum { SAID_NO_MEMORY = 3, DEVICE_NO_MEMORY = 2 };

enum { MOST_KEPT = 256 << 20 }; /* bytes of outputs, until the next call */

/* One loaded file. */
struct python {
    bool reference;
    bool keywords;            /* any in kwargs: calls without are quicker */
    bool called;              /* with them, before */
    bool reshapes;            /* a call left another shape of an argument */
    osw_python_object *entry; /* the function */
    osw_python_object *args, *kwargs; /* of the current case */
    osw_python_object *result;  /* of the last call; NULL: none, or collected */
    osw_python_object *earlier; /* leaves of the last judged call: while they
                                   are kept, none of their memory is free */
    struct osw_python_looks looks; /* after timed calls of the case */
};

/* An exception as the result of a call; memory that ran out is the device's
 * own error.
 */
static int fail_call(struct osw_session *s)
{
    char words[sizeof(s->text)];
    int code = osw_python_explain(words, sizeof(words));

    if (!s->text[0])
        snprintf(s->text, sizeof(s->text), "%s", words);
    if (code == SAID_NO_MEMORY) {
        s->result.device_code = DEVICE_NO_MEMORY;
        return OSW_ERROR;
    }
    return code;
}

static void forget(osw_python_object **kept)
{
    if (*kept)
        osw_py.Drop(*kept);
    *kept = NULL;
}

/* --- arguments --- */

static void forget_case(struct python *p)
{
    osw_python_object **kept[] = {&p->args, &p->kwargs, &p->result,
                                  &p->earlier};

    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        forget(kept[i]);
}

/* As the case gives them.  `all` gets every argument in the schema's order,
 * those too that the case leaves out.
 */
static bool place_args(struct python *p, const struct osw_session *s,
                       osw_python_object **all)
{
    const struct osw_case_received *job = &s->job;
    ssize_t n = 0, at = 0;

    for (uint32_t i = 0; i < job->n_args; i++)
        n += job->given[i] == OSW_GIVEN_POSITION;
    p->args = osw_py.Tuple(n);
    p->kwargs = osw_py.Dict();
    p->keywords = false;
    *all = osw_py.Tuple(job->n_args);
    if (!p->args || !p->kwargs || !*all)
        return false;
    for (uint32_t i = 0; i < job->n_args; i++) {
        osw_python_object *value = osw_python_value(&job->args[i]);

        if (!value)
            return false;
        osw_py.Keep(value);
        osw_py.SetItem(*all, i, value);
        if (job->given[i] == OSW_GIVEN_POSITION) {
            osw_py.SetItem(p->args, at++, value);
            continue;
        }
        if (job->given[i] == OSW_GIVEN_KEYWORD)
            osw_py.SetKey(p->kwargs, job->args[i].name, value);
        p->keywords = p->keywords || job->given[i] == OSW_GIVEN_KEYWORD;
        osw_py.Drop(value);
    }
    return true;
}

/* Index and name of each argument that the case leaves out and the schema
 * gives; NULL without memory.
 */
static osw_python_object *left_out(const struct osw_case_received *job,
                                   ssize_t n)
{
    osw_python_object *out = osw_py.Tuple(n);
    ssize_t at = 0;

    for (uint32_t i = 0; out && i < job->n_args; i++) {
        osw_python_object *pair = NULL;

        if (job->given[i] != OSW_GIVEN_DEFAULT)
            continue;
        pair = osw_python_pack(
            2, (osw_python_object *[]){osw_py.Int(i),
                                       osw_python_text(job->args[i].name)});
        if (pair) {
            osw_py.SetItem(out, at++, pair);
            continue;
        }
        osw_py.Drop(out);
        out = NULL;
    }
    return out;
}

/* What the function needs of the schema's defaults. */
static bool place_defaults(struct python *p, const struct osw_session *s,
                           osw_python_object *all)
{
    osw_python_object *args;
    ssize_t n = 0;

    for (uint32_t i = 0; i < s->job.n_args; i++)
        n += s->job.given[i] == OSW_GIVEN_DEFAULT;
    if (n == 0)
        return true;
    osw_py.Keep(all);
    args = OSW_PYTHON_ASK("fill_in", osw_python_or_none(p->args),
                          osw_python_or_none(p->kwargs), all,
                          left_out(&s->job, n));
    if (!args)
        return false;
    osw_py.Drop(p->args);
    p->args = args;
    p->keywords = osw_py.DictSize(p->kwargs) > 0;
    return true;
}

/* Which outputs must be an argument; -1: that output is new.  The list ends
 * with the last output that must be one.
 */
static osw_python_object *expected_aliases(const struct osw_case_received *job)
{
    uint32_t n = job->n_expected;
    osw_python_object *aliases;

    while (n > 0 && job->expected[n - 1].alias < 0)
        n--;
    aliases = osw_py.Tuple(n);
    for (uint32_t i = 0; aliases && i < n; i++)
        osw_py.SetItem(aliases, i, osw_py.Int(job->expected[i].alias));
    return aliases;
}

/* --- the host's row --- */

/* What numpy and torch take: 63 bits, all of which neighbouring seeds differ
 * in.
 */
static osw_python_object *python_seed(uint64_t seed)
{
    return osw_py.Int((long long)(osw_hash_mix(seed) >> 1));
}

static int python_load(const struct osw_load *load, struct osw_loaded *out,
                       void **state, struct osw_error *err)
{
    const char *entry = load->reference ? "_reference" : "_kernel_impl";
    struct python *p = calloc(1, sizeof(*p));
    char words[sizeof(err->text)];

    if (!p)
        return osw_fail(err, OSW_NO_MEMORY, "no memory to load a file");
    if (!osw_py.host) {
        free(p);
        return osw_fail(err, OSW_BAD_INPUT,
                        "a Python file in a sandbox that is no python");
    }
    p->entry =
        load->generator
            ? OSW_PYTHON_ASK("load_generator", osw_python_text(load->path),
                             osw_python_text(load->symbol))
            : OSW_PYTHON_ASK("load", osw_python_text(load->path),
                             osw_python_text(load->symbol),
                             osw_python_text(entry),
                             osw_py.Bool(load->reference));
    if (!p->entry) {
        (void)osw_python_explain(words, sizeof(words));
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
    osw_py.Drop(p->entry);
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
    osw_python_object *all = NULL, *answer = NULL;

    (void)op_state;
    forget_case(p);
    p->called = p->reshapes = false;
    p->looks.n = 0;
    if (place_args(p, s, &all) && place_defaults(p, s, all)) {
        osw_py.Keep(all);
        answer = OSW_PYTHON_ASK("begin", all, expected_aliases(&s->job),
                                osw_python_declared(&s->job, s->base),
                                python_seed(call->seed),
                                osw_py.Int((long long)(intptr_t)call->stream));
    }
    if (all)
        osw_py.Drop(all);
    if (!answer)
        return fail_call(s);
    osw_py.Drop(answer);
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
    osw_python_object *old = p->result;

    if (!s->poison_scratch)
        forget(&p->earlier);
    /* In timed calls only where it is known to be needed. */
    if (p->called && (s->poison_scratch || p->reshapes) &&
        !osw_python_tell(osw_python_ask("put_back", 0, NULL)))
        return fail_call(s);
    if (s->poison_scratch && p->reference &&
        !osw_python_tell(OSW_PYTHON_ASK("remember", osw_python_or_none(p->args),
                                        osw_python_or_none(p->kwargs))))
        return fail_call(s);
    p->called = true;
    p->result = osw_py.Call(p->entry, p->args, p->keywords ? p->kwargs : NULL);
    if (old)
        osw_py.Drop(old);
    return p->result ? 0 : fail_call(s);
}

/* What Python made, into memory that the runner gave. */
static int copy_out(struct osw_session *s, const osw_tensor *to,
                    osw_python_object *value)
{
    osw_python_object *slot = osw_python_tensor(to), *done = NULL;

    if (slot)
        done = OSW_PYTHON_ASK("copy", slot, osw_python_or_none(value));
    if (!done)
        return fail_call(s);
    osw_py.Drop(done);
    return 0;
}

/* The same in float64, of a reference that has it. */
static int take_exact(const osw_call *call, int i, const osw_tensor *like,
                      osw_python_object *value)
{
    int64_t strides[OSW_MAX_NDIM], stride = 1;
    osw_tensor t = *like;

    if (value == osw_py.none)
        return 0;
    t.data = osw_output_exact(call, i);
    if (!t.data)
        return OSW_ERROR;
    for (int32_t d = t.ndim - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= t.shape[d] > 1 ? t.shape[d] : 1;
    }
    t.strides = strides;
    t.dtype =
        osw_dtype_info(t.dtype.code == OSW_COMPLEX ? OSW_C128 : OSW_F64)->dl;
    return copy_out(call->runner, &t, value);
}

/* Does the tensor hold the address, or a tensor of the items? */
static bool holds(const osw_arg *a, const unsigned char *address)
{
    if (a->tag == OSW_ARG_LIST)
        for (uint32_t i = 0; i < a->n; i++)
            if (holds(&a->u.items[i], address))
                return true;
    return a->tag == OSW_ARG_TENSOR &&
           address >= (const unsigned char *)osw_data(a->u.tensor) &&
           address < (const unsigned char *)osw_data(a->u.tensor) +
                         osw_python_extent(a->u.tensor);
}

/* One leaf of what came back: (alias, dtype, shape, value, address, plain,
 * exact).
 */
static const void *address_of(osw_python_object *leaf)
{
    return (const void *)(intptr_t)osw_py.AsInt(osw_py.Item(leaf, 4));
}

/* As osw_output.shares, of what lies at the address. */
static uint32_t shares_with(const struct python *p, const osw_call *call,
                            const unsigned char *address)
{
    for (uint32_t i = 0; address && i < call->n_args; i++)
        if (holds(&call->args[i], address))
            return OSW_SHARES_ARGUMENT + i;
    for (ssize_t i = 0; address && p->earlier && i < osw_py.Size(p->earlier);
         i++)
        if (address_of(osw_py.Item(p->earlier, i)) == address)
            return OSW_SHARES_EARLIER;
    return OSW_SHARES_NOTHING;
}

static int take_output(const struct python *p, const osw_call *call, int i,
                       osw_python_object *leaf)
{
    int alias = (int)osw_py.AsInt(osw_py.Item(leaf, 0)), code = 0;
    struct osw_session *s = call->runner;
    const void *from = address_of(leaf);
    osw_python_object *shape = osw_py.Item(leaf, 2);
    const char *name = osw_py.AsText(osw_py.Item(leaf, 1), NULL);
    const struct osw_dtype_info *dtype;
    int64_t dims[OSW_MAX_NDIM];
    const osw_tensor *t;
    ssize_t ndim;

    if (alias >= 0) {
        t = osw_session_alias(s, i, alias);
        return t ? take_exact(call, i, t, osw_py.Item(leaf, 6)) : OSW_ERROR;
    }
    ndim = osw_py.Size(shape);
    dtype = name ? osw_dtype_find(name, strlen(name)) : NULL;
    if (!dtype || ndim < 0 || ndim > OSW_MAX_NDIM)
        return osw_error(call, "an output of impossible dtype or rank");
    for (ssize_t d = 0; d < ndim; d++)
        dims[d] = osw_py.AsInt(osw_py.Item(shape, d));
    t = osw_output(call, i, dtype->dl, (int32_t)ndim, dims, NULL);
    if (!t)
        return OSW_ERROR;
    s->result.outputs[i].shares =
        shares_with(p, call, osw_python_extent(t) > 0 ? from : NULL);
    if (osw_py.AsInt(osw_py.Item(leaf, 5)))
        s->device->ops->copy(s->device, t->data, from,
                             (uint64_t)osw_python_extent(t));
    else
        code = copy_out(s, t, osw_py.Item(leaf, 3));
    return code ? code : take_exact(call, i, t, osw_py.Item(leaf, 6));
}

/* What is to be said of a result that is in order. */
static void take_note(struct osw_session *s)
{
    osw_python_object *note = osw_py.GetAttr(osw_py.host, "remark"),
                      *beside = osw_py.GetAttr(osw_py.host, "beside");
    const char *words = note ? osw_py.AsText(note, NULL) : NULL;

    if (words && *words)
        snprintf(s->text, sizeof(s->text), "%s", words);
    s->result.beside = beside && osw_py.AsInt(beside) != 0;
    if (note)
        osw_py.Drop(note);
    if (beside)
        osw_py.Drop(beside);
    if (!words || !beside)
        osw_py.Clear();
}

/* The leaves are kept until the next call, unless they hold much memory or the
 * call was timed: an output that lies where one of them does was not made anew.
 */
static void keep_leaves(struct python *p, const struct osw_session *s,
                        osw_python_object *leaves)
{
    int64_t bytes = 0;

    for (uint32_t i = 0; i < s->result.n_outputs; i++)
        bytes += osw_output_extent(&s->result.outputs[i]);
    forget(&p->earlier);
    if (s->poison_scratch && !p->reference && bytes <= MOST_KEPT)
        p->earlier = leaves;
    else
        osw_py.Drop(leaves);
}

static int python_collect(void *state, const osw_call *call)
{
    struct osw_session *s = call->runner;
    struct python *p = state;
    osw_python_object *leaves, *answer;
    int64_t t0 = osw_python_own_ns(), ns;
    int code = 0;

    if (!p->result)
        return 0;
    s->result.n_outputs = 0;
    leaves = OSW_PYTHON_ASK("outputs", p->result); /* adopted */
    p->result = NULL;
    if (!leaves)
        return fail_call(s);
    ns = osw_python_own_ns() - t0;
    if (!s->poison_scratch)
        s->late_ns = osw_python_late(&p->looks, ns, osw_py.Size(leaves));
    for (ssize_t i = 0; code == 0 && i < osw_py.Size(leaves); i++)
        code = take_output(p, call, (int)i, osw_py.Item(leaves, i));
    keep_leaves(p, s, leaves);
    if (code == 0)
        take_note(s);
    answer = osw_python_ask("sweep", 0, NULL);
    if (answer)
        p->reshapes |= osw_py.AsInt(answer) != 0;
    if (!osw_python_tell(answer))
        osw_py.Clear();
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
    osw_python_object *lines = OSW_PYTHON_ASK("expand", python_seed(seed));
    char words[sizeof(err->text)];
    const char *s = NULL;
    ssize_t n = 0;

    (void)state;
    if (lines)
        s = osw_py.AsText(lines, &n);
    if (!s) {
        (void)osw_python_explain(words, sizeof(words));
        return osw_fail(err, OSW_BAD_INPUT, "%s", words);
    }
    if ((uint64_t)n <= size) {
        memcpy(out, s, (size_t)n);
        *used = (uint64_t)n;
    }
    osw_py.Drop(lines);
    return (uint64_t)n <= size
               ? 0
               : osw_fail(err, OSW_BAD_INPUT, "%zd bytes of cases", n);
}

static int python_draw(void *state, const osw_call *call, uint64_t *digest)
{
    struct osw_session *s = call->runner;
    struct python *p = state;
    osw_python_object *all = NULL, *answer = NULL;

    forget_case(p);
    if (place_args(p, s, &all))
        answer = OSW_PYTHON_ASK(
            "draw", osw_python_or_none(p->args), osw_python_or_none(p->kwargs),
            osw_py.Int(s->job.draw), python_seed(call->seed));
    if (all)
        osw_py.Drop(all);
    if (answer)
        *digest = (uint64_t)osw_py.AsInt(answer);
    forget_case(p);
    if (!answer)
        return fail_call(s);
    osw_py.Drop(answer);
    return 0;
}

/* Threads of op code run while the judge thinks. */
static void python_rest(void *state, bool rest)
{
    (void)state;
    if (rest)
        osw_py.thread = osw_py.Rest();
    else
        osw_py.Wake(osw_py.thread);
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
    osw_isolate_begin(device);
}

int osw_python_isolate_file(const char *device)
{
    return osw_isolate_end(device, true);
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
    if (osw_python_find_functions() < 0)
        return 1;
    osw_py.host = host;
    osw_py.none = none;
    return osw_sandbox_loop(OSW_PROTOCOL_FD, device, osw_open_apart);
}
