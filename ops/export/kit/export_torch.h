/* opsweep/export_torch.h - exported operators as kernels of torch, in plain C
 *
 * Takes the C interface of the torch that is in the process (2.7 or newer) by
 * dlsym(): no header of torch, nothing of it to link.  For operators on a
 * processor whose results are new tensors, and whose arguments are tensors,
 * integers, floats, bools and dtypes; for others, and for older torches,
 * runtime.py calls osw_export_call().
 */
#ifndef OPSWEEP_EXPORT_TORCH_H
#define OPSWEEP_EXPORT_TORCH_H

#include <dlfcn.h>
#include <opsweep/export.h>

/* glibc 2.34 moved both into libc under new versions; the old ones serve every
 * glibc, so that a library that is built here also runs on older systems.
 */
#if defined(__GLIBC__) && defined(__x86_64__)
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
__asm__(".symver dlopen, dlopen@GLIBC_2.2.5");
#elif defined(__GLIBC__) && defined(__aarch64__)
__asm__(".symver dlsym, dlsym@GLIBC_2.17");
__asm__(".symver dlopen, dlopen@GLIBC_2.17");
#endif

typedef void *osw_torch_handle;
typedef int32_t osw_torch_err; /* 0: success */
typedef void osw_torch_boxed(uint64_t *stack, uint64_t n_args,
                             uint64_t n_outputs);

/* Of one operator: the kernel that torch calls, which has no argument of its
 * own, and its arguments: t Tensor, i int, f float, b bool, d ScalarType;
 * capitals: may be None.  NULL: not by this way.
 */
struct osw_torch_op {
    osw_torch_boxed *boxed;
    osw_torch_boxed *graded; /* of autograd; NULL: not by this way */
    const char *args;
    int n_outputs;
};
extern const struct osw_torch_op osw_torch_ops[];

#define OSW_TORCH_FUNCTIONS(X)                                                 \
    X(library_init_impl, (const char *, const char *, const char *, uint32_t,  \
                          osw_torch_handle *))                                 \
    X(library_impl, (osw_torch_handle, const char *, osw_torch_boxed *))       \
    X(get_dim, (osw_torch_handle, int64_t *))                                  \
    X(get_sizes, (osw_torch_handle, int64_t **))                               \
    X(get_strides, (osw_torch_handle, int64_t **))                             \
    X(get_dtype, (osw_torch_handle, int32_t *))                                \
    X(get_device_type, (osw_torch_handle, int32_t *))                          \
    X(get_data_ptr, (osw_torch_handle, void **))                               \
    X(empty_strided, (int64_t, const int64_t *, const int64_t *, int32_t,      \
                      int32_t, int32_t, osw_torch_handle *))                   \
    X(copy_, (osw_torch_handle, osw_torch_handle, int32_t))                    \
    X(delete_tensor_object, (osw_torch_handle))

/* Room for an object of torch::CppFunction, which holds its own address: it
 * must not be moved.
 */
struct osw_torch_function {
    uint64_t room[64];
};

static struct {
#define X(name, args) osw_torch_err(*name) args;
    OSW_TORCH_FUNCTIONS(X)
#undef X
    void (*check)(unsigned char, const char *, const char *, uint32_t,
                  const char *);
    /* Makes one, in the room that the hidden first argument says; may be NULL.
     */
    void (*no_gradient)(struct osw_torch_function *);
    void (*drop_function)(struct osw_torch_function *);
    void *(*library_function)(osw_torch_handle, const char *,
                              struct osw_torch_function *, int);
    /* Of gradients; include is NULL where one of them is missing. */
    unsigned char (*grad_mode_is_enabled)(void);
    osw_torch_err (*call_dispatcher)(const char *, const char *, uint64_t *);
    unsigned char (*requires_grad)(const void *); /* of a c10::TensorImpl */
    void (*exclude)(void *, uint64_t);            /* a guard, and its end */
    void (*include)(void *);
    void (*delete_cell)(void *); /* of an optional argument; free() if NULL */
    int (*threads)(void);        /* NULL: one */
} osw_torch;

/* torch's numbers of dtypes are asked of it, not assumed. */
static struct {
    const char *name;
    osw_dtype is;
    int32_t torch;
} osw_torch_dtypes[] = {
    {"float64", {OSW_FLOAT, 64, 1}, -1},
    {"float32", {OSW_FLOAT, 32, 1}, -1},
    {"float16", {OSW_FLOAT, 16, 1}, -1},
    {"bfloat16", {OSW_BFLOAT, 16, 1}, -1},
    {"int64", {OSW_INT, 64, 1}, -1},
    {"int32", {OSW_INT, 32, 1}, -1},
    {"int16", {OSW_INT, 16, 1}, -1},
    {"int8", {OSW_INT, 8, 1}, -1},
    {"uint8", {OSW_UINT, 8, 1}, -1},
    {"bool", {OSW_BOOL, 8, 1}, -1},
    {"complex64", {OSW_COMPLEX, 64, 1}, -1},
    {"complex128", {OSW_COMPLEX, 128, 1}, -1},
};
#define OSW_TORCH_N_DTYPES                                                     \
    (int)(sizeof(osw_torch_dtypes) / sizeof(osw_torch_dtypes[0]))
static int32_t osw_torch_cpu;

/* 0, or -1: not on a processor, a dtype that kernels do not know. */
static int osw_torch_describe(osw_torch_handle h, osw_tensor *t)
{
    int64_t dim, *shape, *strides;
    int32_t dtype, device;

    memset(t, 0, sizeof(*t));
    if (osw_torch.get_dim(h, &dim) || osw_torch.get_sizes(h, &shape) ||
        osw_torch.get_strides(h, &strides) || osw_torch.get_dtype(h, &dtype) ||
        osw_torch.get_device_type(h, &device) || device != osw_torch_cpu ||
        dim > OSW_EXPORT_MAX_NDIM || osw_torch.get_data_ptr(h, &t->data))
        return -1;
    t->ndim = (int32_t)dim;
    t->shape = shape;
    t->strides = strides;
    t->device.type = OSW_CPU;
    for (int i = 0; i < OSW_TORCH_N_DTYPES; i++)
        if (osw_torch_dtypes[i].torch == dtype)
            t->dtype = osw_torch_dtypes[i].is;
    return t->dtype.bits ? 0 : -1;
}

/* A contiguous tensor; NULL when torch has no such dtype, or no memory. */
static osw_torch_handle osw_torch_empty(osw_dtype dtype, int32_t ndim,
                                        const int64_t *shape)
{
    int64_t strides[OSW_EXPORT_MAX_NDIM], next = 1;
    osw_torch_handle h = NULL;

    if (ndim > OSW_EXPORT_MAX_NDIM)
        return NULL;
    for (int32_t d = ndim - 1; d >= 0; d--) {
        strides[d] = next;
        next *= shape[d] > 1 ? shape[d] : 1;
    }
    for (int i = 0; i < OSW_TORCH_N_DTYPES; i++)
        if (osw_torch_dtypes[i].is.code == dtype.code &&
            osw_torch_dtypes[i].is.bits == dtype.bits &&
            osw_torch_dtypes[i].torch >= 0)
            return osw_torch.empty_strided(ndim, shape, strides,
                                           osw_torch_dtypes[i].torch,
                                           osw_torch_cpu, 0, &h)
                       ? NULL
                       : h;
    return NULL;
}

/* A call on its way. */
struct osw_torch_frame {
    struct osw_export_frame f;
    osw_torch_handle outputs[OSW_EXPORT_MAX_OUTPUTS]; /* NULL: not made yet */
};

static const char *osw_torch_make(void *to, int i, osw_tensor *t)
{
    struct osw_torch_frame *frame = (struct osw_torch_frame *)to;
    osw_torch_handle *h = &frame->outputs[i];

    if (!*h)
        *h = osw_torch_empty(t->dtype, t->ndim, t->shape);
    return *h && osw_torch.get_data_ptr(*h, &t->data) == 0
               ? NULL
               : "torch has no tensor of an output's dtype and shape";
}

static void osw_torch_drop(struct osw_torch_frame *t)
{
    for (int i = 0; i < t->f.n_outputs; i++) {
        if (t->outputs[i])
            osw_torch.delete_tensor_object(t->outputs[i]);
        t->outputs[i] = NULL;
    }
}

static int osw_torch_all(int op, osw_call *call, struct osw_torch_frame *t)
{
    const struct osw_export_impl *impl = osw_export_ops[op].impls;
    int rc = OSW_UNSUPPORTED;

    for (; impl->name && rc == OSW_UNSUPPORTED; impl++) {
        rc = osw_export_try(impl, call, &t->f);
        if (rc)
            osw_torch_drop(t);
    }
    return rc;
}

/* The same on contiguous copies; OSW_UNSUPPORTED when all are already. */
static int osw_torch_straight(int op, osw_call *call, struct osw_torch_frame *t,
                              const uint64_t *stack)
{
    osw_torch_handle copies[OSW_EXPORT_MAX_ARGS];
    int n = 0, rc = OSW_UNSUPPORTED, failed = 0;

    for (uint32_t i = 0; i < call->n_args && !failed; i++) {
        osw_tensor *x = (osw_tensor *)t->f.args[i].u.tensor;
        osw_torch_handle from = (osw_torch_handle)(uintptr_t)stack[i], copy;

        if (t->f.args[i].tag != OSW_ARG_TENSOR || osw_is_contiguous(x))
            continue;
        if (osw_torch_ops[op].args[i] == 'T')
            from = *(osw_torch_handle *)from;
        copy = osw_torch_empty(x->dtype, x->ndim, x->shape);
        if (copy)
            copies[n++] = copy;
        failed = !copy || osw_torch.copy_(copy, from, 0) ||
                 osw_torch_describe(copy, x) < 0;
    }
    if (n > 0 && !failed)
        rc = osw_torch_all(op, call, t);
    while (n > 0)
        osw_torch.delete_tensor_object(copies[--n]);
    return failed ? OSW_ERROR : rc;
}

/* The kernel of autograd calls this one by way of torch, which prints a failure
 * with 50 lines and forgets its words.  While it waits, failures are kept here
 * for it.
 */
static __thread struct {
    int waits, failed;
    char said[700];
} osw_torch_kept;

/* True: empty results stand for it; else it has to be raised. */
static int osw_torch_keep(const char *said, struct osw_torch_frame *t)
{
    static const osw_dtype f32 = {OSW_FLOAT, 32, 1};
    static const int64_t none = 0;

    if (!osw_torch_kept.waits)
        return 0;
    for (int i = 0; i < t->f.n_outputs; i++)
        if (!t->outputs[i])
            t->outputs[i] = osw_torch_empty(f32, 1, &none);
    osw_torch_kept.failed = 1;
    snprintf(osw_torch_kept.said, sizeof(osw_torch_kept.said), "%s", said);
    return 1;
}

static void osw_torch_scalar(osw_arg *a, char kind, uint64_t word)
{
    if (kind == 'f') {
        a->tag = OSW_ARG_FLOAT;
        memcpy(&a->u.f, &word, sizeof(a->u.f));
    } else if (kind == 'd') {
        a->tag = OSW_ARG_DTYPE;
        for (int i = 0; i < OSW_TORCH_N_DTYPES; i++)
            if (osw_torch_dtypes[i].torch == (int32_t)word)
                a->u.dtype = osw_torch_dtypes[i].is;
    } else {
        a->tag = kind == 'b' ? OSW_ARG_BOOL : OSW_ARG_INT;
        a->u.i = kind == 'b' ? (int64_t)(word & 1) : (int64_t)word;
    }
}

/* What a boxed kernel does: it owns its arguments, and leaves its results in
 * their place.
 */
static void osw_torch_call(int op, uint64_t *stack, uint64_t n_args,
                           uint64_t n_outputs)
{
    const char *kinds = osw_torch_ops[op].args;
    struct osw_torch_frame t;
    char said[700];
    osw_call call;
    int rc = 0;

    memset(&t.f, 0, offsetof(struct osw_export_frame, args));
    memset(&t.f.n_items, 0,
           sizeof(t.f) - offsetof(struct osw_export_frame, n_items));
    memset(t.outputs, 0, sizeof(t.outputs));
    memset(&call, 0, sizeof(call));
    t.f.device.type = OSW_CPU;
    t.f.n_outputs = t.f.n_required = (int)n_outputs;
    for (int i = 0; i < t.f.n_outputs; i++)
        t.f.alias[i] = -1;
    t.f.make = osw_torch_make;
    t.f.make_to = &t;
    call.size = sizeof(call);
    call.abi_version = OSW_ABI_VERSION;
    call.n_args = (uint32_t)n_args;
    call.n_threads = osw_torch.threads ? (uint32_t)osw_torch.threads() : 1;
    call.args = t.f.args;
    call.runner = &t.f;
    call.output = osw_export_output;
    call.output_alias = osw_export_alias;
    call.workspace = osw_export_workspace;
    call.error = osw_export_report;
    for (uint64_t i = 0; i < n_args && rc == 0; i++) {
        char kind = kinds[i];
        uint64_t word = stack[i];
        osw_arg *a = &t.f.args[i];

        memset(a, 0, sizeof(*a));
        a->name = "";
        if (kind < 'a') { /* None, or a cell with the value */
            if (!word)
                continue;
            word = *(uint64_t *)(uintptr_t)word;
            kind = (char)(kind + 'a' - 'A');
        }
        if (kind != 't') {
            osw_torch_scalar(a, kind, word);
            continue;
        }
        a->tag = OSW_ARG_TENSOR;
        a->u.tensor = &t.f.tensors[i];
        rc = osw_torch_describe((osw_torch_handle)(uintptr_t)word,
                                &t.f.tensors[i])
                 ? OSW_UNSUPPORTED
                 : 0;
    }
    if (rc == 0) {
        rc = osw_torch_all(op, &call, &t);
        if (rc == OSW_UNSUPPORTED)
            rc = osw_torch_straight(op, &call, &t, stack);
    }
    if (rc != 0)
        snprintf(said, sizeof(said), "%s: %s", osw_export_ops[op].name,
                 rc == OSW_UNSUPPORTED
                     ? "no implementation takes these arguments"
                 : osw_export_text[0] ? osw_export_text
                                      : "failed");
    for (uint64_t i = 0; i < n_args; i++) {
        void *p = (void *)(uintptr_t)stack[i];

        if (kinds[i] == 'T' && p)
            osw_torch.delete_tensor_object(*(osw_torch_handle *)p);
        if (kinds[i] < 'a' && p)
            (osw_torch.delete_cell ? osw_torch.delete_cell : free)(p);
        if (kinds[i] == 't')
            osw_torch.delete_tensor_object(p);
    }
    if (rc != 0 && !osw_torch_keep(said, &t))
        osw_torch.check(0, osw_export_ops[op].name, "opsweep", 0, said);
    for (uint64_t i = 0; i < n_outputs; i++)
        stack[i] = (uint64_t)(uintptr_t)t.outputs[i];
}

/* --- gradients --- */

static int osw_torch_wants_gradient(const char *kinds, const uint64_t *stack,
                                    uint64_t n_args)
{
    if (!osw_torch.grad_mode_is_enabled())
        return 0;
    for (uint64_t i = 0; i < n_args; i++) {
        void *const *h = (void *const *)(uintptr_t)stack[i];

        if (kinds[i] == 'T' && h) /* a cell with the handle */
            h = (void *const *)*h;
        if ((kinds[i] == 't' || kinds[i] == 'T') && h &&
            osw_torch.requires_grad(*h))
            return 1;
    }
    return 0;
}

static uint64_t osw_torch_autograd_keys;

/* The kernel of autograd: where a gradient is wanted operator `with`, which is
 * Python; else `name` once more, without autograd.
 */
static void osw_torch_graded(int op, const char *name, const char *with,
                             const char *overload, uint64_t *stack,
                             uint64_t n_args, uint64_t n_outputs)
{
    int waited = osw_torch_kept.waits, failed;
    uint64_t guard[8]; /* a c10::impl::ExcludeDispatchKeyGuard */
    osw_torch_err rc;

    osw_torch_kept.waits = 1;
    osw_torch_kept.failed = 0;
    if (osw_torch_wants_gradient(osw_torch_ops[op].args, stack, n_args)) {
        rc = osw_torch.call_dispatcher(with, overload, stack);
    } else {
        osw_torch.exclude(guard, osw_torch_autograd_keys);
        rc = osw_torch.call_dispatcher(name, overload, stack);
        osw_torch.include(guard);
    }
    osw_torch_kept.waits = waited;
    failed = osw_torch_kept.failed;
    if (failed && rc == 0)
        for (uint64_t i = 0; i < n_outputs; i++)
            osw_torch.delete_tensor_object((void *)(uintptr_t)stack[i]);
    if (failed || rc != 0)
        osw_torch.check(0, name, "opsweep", 0,
                        failed ? osw_torch_kept.said
                               : "torch failed: see its message above");
}

/* torch's own kernel of operators whose backward() raises an error is C++: the
 * C interface has no name for it.
 */
static void osw_torch_bind_no_gradient(void *lib)
{
#if defined(__x86_64__) /* elsewhere the hidden argument is not the first */
    *(void **)&osw_torch.drop_function =
        dlsym(lib, "_ZN5torch11CppFunctionD1Ev");
    *(void **)&osw_torch.library_function =
        dlsym(lib, "_ZNR5torch7Library5_implEPKcONS_11CppFunctionENS_17_"
                   "RegisterOrVerifyE");
    if (osw_torch.drop_function && osw_torch.library_function)
        *(void **)&osw_torch.no_gradient =
            dlsym(lib, "_ZN5torch8autograd30autogradNotImplementedFallbackEv");
#else
    (void)lib;
#endif
}

/* C++, too, but for two. */
static void osw_torch_bind_gradient(void *lib)
{
    void *c10 = dlopen("libc10.so", RTLD_NOLOAD | RTLD_NOW);

    if (!c10)
        return;
    *(void **)&osw_torch.grad_mode_is_enabled =
        dlsym(lib, "aoti_torch_grad_mode_is_enabled");
    *(void **)&osw_torch.call_dispatcher =
        dlsym(lib, "aoti_torch_call_dispatcher");
    *(void **)&osw_torch.requires_grad =
        dlsym(c10, "_ZNK3c1010TensorImpl13requires_gradEv");
    *(void **)&osw_torch.exclude = dlsym(
        c10, "_ZN3c104impl23ExcludeDispatchKeyGuardC1ENS_14DispatchKeySetE");
    *(void **)&osw_torch.include =
        dlsym(c10, "_ZN3c104impl23ExcludeDispatchKeyGuardD1Ev");
    if (!osw_torch.grad_mode_is_enabled || !osw_torch.call_dispatcher ||
        !osw_torch.requires_grad || !osw_torch.exclude)
        osw_torch.include = NULL;
}

static int osw_torch_bind(void)
{
    static int known; /* 1: all is there; -1: not */
    void *lib = dlopen("libtorch_cpu.so", RTLD_NOLOAD | RTLD_NOW);
    int32_t (*ask)(void);
    char name[64];

    if (known || !lib)
        return known > 0 ? 0 : -1;
    known = -1;
#define X(f, args)                                                             \
    if (!(*(void **)&osw_torch.f = dlsym(lib, "aoti_torch_" #f)))              \
        return -1;
    OSW_TORCH_FUNCTIONS(X)
#undef X
    *(void **)&osw_torch.check = dlsym(lib, "aoti_torch_check");
    *(void **)&osw_torch.delete_cell = dlsym(lib, "torch_delete_stable_ivalue");
    *(void **)&osw_torch.threads = dlsym(lib, "_ZN2at15get_num_threadsEv");
    *(void **)&ask = dlsym(lib, "aoti_torch_device_type_cpu");
    osw_torch_bind_no_gradient(lib);
    osw_torch_bind_gradient(lib);
    if (!osw_torch.check || !ask)
        return -1;
    osw_torch_cpu = ask();
    for (int i = 0; i < OSW_TORCH_N_DTYPES; i++) {
        snprintf(name, sizeof(name), "aoti_torch_dtype_%s",
                 osw_torch_dtypes[i].name);
        *(void **)&ask = dlsym(lib, name);
        if (ask)
            osw_torch_dtypes[i].torch = ask();
    }
    known = 1;
    return 0;
}

/* Register operator `op` of the table as kernel NS::NAME of a processor.  0, or
 * -1: this torch or this operator cannot be served so.
 */
int osw_export_torch(const char *ns, const char *name, int op)
{
    osw_torch_handle library;

    if (op < 0 || op >= osw_export_n_ops || !osw_torch_ops[op].boxed ||
        osw_torch_bind() < 0 ||
        osw_torch.library_init_impl(ns, "CPU", __FILE__, __LINE__, &library))
        return -1;
    return osw_torch.library_impl(library, name, osw_torch_ops[op].boxed) ? -1
                                                                          : 0;
}

/* Give NS::NAME, whose results are new tensors, a gradient that raises an
 * error: calls without gradients pass it as fast as those of torch's own
 * operators. 0, or -1: not with this torch.
 */
int osw_export_torch_no_gradient(const char *ns, const char *name)
{
    struct osw_torch_function function;
    osw_torch_handle library;

    if (osw_torch_bind() < 0 || !osw_torch.no_gradient ||
        osw_torch.library_init_impl(ns, "Autograd", __FILE__, __LINE__,
                                    &library))
        return -1;
    osw_torch.no_gradient(&function);
    osw_torch.library_function(library, name, &function, 0);
    osw_torch.drop_function(&function);
    return 0;
}

/* Give NS::NAME, operator `op` of the table, a kernel of autograd on a
 * processor that passes no Python where no gradient is wanted; NS::_grad_NAME,
 * which is there, is called where one is.  keys: those of autograd, as a
 * DispatchKeySet. 0, or -1: not with this torch or this operator.
 */
int osw_export_torch_gradient(const char *ns, const char *name, int op,
                              uint64_t keys)
{
    osw_torch_handle library;

    if (op < 0 || op >= osw_export_n_ops || !osw_torch_ops[op].graded ||
        !keys || osw_torch_bind() < 0 || !osw_torch.include ||
        osw_torch.library_init_impl(ns, "AutogradCPU", __FILE__, __LINE__,
                                    &library))
        return -1;
    osw_torch_autograd_keys = keys;
    return osw_torch.library_impl(library, name, osw_torch_ops[op].graded) ? -1
                                                                           : 0;
}

#endif /* OPSWEEP_EXPORT_TORCH_H */
