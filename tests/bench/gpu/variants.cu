/* tests/bench/gpu/variants.cu - memory-bound kernels of the library, by
 * themselves: each case checked against the reference, then timed
 *
 *   variants FOLDER OP   with OP__<variant>.so and OP__reference.so in it
 *
 * Without opsweep's processes and judge: what a kernel does is seen in
 * seconds.  A line for each case and variant, f32 and bf16: how much of the
 * rate of the runtime's copy it reaches, both by the median of 20 launches on a
 * cleared cache, and the worst error, as a part of what is allowed (`WRONG`
 * above 1).  Inputs have 384 MiB in f32 and 320 in bf16, or TIMES (1 to 8) as
 * much.  Small cases of odd widths are only checked: those that are wrong are
 * listed, the others counted.  ONLY=N: only what is timed, rows of N; AS=M: of M
 * elements instead.
 */
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <map>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <opsweep/elements.h>

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t e_ = (call);                                               \
        if (e_ != cudaSuccess) {                                               \
            printf("%s: %s\n", #call, cudaGetErrorString(e_));                 \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

typedef int op_f(const osw_call *call);

struct tensor {
    osw_tensor t = {};
    std::vector<int64_t> shape, strides;
};

struct outputs {
    tensor out[3];
    double *exact[3] = {};
    bool is_reference = false;
    void *workspace = NULL;
    size_t workspace_bytes = 0;
};

static const osw_dtype F32 = {OSW_FLOAT, 32, 1}, BF16 = {OSW_BFLOAT, 16, 1},
                       I64 = {OSW_INT, 64, 1};

static int64_t numel(const std::vector<int64_t> &shape)
{
    int64_t n = 1;

    for (int64_t s : shape)
        n *= s;
    return n;
}

static void bind(tensor *t)
{
    t->t.ndim = (int32_t)t->shape.size();
    t->t.shape = t->shape.data();
    t->t.strides = t->strides.data();
}

static void make(tensor *t, osw_dtype dtype, std::vector<int64_t> shape,
                 std::vector<int64_t> strides = {})
{
    int64_t step = 1;

    t->shape = shape;
    t->strides = strides;
    if (strides.empty()) {
        t->strides.resize(shape.size());
        for (size_t d = shape.size(); d-- > 0;) {
            t->strides[d] = step;
            step *= shape[d];
        }
    }
    t->t = {};
    t->t.device.type = OSW_CUDA;
    t->t.dtype = dtype;
    CHECK(cudaMalloc(&t->t.data, (size_t)numel(shape) * dtype.bits / 8 + 256));
    /* NaN: what is not written is seen */
    CHECK(cudaMemset(t->t.data, 0xff,
                     (size_t)numel(shape) * dtype.bits / 8 + 256));
    bind(t);
}

__device__ static uint32_t mix(uint64_t i)
{
    i = (i ^ i >> 31) * 0x7fb5d329728ea185ull;
    i = (i ^ i >> 27) * 0x81dadef4bc2dd44dull;
    return (uint32_t)(i >> 32);
}

/* Nearly normal, about `mean`; integers below `below`. */
__global__ static void fill(char *data, osw_dtype t, int64_t n, double mean,
                            int64_t below, uint64_t seed)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * blockDim.x) {
        if (t.code == OSW_INT) {
            ((int64_t *)data)[i] = mix(i + seed) % below;
        } else {
            double v = -6.0;

            for (int k = 0; k < 12; k++)
                v += mix((i * 12 + k) * 8 + seed) * 0x1p-32;
            osw_store(t, data + i * (t.bits / 8), v + mean);
        }
    }
}

/* As often as words of a language: the k-th with a frequency of 1 / k. */
__global__ static void as_words(int64_t *data, int64_t n, int64_t below)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * blockDim.x)
        data[i] = (int64_t)pow((double)below, mix(i + 7) * 0x1p-32) %
                  below * 7919 % below;
}

/* What a reference has that is exact in the output's own dtype. */
__global__ static void widen(const char *out, double *exact, osw_dtype t,
                             int64_t n)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * blockDim.x)
        exact[i] = osw_load(t, out + i * (t.bits / 8));
}

/* worst[0]: |out - exact| over what is allowed, as float bits.  unit: what
 * results are about, where they are less than 1.
 */
__global__ static void compare(const char *out, const double *exact,
                               osw_dtype t, int64_t n, double unit,
                               unsigned *worst)
{
    double rtol = t.bits == 16 ? 1.6e-2 : 1e-5;
    double atol = (t.bits == 16 ? 4e-3 : 3e-4) * unit;
    float most = 0.0f;

    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * blockDim.x) {
        double v = osw_load(t, out + i * (t.bits / 8));
        float e = (float)(fabs(v - exact[i]) / (atol + rtol * fabs(exact[i])));

        if (!(e <= most))
            most = isnan(e) ? 1e30f : e;
    }
    atomicMax(worst, __float_as_uint(most));
}

static osw_tensor *output(const osw_call *call, int i, osw_dtype dtype,
                          int32_t ndim, const int64_t *shape, const int64_t *)
{
    outputs *o = (outputs *)call->runner;

    if (!o->out[i].t.data)
        make(&o->out[i], dtype, std::vector<int64_t>(shape, shape + ndim));
    bind(&o->out[i]);
    return &o->out[i].t;
}

static double *output_exact(const osw_call *call, int i)
{
    outputs *o = (outputs *)call->runner;

    if (!o->exact[i]) {
        size_t bytes = (size_t)numel(o->out[i].shape) * 8 + 256;

        CHECK(cudaMalloc(&o->exact[i], bytes));
        CHECK(cudaMemset(o->exact[i], 0xff, bytes));
    }
    return o->exact[i];
}

static void *workspace(const osw_call *call, size_t bytes)
{
    outputs *o = (outputs *)call->runner;

    if (bytes > o->workspace_bytes) {
        cudaFree(o->workspace);
        CHECK(cudaMalloc(&o->workspace, bytes));
        CHECK(cudaMemset(o->workspace, 0xa5, bytes));
        o->workspace_bytes = bytes;
    }
    return o->workspace;
}

static int error(const osw_call *, const char *message)
{
    printf("%s\n", message);
    return OSW_ERROR;
}

/* --- cases --- */

struct one {
    tensor t[8];
    osw_arg arg[8] = {};
    osw_arg item[8] = {};
    int n = 0, n_tensors = 0, n_items = 0;

    void add(osw_dtype d, std::vector<int64_t> shape,
             std::vector<int64_t> strides = {}, double mean = 0.0,
             int64_t below = 1)
    {
        tensor *x = &t[n_tensors++];

        make(x, d, shape, strides);
        fill<<<4096, 256>>>((char *)x->t.data, d, numel(shape), mean, below,
                            (uint64_t)n_tensors << 40);
        arg[n].tag = OSW_ARG_TENSOR;
        arg[n].name = "";
        arg[n++].u.tensor = &x->t;
    }
    void add(int64_t v, uint32_t tag = OSW_ARG_INT)
    {
        arg[n].tag = tag;
        arg[n].name = "";
        arg[n++].u.i = v;
    }
    void number(double v)
    {
        arg[n].tag = OSW_ARG_FLOAT;
        arg[n].name = "";
        arg[n++].u.f = v;
    }
    void dtype(osw_dtype d)
    {
        arg[n].tag = OSW_ARG_DTYPE;
        arg[n].name = "";
        arg[n++].u.dtype = d;
    }
    void list(std::vector<int64_t> v, uint32_t tag = OSW_ARG_INT)
    {
        arg[n].tag = OSW_ARG_LIST;
        arg[n].n = (uint32_t)v.size();
        arg[n].name = "";
        arg[n++].u.items = &item[n_items];
        for (int64_t i : v) {
            item[n_items].tag = tag;
            item[n_items].name = "";
            item[n_items++].u.i = i;
        }
    }
    ~one()
    {
        for (int i = 0; i < n_tensors; i++)
            cudaFree(t[i].t.data);
    }
};

struct spec {
    const char *op, *what;
    int64_t width; /* of a row */
    int timed;     /* or small, only checked */
};

static const spec cases[] = {
    {"_softmax", "512", 512, 1},
    {"_softmax", "2048", 2048, 1},
    {"_softmax", "8192", 8192, 1},
    {"_softmax", "50257", 50257, 1},
    {"_log_softmax", "8192", 8192, 1},
    {"_log_softmax", "50257", 50257, 1},
    {"add__Tensor", "turned", 8192, 1},
    {"add__Tensor", "flat", 8192, 1},
    {"clone", "turned", 8192, 1},
    {"clone", "heads", 8192, 1},
    {"_softmax_backward_data", "512", 512, 1},
    {"_softmax_backward_data", "8192", 8192, 1},
    {"_log_softmax_backward_data", "8192", 8192, 1},
    {"_log_softmax_backward_data", "50257", 50257, 1},
    {"native_layer_norm", "768", 768, 1},
    {"native_layer_norm", "1024", 1024, 1},
    {"native_layer_norm", "8192", 8192, 1},
    {"native_layer_norm_backward", "1024", 1024, 1},
    {"native_layer_norm_backward", "4096", 4096, 1},
    {"sum__dim_IntList", "rows", 8192, 1},
    {"sum__dim_IntList", "columns", 8192, 1},
    {"sum__dim_IntList", "all", 8192, 1},
    {"sum__dim_IntList", "middle", 1024, 1},
    {"sum__dim_IntList", "short", 256, 1},
    {"cumsum", "rows", 8192, 1},
    {"embedding", "1024", 1024, 1},
    {"embedding_dense_backward", "1024", 1024, 1},
    {"embedding_dense_backward", "words", 1024, 1},
    {"_softmax", "small", 7, 0},
    {"_softmax", "small", 64, 0},
    {"_softmax", "small", 100, 0},
    {"_softmax", "small", 200, 0},
    {"_softmax", "small", 500, 0},
    {"_softmax", "small", 1000, 0},
    {"_softmax", "small", 1001, 0},
    {"_softmax", "small", 3000, 0},
    {"_softmax", "small", 5001, 0},
    {"_softmax", "small", 20001, 0},
    {"_softmax", "small", 40000, 0},
    {"_log_softmax", "small", 9, 0},
    {"_log_softmax", "small", 1000, 0},
    {"_log_softmax", "small", 20001, 0},
    {"_softmax_backward_data", "small", 7, 0},
    {"_softmax_backward_data", "small", 100, 0},
    {"_softmax_backward_data", "small", 1000, 0},
    {"_softmax_backward_data", "small", 1001, 0},
    {"_softmax_backward_data", "small", 5001, 0},
    {"_softmax_backward_data", "small", 20001, 0},
    {"_softmax_backward_data", "small", 40000, 0},
    {"_log_softmax_backward_data", "small", 100, 0},
    {"_log_softmax_backward_data", "small", 1001, 0},
    {"_log_softmax_backward_data", "small", 20001, 0},
    {"_log_softmax_backward_data", "small", 40000, 0},
    {"native_layer_norm", "small", 7, 0},
    {"native_layer_norm", "small", 100, 0},
    {"native_layer_norm", "small", 250, 0},
    {"native_layer_norm", "small", 1000, 0},
    {"native_layer_norm", "small", 1001, 0},
    {"native_layer_norm", "small", 3000, 0},
    {"native_layer_norm", "small", 5001, 0},
    {"native_layer_norm", "small", 20001, 0},
    {"native_layer_norm", "small", 40000, 0},
    {"native_layer_norm_backward", "small", 8, 0},
    {"native_layer_norm_backward", "small", 100, 0},
    {"native_layer_norm_backward", "small", 1000, 0},
    {"native_layer_norm_backward", "small", 2000, 0},
    {"native_layer_norm_backward", "small", 4096, 0},
    {"native_layer_norm_backward", "small", 20000, 0},
    {"sum__dim_IntList", "small", 3, 0},
    {"sum__dim_IntList", "small", 100, 0},
    {"sum__dim_IntList", "small", 300, 0},
    {"sum__dim_IntList", "small", 1001, 0},
    {"sum__dim_IntList", "small", 5000, 0},
    {"sum__dim_IntList", "small", 40001, 0},
    {"cumsum", "small", 8, 0},
    {"cumsum", "small", 100, 0},
    {"cumsum", "small", 1000, 0},
    {"cumsum", "small", 1001, 0},
    {"cumsum", "small", 4104, 0},
    {"cumsum", "small", 40000, 0},
    {"embedding", "small", 3, 0},
    {"embedding", "small", 100, 0},
    {"embedding", "small", 1000, 0},
    {"embedding_dense_backward", "small", 3, 0},
    {"embedding_dense_backward", "small", 100, 0},
    {"embedding_dense_backward", "small", 1000, 0},
    {"embedding_dense_backward", "small", 1024, 0},
    {"embedding_dense_backward", "words", 520, 0},
    {"embedding_dense_backward", "words", 8, 0},
    {"_log_softmax", "small", 50257, 0},
    {"_softmax", "small", 50257, 0},
    {"_softmax", "small", 34000, 0},
    {"_softmax", "small", 70000, 0},
    {"_log_softmax_backward_data", "small", 50257, 0},
    {"native_layer_norm", "small", 96, 0},
    {"native_layer_norm", "small", 768, 0},
    {"native_layer_norm", "small", 1536, 0},
    {"native_layer_norm", "small", 4096, 0},
    {"native_layer_norm", "small", 16384, 0},
    {"native_layer_norm_backward", "small", 256, 0},
    {"native_layer_norm_backward", "small", 768, 0},
    {"native_layer_norm_backward", "small", 8192, 0},
    {"add__Tensor", "turned", 24, 0},
    {"add__Tensor", "turned", 200, 0},
    {"add__Tensor", "turned", 1001, 0},
    {"clone", "turned", 24, 0},
    {"clone", "turned", 200, 0},
    {"clone", "turned", 1001, 0},
    {"embedding_dense_backward", "few", 64, 0},
    {"embedding_dense_backward", "few", 1000, 0},
    {"sum__dim_IntList", "columns", 1001, 0},
    {"sum__dim_IntList", "columns", 2048, 0},
    {"sum__dim_IntList", "middle", 1024, 0},
    {"sum__dim_IntList", "columns", 40, 0},
    {"sum__dim_IntList", "all", 1001, 0},
};

/* 384 MiB in f32, 320 in bf16, so many times. */
static int64_t n_times()
{
    const char *words = getenv("TIMES");
    int n = words ? atoi(words) : 1;

    return n < 1 ? 1 : n > 8 ? 8 : n;
}

static int64_t elements_of(const spec &s, osw_dtype d)
{
    int64_t n = (d.bits == 32 ? 12288 : 20480) * 8192ll * n_times();

    return (s.timed ? n : 2 << 20) / s.width * s.width;
}

static void build(one *c, const spec &s, osw_dtype d)
{
    int64_t n = elements_of(s, d), w = s.width, rows = n / w;
    std::string op = s.op, what = s.what;

    if (op == "_softmax" || op == "_log_softmax") {
        c->add(d, {rows, w});
        c->add(-1);
        c->add(0, OSW_ARG_BOOL);
    } else if (op == "_softmax_backward_data" ||
               op == "_log_softmax_backward_data") {
        c->add(d, {rows, w});
        c->add(d, {rows, w}, {}, -4.0);
        c->add(-1);
        c->dtype(d);
    } else if (op == "native_layer_norm") {
        c->add(d, {rows, w}, {}, d.bits == 32 ? 100.0 : 0.0);
        c->list({w});
        c->add(d, {w});
        c->add(d, {w});
        c->number(1e-5);
    } else if (op == "native_layer_norm_backward") {
        c->add(d, {rows, w});
        c->add(d, {rows, w});
        c->list({w});
        c->add(F32, {rows, 1});
        c->add(F32, {rows, 1}, {}, 1.0);
        c->add(d, {w});
        c->add(d, {w});
        c->list({1, 1, 1}, OSW_ARG_BOOL);
    } else if (op == "sum__dim_IntList") {
        if (what == "middle")
            c->add(d, {n >> 20, 1024, 1024});
        else
            c->add(d, {rows, w});
        if (what == "all")
            c->list({0, 1});
        else
            c->list({what == "columns" ? 0 : 1});
        c->add(0, OSW_ARG_BOOL);
        c->add(0, OSW_ARG_NONE);
    } else if (op == "add__Tensor") {
        c->add(d, {rows, w});
        if (what == "turned")
            c->add(d, {rows, w}, {1, rows});
        else
            c->add(d, {rows, w});
        c->add(1);
    } else if (op == "clone") {
        if (what == "heads") /* of attention, keys turned */
            c->add(d, {n >> 20, 16, 64, 1024}, {1 << 20, 64, 1, 1024});
        else
            c->add(d, {rows, w}, {1, rows});
        c->add(0, OSW_ARG_NONE);
    } else if (op == "cumsum") {
        c->add(d, {rows, w});
        c->add(1);
    } else if (op == "embedding") {
        c->add(d, {2048, w});
        c->add(I64, {rows}, {}, 0.0, 2048);
    } else if (op == "embedding_dense_backward") {
        c->add(d, {rows, w});
        int64_t n = what == "few" ? 5 : what == "words" ? 50257 : 4096;

        c->add(I64, {rows}, {}, 0.0, n);
        if (what == "words")
            as_words<<<1024, 256>>>((int64_t *)c->t[1].t.data, rows, n);
        c->add(n);
        c->add(-1);
        c->add(0, OSW_ARG_BOOL);
    }
}

static osw_call call_of(const one *c, outputs *o, cudaStream_t stream)
{
    osw_call call = {};

    call.size = sizeof(call);
    call.abi_version = OSW_ABI_VERSION;
    call.n_args = (uint32_t)c->n;
    call.n_threads = 1;
    call.args = c->arg;
    call.stream = stream;
    call.runner = o;
    call.output = output;
    call.output_exact = o->is_reference ? output_exact : NULL;
    call.workspace = workspace;
    call.error = error;
    return call;
}

__global__ static void read_all(const uint4 *data, int64_t n, unsigned *sink)
{
    unsigned seen = 0;

    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * blockDim.x) {
        uint4 v = __ldcg(data + i);

        seen |= v.x ^ v.y ^ v.z ^ v.w;
    }
    if (seen == 1)
        *sink = seen;
}

/* Fill the second-level cache with clean lines, as opsweep does. */
static void clear_cache(cudaStream_t stream)
{
    static char *zeros;
    static unsigned *sink;
    static int bytes;

    if (!zeros) {
        CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0));
        bytes = 2 * bytes + (2 << 20);
        CHECK(cudaMalloc(&zeros, bytes));
        CHECK(cudaMemset(zeros, 0, bytes));
        CHECK(cudaMalloc(&sink, sizeof(*sink)));
    }
    read_all<<<1024, 256, 0, stream>>>((uint4 *)zeros, bytes / 16, sink);
}

/* Median of 20, in ms: between events of a captured graph, after a cleared
 * cache, as opsweep times them.
 */
template <class F> static float time_of(F f, cudaStream_t stream)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaEvent_t from, to;
    std::vector<float> ms(20);

    clear_cache(stream); /* has its memory */
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    clear_cache(stream);
    CHECK(cudaEventRecordWithFlags(from, stream, cudaEventRecordExternal));
    f();
    CHECK(cudaEventRecordWithFlags(to, stream, cudaEventRecordExternal));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = -3; i < (int)ms.size(); i++) {
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaEventElapsedTime(&ms[i < 0 ? 0 : i], from, to));
    }
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaEventDestroy(from);
    cudaEventDestroy(to);
    std::sort(ms.begin(), ms.end());
    return ms[ms.size() / 2];
}

/* TB/s, read and written. */
static float copy_rate(cudaStream_t stream)
{
    size_t bytes = 402653184 * (size_t)n_times();
    char *a, *b;
    float ms;

    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    ms = time_of(
        [&] {
            CHECK(
                cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, stream));
        },
        stream);
    cudaFree(a);
    cudaFree(b);
    return (float)(2.0 * (double)bytes / ms / 1e9);
}

/* The worst error of all outputs, as a part of what is allowed; -1 where there
 * is nothing to compare with.
 */
static float worst_of(const outputs &o, const outputs &exact, double unit,
                      unsigned *worst)
{
    float most = exact.exact[0] ? 0.0f : -1.0f, one;
    unsigned bits;

    for (int i = 0; i < 3; i++) {
        if (!o.out[i].t.data || !exact.exact[i])
            continue;
        CHECK(cudaMemset(worst, 0, 4));
        compare<<<4096, 256>>>((char *)o.out[i].t.data, exact.exact[i],
                               o.out[i].t.dtype, numel(o.out[i].shape), unit,
                               worst);
        CHECK(cudaMemcpy(&bits, worst, 4, cudaMemcpyDefault));
        memcpy(&one, &bits, 4);
        most = std::max(most, one);
    }
    return most;
}

/* What the reference makes of a case, in double. */
static void make_exact(const spec &s, const one &c, outputs *exact,
                       op_f *reference, cudaStream_t stream)
{
    osw_call call = call_of(&c, exact, stream);

    if (!reference || reference(&call))
        printf("%s %s: reference fails\n", s.op, s.what);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 3; i++) {
        if (!exact->out[i].t.data || exact->exact[i])
            continue;
        widen<<<4096, 256>>>((char *)exact->out[i].t.data,
                             output_exact(&call, i), exact->out[i].t.dtype,
                             numel(exact->out[i].shape));
        CHECK(cudaDeviceSynchronize());
    }
}

/* What has to move: inputs are read once, outputs written once. */
static double bytes_of(const one &c, const outputs &o)
{
    double bytes = 0;
    auto count = [&](const tensor &t) {
        if (t.t.data)
            bytes += (double)numel(t.shape) * t.t.dtype.bits / 8;
    };

    for (int i = 0; i < c.n_tensors; i++)
        count(c.t[i]);
    for (const tensor &t : o.out)
        count(t);
    return bytes;
}

static void release(outputs *o)
{
    for (int i = 0; i < 3; i++) {
        cudaFree(o->exact[i]);
        cudaFree(o->out[i].t.data);
    }
    cudaFree(o->workspace);
}

/* A case in one dtype by all variants: what there is to say of each, added to
 * its line.
 */
static void run_case(const spec &s, osw_dtype d,
                     const std::map<std::string, op_f *> &impls,
                     std::map<std::string, std::string> *line, unsigned *worst,
                     float copy, cudaStream_t stream, int *n_right)
{
    double unit = strcmp(s.op, "_softmax") ? 1.0 : 1.0 / s.width;
    const char *type = d.bits == 32 ? "f32" : "bf16";
    auto reference = impls.find("reference");
    one c;
    outputs exact;
    char text[80];

    build(&c, s, d);
    CHECK(cudaDeviceSynchronize());
    exact.is_reference = true;
    make_exact(s, c, &exact,
               reference == impls.end() ? NULL : reference->second, stream);
    for (auto &impl : impls) {
        outputs o;
        osw_call call = call_of(&c, &o, stream);
        float most, percent = 0.0f;

        if (impl.first == "reference")
            continue;
        if (impl.second(&call)) {
            (*line)[impl.first] += std::string("  ") + type + " unsupported";
            release(&o);
            continue;
        }
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(stream));
        most = worst_of(o, exact, unit, worst);
        if (s.timed)
            percent = (float)(100.0 * bytes_of(c, o) / 1e9 / copy /
                              time_of([&] { impl.second(&call); }, stream));
        if (s.timed || !(most >= 0.0f && most <= 1.0f)) {
            snprintf(text, sizeof(text), "  %4s %5.1f %% %s %-8.3g", type,
                     percent,
                     most < 0.0f    ? "unchecked"
                     : most <= 1.0f ? "ok"
                                    : "WRONG",
                     most);
            (*line)[impl.first] += text;
        } else {
            (*n_right)++;
        }
        release(&o);
    }
    release(&exact);
}

int main(int argc, char **argv)
{
    std::map<std::string, std::map<std::string, op_f *>> impls;
    cudaStream_t stream;
    unsigned *worst;
    DIR *dir = argc > 1 ? opendir(argv[1]) : NULL;
    const char *only = getenv("ONLY"), *as = getenv("AS");
    float copy;
    int n_right = 0;

    if (!dir || argc < 3)
        return 2;
    for (struct dirent *e; (e = readdir(dir));) {
        std::string name = e->d_name;
        size_t dot = name.rfind(".so"), cut;

        if (dot == std::string::npos || dot + 3 != name.size())
            continue;
        name.resize(dot);
        cut = name.rfind("__");
        if (name.substr(0, cut) != argv[2])
            continue;
        void *so = dlopen((std::string(argv[1]) + "/" + e->d_name).c_str(),
                          RTLD_NOW | RTLD_LOCAL);
        std::string op = name.substr(0, cut), as = name.substr(cut + 2);
        op_f *f =
            so ? (op_f *)dlsym(so, (op + (as == "reference" ? "_reference"
                                                            : "_kernel_impl"))
                                       .c_str())
               : NULL;

        if (!f)
            printf("%s: %s\n", e->d_name, dlerror());
        else
            impls[op][as] = f;
    }
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&worst, 4));
    copy = copy_rate(stream);
    if (impls.count(argv[2]))
        printf("%s: %zu files; copy %.2f TB/s\n", argv[2],
               impls[argv[2]].size(), copy);
    for (spec s : cases) {
        std::map<std::string, std::string> line;

        if (!impls.count(s.op) || (only && (!s.timed || s.width != atoi(only))))
            continue;
        if (only && as && atoi(as) > 0)
            s.width = atoi(as);
        for (osw_dtype d : {F32, BF16})
            run_case(s, d, impls[s.op], &line, worst, copy, stream, &n_right);
        for (auto &one : line)
            printf("%-20.20s %-7s %5ld %-9s%s\n", s.op, s.what, (long)s.width,
                   one.first.c_str(), one.second.c_str());
        fflush(stdout);
    }
    printf("%s: %d small cases right\n", argv[2], n_right);
    return 0;
}
