// tests/bench/gpu/contexts.cu - what opening and ending contexts costs
//
//   contexts [N]
//
// N (12) processes open a context each, all at a time, beside one that has
// had one for long, as the sandboxes of a worker do; then all end.  Once for
// each set of variables of the environment that the driver knows.
#include <cuda_runtime.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX 64

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__global__ void touch(int *p)
{
    *p = 1;
}

enum ending { KILLED, EXITS, RESETS, ONE_BY_ONE };

static const struct row {
    const char *name;
    const char *env[4][2];
    enum ending ending;
} rows[] = {
    {"as it comes", {}, KILLED},
    {"2 queues", {{"CUDA_DEVICE_MAX_CONNECTIONS", "2"}}, KILLED},
    {"1 queue", {{"CUDA_DEVICE_MAX_CONNECTIONS", "1"}}, KILLED},
    {"2 queues, 1 copy",
     {{"CUDA_DEVICE_MAX_CONNECTIONS", "2"},
      {"CUDA_DEVICE_MAX_COPY_CONNECTIONS", "1"}},
     KILLED},
    {"1 queue, 1 copy",
     {{"CUDA_DEVICE_MAX_CONNECTIONS", "1"},
      {"CUDA_DEVICE_MAX_COPY_CONNECTIONS", "1"}},
     KILLED},
    {"2 queues, 1 copy, short",
     {{"CUDA_DEVICE_MAX_CONNECTIONS", "2"},
      {"CUDA_DEVICE_MAX_COPY_CONNECTIONS", "1"},
      {"CUDA_SCALE_LAUNCH_QUEUES", "0.25x"}},
     KILLED},
    {"the same, exit",
     {{"CUDA_DEVICE_MAX_CONNECTIONS", "2"},
      {"CUDA_DEVICE_MAX_COPY_CONNECTIONS", "1"},
      {"CUDA_SCALE_LAUNCH_QUEUES", "0.25x"}},
     EXITS},
    {"2 queues, reset",
     {{"CUDA_DEVICE_MAX_CONNECTIONS", "2"}},
     RESETS},
    {"2 queues, one by one",
     {{"CUDA_DEVICE_MAX_CONNECTIONS", "2"}},
     ONE_BY_ONE},
};

static void child(const struct row *row, int go, int out)
{
    char c;
    double t[2];
    int *p = NULL;

    for (int i = 0; i < 4 && row->env[i][0]; i++)
        setenv(row->env[i][0], row->env[i][1], 1);
    if (read(go, &c, 1) != 1)
        _exit(1);
    t[0] = now();
    if (cudaMalloc(&p, 4) != cudaSuccess)
        _exit(2);
    touch<<<1, 1>>>(p);
    if (cudaDeviceSynchronize() != cudaSuccess)
        _exit(3);
    t[1] = now();
    if (write(out, t, sizeof(t)) != sizeof(t))
        _exit(4);
    if (read(go, &c, 1) != 1)
        _exit(5);
    if (row->ending == RESETS)
        cudaDeviceReset();
    exit(0);
}

// Whether the judge's own calls wait meanwhile: the longest of them.
static double call_until(int left, int *d)
{
    double longest = 0;

    while (left) {
        double t0 = now();

        touch<<<1, 1>>>(d);
        cudaDeviceSynchronize();
        if (now() - t0 > longest)
            longest = now() - t0;
        while (left && waitpid(-1, NULL, WNOHANG) > 0)
            left--;
    }
    return longest;
}

static void measure(const struct row *row, int n, int *d)
{
    int go[MAX][2], out[2];
    pid_t pid[MAX];
    double begin, t[2], last = 0, one = 0, ended, longest;

    if (pipe(out) < 0)
        exit(1);
    for (int i = 0; i < n; i++) {
        if (pipe(go[i]) < 0 || (pid[i] = fork()) < 0)
            exit(1);
        if (pid[i] == 0) {
            char *argv[] = {(char *)"contexts", (char *)"child", NULL, NULL,
                            NULL, NULL};
            char a[3][16];

            snprintf(a[0], 16, "%d", (int)(row - rows));
            snprintf(a[1], 16, "%d", go[i][0]);
            snprintf(a[2], 16, "%d", out[1]);
            for (int k = 0; k < 3; k++)
                argv[2 + k] = a[k];
            execv("/proc/self/exe", argv);
            _exit(9);
        }
    }
    usleep(200000);
    begin = now();
    for (int i = 0; i < n; i++) {
        (void)!write(go[i][1], "g", 1);
        if (row->ending == ONE_BY_ONE) {
            (void)!read(out[0], t, sizeof(t));
            one += t[1] - t[0];
            last = t[1];
        }
    }
    for (int i = 0; i < n && row->ending != ONE_BY_ONE; i++) {
        if (read(out[0], t, sizeof(t)) != sizeof(t))
            exit(1);
        one += t[1] - t[0];
        if (t[1] > last)
            last = t[1];
    }
    ended = now();
    for (int i = 0; i < n; i++)
        if (row->ending == KILLED || row->ending == ONE_BY_ONE)
            kill(pid[i], SIGKILL);
        else
            (void)!write(go[i][1], "e", 1);
    longest = call_until(n, d);
    ended = now() - ended;
    printf("%-26s %2d contexts %6.0f ms (%3.0f each, %4.0f from its own start); "
           "ended in %4.0f ms, others' calls wait up to %4.0f ms\n",
           row->name, n, 1e3 * (last - begin), 1e3 * (last - begin) / n,
           1e3 * one / n, 1e3 * ended, 1e3 * longest);
    fflush(stdout);
    for (int i = 0; i < n; i++) {
        close(go[i][0]);
        close(go[i][1]);
    }
    close(out[0]);
    close(out[1]);
}

int main(int argc, char **argv)
{
    int n = argc == 2 ? atoi(argv[1]) : 12;
    int *d = NULL;

    if (argc == 5)
        child(&rows[atoi(argv[2])], atoi(argv[3]), atoi(argv[4]));
    if (n < 1 || n > MAX) {
        fprintf(stderr, "contexts: expected a number from 1 to %d\n", MAX);
        return 2;
    }
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "2", 0);
    if (cudaMalloc(&d, 4) != cudaSuccess) {
        printf("skip: no GPU here\n");
        return 0;
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        measure(&rows[i], n, d);
    return 0;
}
