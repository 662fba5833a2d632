/* worker/judge/process/env_allowlist.c - which environment variables a sandbox
 * sees */
#include "worker/judge/process/env_allowlist.h"

#include <string.h>

#include "common/secret.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { NAME_BYTES = 128 };

/* Names, and beginnings of names. */
/* clang-format off */
static const char *const allowed[] = {
    /* user and place */
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_*", "LANGUAGE", "TZ",
    "TERM", "SHELL", "HOSTNAME", "XDG_CACHE_HOME",
    /* loader and memory */
    "LD_*", "MALLOC_*", "GLIBC_TUNABLES", "ASAN_*", "UBSAN_*", "LSAN_*",
    "LLVM_PROFILE_FILE", "GCOV_*",
    /* compilers that op code calls */
    "CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "CPATH", "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "NVCC*", "CCACHE_DIR",
    /* Python and what is imported */
    "PYTHON*", "VIRTUAL_ENV", "CONDA_*", "TORCH*", "PYTORCH_*", "ATEN_*",
    "C10_*", "TRITON_*", "NUMBA_*", "CUPY_*", "NPY_*", "GEMS_*", "FLAGGEMS_*",
    "DNNL_*", "ONEDNN_*",
    /* devices */
    "CUDA_*", "CUDNN_*", "CUBLAS*", "CUTLASS_*", "NVIDIA_*", "NCCL_*", "NV_*",
    /* threads */
    "OMP_*", "GOMP_*", "KMP_*", "MKL_*", "OPENBLAS_*", "BLIS_*", "GOTO_*",
    "VECLIB_*", "NUMEXPR_*",
    /* ours */
    "OPSWEEP_*",
};

/* clang-format on */

/* `n` bytes of a pattern. */
static bool fits(const char *name, const char *pattern, size_t n)
{
    if (n > 0 && pattern[n - 1] == '*')
        return strncmp(name, pattern, n - 1) == 0;
    return strncmp(name, pattern, n) == 0 && name[n] == '\0';
}

static bool is_allowed(const char *name)
{
    for (size_t i = 0; i < N_ELEM(allowed); i++)
        if (fits(name, allowed[i], strlen(allowed[i])))
            return true;
    return false;
}

static bool is_named(const char *name, const char *list)
{
    while (list && *list) {
        size_t n = strcspn(list, ",");

        if (n > 0 && fits(name, list, n))
            return true;
        list += n;
        list += *list == ',';
    }
    return false;
}

bool osw_env_allows(const char *assignment, const char *named)
{
    size_t n = strcspn(assignment, "=");
    char name[NAME_BYTES];

    if (n >= sizeof(name))
        return false;
    memcpy(name, assignment, n);
    name[n] = '\0';
    return is_named(name, named) ||
           (is_allowed(name) && !osw_secret_name(name));
}
