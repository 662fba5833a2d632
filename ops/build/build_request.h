/* ops/build/build_request.h - what a build is asked to do, and what came out */
#ifndef OSW_OPS_BUILD_REQUEST_H
#define OSW_OPS_BUILD_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OSW_BUILD_MAX_OUTPUT = 8192, /* bytes of the compiler's output, with NUL */
    OSW_BUILD_MAX_PATH = 4096,
    OSW_BUILD_MAX_WORDS = 256, /* of one command */
};

/* Flags when OPSWEEP_CFLAGS, OPSWEEP_CXXFLAGS, OPSWEEP_NVCCFLAGS are not set.
 */
#define OSW_BUILD_CFLAGS    "-std=gnu11 -O3 -march=native -fopenmp"
#define OSW_BUILD_CXXFLAGS  "-std=gnu++17 -O3 -march=native -fopenmp"
#define OSW_BUILD_NVCCFLAGS "-O3 -std=c++17 -lineinfo"

struct osw_build_share;

/* Everything is borrowed for the call. */
struct osw_build_request {
    const char *source;      /* path; its suffix says the language */
    const char *words;       /* extra words after the source; may be NULL */
    const char *include_dir; /* folder that holds opsweep/op.h */
    const char *cache_dir;   /* NULL: see osw_build_cache_dir() */
    const char *objects_dir; /* a cache to read only; NULL: none */
    const struct osw_build_share *share; /* of other processes; NULL: none */
    int64_t since_unix_ns;    /* an older refusal does not count, nor one from
                                 before this process started */
    const char *warnings;     /* words such as -Wall: what is made does not
                                 depend on them; may be NULL */
    const char *const *apart; /* [n_apart] objects of build_apart.h, for C:
                                 what is made does the same without them */
    size_t n_apart;
    const char *const *defines; /* [n_defines] "NAME=VALUE" */
    size_t n_defines;
    const char *target;  /* "sm_90a": GPU that a .cu is for; NULL, "": any */
    int64_t deadline_ns; /* of waiting, and of compiling; 0: 120 s each */
    void (*tick)(void *arg); /* called at least every 100 ms; may be NULL */
    void *tick_arg;
};

struct osw_build_result {
    bool failed; /* the compiler did not take it: `output` says why */
    bool cached; /* it was there already */
    int64_t duration_ns;
    char path[OSW_BUILD_MAX_PATH];     /* of the object; "" when failed */
    char output[OSW_BUILD_MAX_OUTPUT]; /* of the compiler, cut */
};

#endif /* OSW_OPS_BUILD_REQUEST_H */
