/* opsweep/export_prepared.h - what implementations prepared, kept for later
 * calls
 *
 * <op>_prepare makes handles and plans for the shapes of a call.  It takes
 * longer than the call, and allocates, which CUDA forbids while a graph is
 * captured.  So a state is kept for calls whose arguments differ in values and
 * addresses only.  States that are not in use are in a list, the last used
 * first.  A call takes its state out of the list: no two threads share one.
 */
#ifndef OPSWEEP_EXPORT_PREPARED_H
#define OPSWEEP_EXPORT_PREPARED_H

#include <opsweep/op.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* One implementation of an operator, compiled into this library. */
struct osw_export_impl {
    const char *name;
    int (*kernel)(const osw_call *call);
    int (*prepare)(const osw_call *call, void **state); /* may be NULL */
    void (*finish)(void *state);                        /* may be NULL */
};

enum { OSW_EXPORT_MAX_KEPT = 256 }; /* beside those of captured graphs */

struct osw_export_kept {
    struct osw_export_kept *next;
    const struct osw_export_impl *impl;
    void *state;
    int rc;         /* of prepare: 0 or OSW_UNSUPPORTED */
    int captured;   /* a graph may use it: kept until the process ends */
    size_t n_words; /* what was prepared for */
    int64_t words[];
};

static struct osw_export_kept *osw_export_idle;
static pthread_mutex_t osw_export_lock = PTHREAD_MUTEX_INITIALIZER;

/* --- graphs that are being captured --- */

#ifdef OSW_EXPORT_CUDA
/* Of cudart, which a GPU's library links. */
int cudaStreamIsCapturing(void *stream, int *status);
int cudaThreadExchangeStreamCaptureMode(int *mode);
int cudaGetLastError(void);
const char *cudaGetErrorString(int error);

/* This thread's last error, which is forgotten; NULL: none.  torch does not see
 * it: this library has a cudart of its own.
 */
static const char *osw_export_launch_error(void)
{
    int error = cudaGetLastError();

    return error ? cudaGetErrorString(error) : NULL;
}

static int osw_export_capturing(const osw_call *call)
{
    int status = 0;

    return cudaStreamIsCapturing(call->stream, &status) != 0 || status != 0;
}

/* Sets this thread's mode: what it forbids of calls that are not on a stream.
 * Returns the one before.
 */
static int osw_export_capture_mode(int mode)
{
    cudaThreadExchangeStreamCaptureMode(&mode);
    return mode;
}
#else
static const char *osw_export_launch_error(void)
{
    return NULL;
}

static int osw_export_capturing(const osw_call *call)
{
    (void)call;
    return 0;
}

static int osw_export_capture_mode(int mode)
{
    return mode;
}
#endif

enum { OSW_EXPORT_CAPTURE_RELAXED = 2 }; /* cudaStreamCaptureModeRelaxed */

/* --- what is prepared for --- */

struct osw_export_key {
    int64_t *words; /* NULL: they are only counted */
    size_t n;
};

static void osw_export_key_word(struct osw_export_key *k, int64_t word)
{
    if (k->words)
        k->words[k->n] = word;
    k->n++;
}

static void osw_export_key_bytes(struct osw_export_key *k, const void *bytes,
                                 size_t n)
{
    for (size_t at = 0; at < n; at += sizeof(int64_t)) {
        size_t left = n - at;
        int64_t word = 0;

        memcpy(&word, (const char *)bytes + at,
               left < sizeof(word) ? left : sizeof(word));
        osw_export_key_word(k, word);
    }
}

/* Plans may depend on how data is aligned. */
static void osw_export_key_tensor(struct osw_export_key *k, const osw_tensor *t)
{
    size_t bytes = (size_t)t->ndim * sizeof(int64_t);

    osw_export_key_word(k, t->dtype.code << 8 | t->dtype.bits);
    osw_export_key_word(k, (int64_t)((uintptr_t)t->data & 255));
    osw_export_key_word(k, t->ndim);
    osw_export_key_bytes(k, t->shape, bytes);
    osw_export_key_bytes(k, t->strides, bytes);
}

static void osw_export_key_arg(struct osw_export_key *k, const osw_arg *a)
{
    osw_export_key_word(k, a->tag);
    switch (a->tag) {
    case OSW_ARG_BOOL:
    case OSW_ARG_INT:
        osw_export_key_word(k, a->u.i);
        break;
    case OSW_ARG_FLOAT:
        osw_export_key_bytes(k, &a->u.f, sizeof(a->u.f));
        break;
    case OSW_ARG_STRING:
        osw_export_key_word(k, a->n);
        osw_export_key_bytes(k, a->u.s, a->n);
        break;
    case OSW_ARG_DTYPE:
        osw_export_key_word(k, a->u.dtype.code << 8 | a->u.dtype.bits);
        break;
    case OSW_ARG_DEVICE:
        osw_export_key_word(k, a->u.device.type);
        osw_export_key_word(k, a->u.device.id);
        break;
    case OSW_ARG_TENSOR:
        osw_export_key_tensor(k, a->u.tensor);
        break;
    case OSW_ARG_LIST:
        osw_export_key_word(k, a->n);
        for (uint32_t i = 0; i < a->n; i++)
            osw_export_key_arg(k, &a->u.items[i]);
        break;
    default:
        break;
    }
}

/* Outputs follow from the arguments, but for where they lie. */
static void osw_export_key_call(struct osw_export_key *k, const osw_call *call,
                                osw_device device, osw_tensor *const *outputs,
                                int n_outputs)
{
    osw_export_key_word(k, device.type);
    osw_export_key_word(k, device.id);
    osw_export_key_word(k, call->n_threads);
    for (uint32_t i = 0; i < call->n_args; i++)
        osw_export_key_arg(k, &call->args[i]);
    for (int i = 0; i < n_outputs; i++)
        osw_export_key_word(
            k, outputs[i] ? (int64_t)((uintptr_t)outputs[i]->data & 255) : 0);
}

/* --- states --- */

static void osw_export_drop(struct osw_export_kept *k)
{
    int mode = osw_export_capture_mode(OSW_EXPORT_CAPTURE_RELAXED);

    if (k->state && k->impl->finish)
        k->impl->finish(k->state);
    osw_export_capture_mode(mode);
    free(k);
}

/* One like `asked`, out of the list; NULL: none is idle. */
static struct osw_export_kept *
osw_export_find(const struct osw_export_kept *asked)
{
    struct osw_export_kept **at = &osw_export_idle, *found;

    pthread_mutex_lock(&osw_export_lock);
    while (*at &&
           ((*at)->impl != asked->impl || (*at)->n_words != asked->n_words ||
            memcmp((*at)->words, asked->words,
                   asked->n_words * sizeof(*asked->words)) != 0))
        at = &(*at)->next;
    found = *at;
    if (found)
        *at = found->next;
    pthread_mutex_unlock(&osw_export_lock);
    return found;
}

/* What is prepared for a call: 0, OSW_UNSUPPORTED, or an error.  *out is to be
 * given back whatever is returned; NULL where there is no memory.  *refused: an
 * output's layout was, which makes an error OSW_UNSUPPORTED.
 */
static int osw_export_take(const struct osw_export_impl *impl,
                           const osw_call *call, osw_device device,
                           osw_tensor *const *outputs, int n_outputs,
                           const int *refused, struct osw_export_kept **out)
{
    struct osw_export_key key = {NULL, 0};
    struct osw_export_kept *k, *found;
    int mode;

    *out = NULL;
    osw_export_key_call(&key, call, device, outputs, n_outputs);
    k = (struct osw_export_kept *)calloc(1, sizeof(*k) +
                                                key.n * sizeof(*k->words));
    if (!k)
        return OSW_ERROR;
    k->impl = impl;
    k->n_words = key.n;
    key.words = k->words;
    key.n = 0;
    osw_export_key_call(&key, call, device, outputs, n_outputs);
    found = osw_export_find(k);
    if (found) {
        free(k);
        *out = found;
        return found->rc;
    }
    mode = osw_export_capture_mode(OSW_EXPORT_CAPTURE_RELAXED);
    k->rc = impl->prepare(call, &k->state);
    osw_export_capture_mode(mode);
    if (k->rc && *refused)
        k->rc = OSW_UNSUPPORTED;
    *out = k;
    return k->rc;
}

/* Back into the list, which drops the one that was not used for the longest
 * time.  A failure is not kept: the next call tries again.
 */
static void osw_export_give(struct osw_export_kept *k, const osw_call *call)
{
    struct osw_export_kept **at = &osw_export_idle, *last;
    int n = 0;

    if (k->rc != 0 && k->rc != OSW_UNSUPPORTED) {
        osw_export_drop(k);
        return;
    }
    k->captured |= osw_export_capturing(call);
    pthread_mutex_lock(&osw_export_lock);
    k->next = osw_export_idle;
    osw_export_idle = k;
    while (*at && ((*at)->captured || ++n <= OSW_EXPORT_MAX_KEPT))
        at = &(*at)->next;
    last = *at;
    if (last)
        *at = last->next;
    pthread_mutex_unlock(&osw_export_lock);
    if (last)
        osw_export_drop(last);
}

#endif /* OPSWEEP_EXPORT_PREPARED_H */
