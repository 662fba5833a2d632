// tests/bench/gpu/nccl_loop.cu - NCCL's all_reduce in a bare loop
//
//   nccl_loop LIBNCCL BYTES...
//
// A thread for each GPU.  Prints for each size, separated by tabs: bytes, and
// microseconds of a call, called in a loop and replayed from a graph.  A time
// is the median of some, each of which is that of the slower GPU.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <vector>

enum { MAX = 16, SAMPLES = 21, FLOAT = 7, SUM = 0 };

struct id {
    char bytes[128];
};

static int (*get_unique_id)(struct id *);
static int (*comm_init_rank)(void **, int, struct id, int);
static int (*all_reduce)(const void *, void *, size_t, int, int, void *,
                         cudaStream_t);
static int n_gpus;
static struct id unique;
static pthread_barrier_t together;
static std::vector<size_t> sizes;
static float sampled[MAX][SAMPLES];

static void check(int code, const char *what)
{
    if (code == 0)
        return;
    fprintf(stderr, "nccl_loop: %s: error %d\n", what, code);
    exit(1);
}

struct member {
    int rank;
    void *comm;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    float *from, *to;
};

static void call(const struct member *m, size_t bytes)
{
    check(all_reduce(m->from, m->to, bytes / 4, FLOAT, SUM, m->comm, m->stream),
          "ncclAllReduce");
}

// n calls, as a loop or (graph) of that graph, which has n.
static float sample(const struct member *m, size_t bytes, int n,
                    cudaGraphExec_t graph)
{
    float ms;

    pthread_barrier_wait(&together);
    call(m, 8); // all have come
    check(cudaEventRecord(m->begin, m->stream), "event");
    for (int i = 0; !graph && i < n; i++)
        call(m, bytes);
    if (graph)
        check(cudaGraphLaunch(graph, m->stream), "graph");
    check(cudaEventRecord(m->end, m->stream), "event");
    check(cudaEventSynchronize(m->end), "calls");
    check(cudaEventElapsedTime(&ms, m->begin, m->end), "time");
    return ms * 1e3f / (float)n;
}

// Of rank 0: the median of the slowest.
static float median_us(const struct member *m, size_t bytes, int n,
                       cudaGraphExec_t graph)
{
    float slowest[SAMPLES];

    (void)sample(m, bytes, n, graph);
    for (int i = 0; i < SAMPLES; i++)
        sampled[m->rank][i] = sample(m, bytes, n, graph);
    pthread_barrier_wait(&together);
    for (int i = 0; i < SAMPLES; i++) {
        slowest[i] = 0;
        for (int k = 0; k < n_gpus; k++)
            slowest[i] = std::max(slowest[i], sampled[k][i]);
    }
    std::sort(slowest, slowest + SAMPLES);
    pthread_barrier_wait(&together);
    return slowest[SAMPLES / 2];
}

static cudaGraphExec_t capture(const struct member *m, size_t bytes, int n)
{
    cudaGraphExec_t ready;
    cudaGraph_t graph;

    check(cudaStreamBeginCapture(m->stream, cudaStreamCaptureModeThreadLocal),
          "capture");
    for (int i = 0; i < n; i++)
        call(m, bytes);
    check(cudaStreamEndCapture(m->stream, &graph), "capture");
    check(cudaGraphInstantiate(&ready, graph, 0), "graph");
    return ready;
}

static void *run(void *arg)
{
    struct member *m = (struct member *)arg;
    size_t most = *std::max_element(sizes.begin(), sizes.end());

    check(cudaSetDevice(m->rank), "device");
    check(comm_init_rank(&m->comm, n_gpus, unique, m->rank),
          "ncclCommInitRank");
    check(cudaStreamCreate(&m->stream), "stream");
    check(cudaEventCreate(&m->begin), "event");
    check(cudaEventCreate(&m->end), "event");
    check(cudaMalloc(&m->from, most), "memory");
    check(cudaMalloc(&m->to, most), "memory");
    check(cudaMemset(m->from, 0, most), "memory");
    for (size_t bytes : sizes) {
        int n = bytes > 64 << 20 ? 2 : bytes > 1 << 20 ? 8 : 40;
        cudaGraphExec_t graph;
        float loop_us, graph_us;

        (void)sample(m, bytes, n, NULL);
        graph = capture(m, bytes, n);
        loop_us = median_us(m, bytes, n, NULL);
        graph_us = median_us(m, bytes, n, graph);
        if (m->rank == 0)
            printf("%zu\t%.2f\t%.2f\n", bytes, loop_us, graph_us);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    void *nccl = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    struct member members[MAX] = {};
    pthread_t threads[MAX];

    for (int i = 2; i < argc; i++)
        sizes.push_back((size_t)strtoull(argv[i], NULL, 10));
    if (!nccl || cudaGetDeviceCount(&n_gpus) != cudaSuccess || n_gpus < 2) {
        fprintf(stderr,
                "usage: nccl_loop LIBNCCL BYTES...: on 2 GPUs or more\n"
                "%s\n",
                argc > 2 && !nccl ? dlerror() : "");
        return 2;
    }
    n_gpus = std::min(n_gpus, (int)MAX);
    *(void **)&get_unique_id = dlsym(nccl, "ncclGetUniqueId");
    *(void **)&comm_init_rank = dlsym(nccl, "ncclCommInitRank");
    *(void **)&all_reduce = dlsym(nccl, "ncclAllReduce");
    check(!get_unique_id || !comm_init_rank || !all_reduce, argv[1]);
    check(get_unique_id(&unique), "ncclGetUniqueId");
    check(pthread_barrier_init(&together, NULL, (unsigned)n_gpus), "barrier");
    for (int i = 0; i < n_gpus; i++) {
        members[i].rank = i;
        check(pthread_create(&threads[i], NULL, run, &members[i]), "thread");
    }
    for (int i = 0; i < n_gpus; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
