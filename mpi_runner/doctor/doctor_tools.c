/* mpi_runner/doctor/doctor_tools.c - our own parts, compilers, launchers,
 * Python */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/paths.h"
#include "mpi_runner/doctor/doctor.h"
#include "ops/build/build.h"
#include "ops/build/build_cache.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { TOOL_S = 20, IMPORT_S = 120, BUILD_S = 120 };

/* --- our own parts --- */

void osw_doctor_parts(struct osw_doctor *d, const struct osw_doctor_check *self)
{
    const char *(*const parts[])(struct osw_error *) = {
        osw_paths_sandbox, osw_paths_include_dir, osw_paths_library_dir};
    const char *at[N_ELEM(parts)];

    for (size_t i = 0; i < N_ELEM(parts); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        at[i] = parts[i](&err);
        if (at[i])
            continue;
        osw_doctor_bad(d, self,
                       "make install, or let OPSWEEP_HOME name its home", "%s",
                       err.text);
        return;
    }
    osw_doctor_good(d, self, "sandbox %s, header in %s, op library %s", at[0],
                    at[1], at[2]);
}

void osw_doctor_plugins(struct osw_doctor *d,
                        const struct osw_doctor_check *self)
{
    static const char *const files[] = {"libopsweep-cuda.so",
                                        "libopsweep-judge-cuda.so"};
    struct osw_error err = OSW_ERROR_INIT;
    const char *sandbox = osw_paths_sandbox(&err);
    const char *slash = sandbox ? strrchr(sandbox, '/') : NULL;
    char path[4096];

    for (size_t i = 0; slash && i < N_ELEM(files); i++) {
        snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - sandbox), sandbox,
                 files[i]);
        if (access(path, R_OK) == 0)
            continue;
        osw_doctor_bad(d, self, "build with nvcc in PATH, and install again",
                       "'%s' is not there", path);
        return;
    }
    if (slash)
        osw_doctor_good(d, self, "%s, %s, in %.*s", files[0], files[1],
                        (int)(slash - sandbox), sandbox);
    else
        osw_doctor_bad(d, self, "", "%s", err.text);
}

/* --- compilers --- */

static int write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");
    bool good = f && fputs(text, f) >= 0;

    if (f && fclose(f) != 0)
        good = false;
    return good ? 0 : -1;
}

/* Is the object what a sandbox could load?  It is our own code. */
static bool loads(const char *path, char *why, size_t size)
{
    void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    bool good = so && dlsym(so, "doctor_kernel_impl");

    if (!good) {
        const char *words = dlerror();

        snprintf(why, size, "%s", words ? words : "no symbol");
    }
    if (so)
        dlclose(so);
    return good;
}

/* Compile a small op the way a campaign does, past the cache.  True with its
 * seconds, or false with words.
 */
static bool try_build(const char *suffix, const char *text, bool load,
                      double *seconds, char *why, size_t size)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_build_result *result = calloc(1, sizeof(*result));
    char cache[OSW_BUILD_MAX_PATH - 300], dir[OSW_BUILD_MAX_PATH - 280];
    char source[OSW_BUILD_MAX_PATH];
    struct osw_build_request request = {
        .source = source,
        .include_dir = osw_paths_include_dir(&err),
        .cache_dir = dir,
        .deadline_ns = BUILD_S * INT64_C(1000000000),
    };
    bool good = false;

    dir[0] = '\0';
    if (!result || !request.include_dir ||
        osw_build_cache_dir(cache, sizeof(cache), &err) < 0)
        goto out;
    snprintf(dir, sizeof(dir), "%s/doctor.XXXXXX", cache);
    if (!mkdtemp(dir)) {
        osw_fail(&err, OSW_SYSTEM, "cannot make a folder in '%s'", cache);
        dir[0] = '\0';
        goto out;
    }
    snprintf(source, sizeof(source), "%s/doctor%s", dir, suffix);
    if (write_file(source, text) < 0)
        osw_fail(&err, OSW_SYSTEM, "cannot write '%s'", source);
    else if (osw_build_get(&request, result, &err) == 0)
        good = !result->failed && (!load || loads(result->path, result->output,
                                                  sizeof(result->output)));
    *seconds = (double)result->duration_ns / 1e9;
out:
    if (!good && result)
        snprintf(why, size, "%.300s", *err.text ? err.text : result->output);
    if (dir[0])
        osw_paths_remove(dir);
    free(result);
    return good;
}

static const char c_text[] =
    "#include <opsweep/op.h>\n"
    "int doctor_kernel_impl(const osw_call *call)\n"
    "{\n"
    "    double *y = osw_workspace(call, 64 * sizeof(double));\n"
    "    for (int i = 0; y && i < 64; i++)\n"
    "        y[i] = i;\n"
    "    return y ? 0 : OSW_ERROR;\n"
    "}\n";

/* No compiler's fault; the cache has a line of its own. */
static bool has_no_cache(struct osw_doctor *d,
                         const struct osw_doctor_check *self)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (osw_build_cache_check(NULL, &err) == 0)
        return false;
    osw_doctor_note(d, self, "not tried: the build cache cannot be written");
    return true;
}

void osw_doctor_compiler(struct osw_doctor *d,
                         const struct osw_doctor_check *self)
{
    const char *cc = d->get("CC");
    char why[400] = "no memory", version[200];
    double seconds = 0;
    const char *argv[] = {cc && *cc ? cc : "cc", "--version", NULL};

    if (has_no_cache(d, self))
        return;
    if (!try_build(".c", c_text, true, &seconds, why, sizeof(why))) {
        osw_doctor_bad(d, self, "install gcc, or let CC name a compiler", "%s",
                       why);
        return;
    }
    if (osw_doctor_tool(argv, TOOL_S, version, sizeof(version)) < 0)
        snprintf(version, sizeof(version), "%s", argv[0]);
    osw_doctor_good(d, self, "%s: an op compiled and loaded in %.2f s", version,
                    seconds);
}

static const char cu_text[] =
    "#include <opsweep/op.h>\n"
    "__global__ void fill(double *y) { y[threadIdx.x] = threadIdx.x; }\n"
    "extern \"C\" int doctor_kernel_impl(const osw_call *call)\n"
    "{\n"
    "    void *y = osw_workspace(call, 64 * sizeof(double));\n"
    "    if (!y)\n"
    "        return OSW_ERROR;\n"
    "    fill<<<1, 64, 0, (cudaStream_t)call->stream>>>((double *)y);\n"
    "    return 0;\n"
    "}\n";

/* Where nvcc is, into nvcc[size], and its release; false: nowhere. */
static bool find_nvcc(const struct osw_doctor *d, char *nvcc, char *release,
                      size_t size)
{
    static const char script[] =
        "\"$0\" --version | sed -n 's/.*\\(release [0-9.]*\\).*/\\1/p'";
    const char *named = d->get("NVCC"), *home = d->get("CUDA_HOME");
    const struct {
        const char *folder, *file;
    } places[] = {
        {"", named && *named ? named : "nvcc"},
        {home ? home : "", "/bin/nvcc"},
        {"/usr/local/cuda", "/bin/nvcc"},
    };

    for (size_t i = 0; i < N_ELEM(places); i++) {
        const char *argv[] = {"sh", "-c", script, nvcc, NULL};

        snprintf(nvcc, size, "%s%s", places[i].folder, places[i].file);
        if (osw_doctor_tool(argv, TOOL_S, release, size) == 0 &&
            strncmp(release, "release", 7) == 0)
            return true;
    }
    return false;
}

/* A GPU that nvcc makes no code for; NULL: none, or it does not say. */
static const struct osw_doctor_gpu *unknown_gpu(const struct osw_doctor *d,
                                                const char *nvcc)
{
    const char *argv[] = {
        "sh", "-c", "\"$0\" --list-gpu-code | tr '\\n' ' '; echo", nvcc, NULL};
    char codes[2048], code[16];

    if (osw_doctor_tool(argv, TOOL_S, codes, sizeof(codes)) < 0 || !*codes)
        return NULL;
    for (size_t i = 0; i < d->n_gpus; i++) {
        int capability = d->gpus[i].facts.capability;

        snprintf(code, sizeof(code), "sm_%d ", capability);
        if (capability > 0 && !strstr(codes, code))
            return &d->gpus[i];
    }
    return NULL;
}

void osw_doctor_nvcc(struct osw_doctor *d, const struct osw_doctor_check *self)
{
    char nvcc[512], release[512], why[400] = "no memory";
    const struct osw_doctor_gpu *unknown;
    double seconds = 0;

    if (!find_nvcc(d, nvcc, release, sizeof(nvcc))) {
        osw_doctor_bad(d, self, "load the CUDA toolkit, or let NVCC name nvcc",
                       "no nvcc: .cu files cannot be compiled");
        return;
    }
    unknown = unknown_gpu(d, nvcc);
    if (unknown)
        osw_doctor_bad(d, self, "load a newer CUDA toolkit",
                       "%s makes no code for compute capability %d.%d of gpu "
                       "%zu",
                       nvcc, unknown->facts.capability / 10,
                       unknown->facts.capability % 10, unknown->index);
    else if (d->quick)
        osw_doctor_good(d, self, "%s, %s", nvcc, release);
    else if (has_no_cache(d, self))
        return;
    else if (try_build(".cu", cu_text, false, &seconds, why, sizeof(why)))
        osw_doctor_good(d, self, "%s, %s: an op compiled in %.1f s", nvcc,
                        release, seconds);
    else
        osw_doctor_bad(d, self, "try nvcc by hand on an op's .cu file",
                       "%s, %s: %s", nvcc, release, why);
}

/* --- launchers --- */

static bool has_mpirun(char *version, size_t size)
{
    static const char *const argv[] = {"mpirun", "--version", NULL};

    return osw_doctor_tool(argv, TOOL_S, version, size) == 0;
}

static bool has_pmix(void)
{
    static const char *const argv[] = {
        "sh", "-c", "srun --mpi=list 2>&1 | grep -o pmix | head -n 1", NULL};
    char line[64];

    return osw_doctor_tool(argv, TOOL_S, line, sizeof(line)) == 0 &&
           strcmp(line, "pmix") == 0;
}

/* Inside a job of Slurm, ranks come from srun. */
static void check_slurm(struct osw_doctor *d,
                        const struct osw_doctor_check *self, const char *job)
{
    static const char *const argv[] = {"srun", "--version", NULL};
    char version[200];

    if (osw_doctor_tool(argv, TOOL_S, version, sizeof(version)) < 0)
        osw_doctor_bad(d, self, "install Slurm's client programs",
                       "job %s of Slurm, but no srun", job);
    else if (!has_pmix())
        osw_doctor_bad(d, self,
                       "install Slurm's pmix plugin; srun --mpi=list shows it",
                       "%s has no pmix, which Open MPI joins by", version);
    else
        osw_doctor_good(d, self, "job %s of %s, with pmix", job, version);
}

void osw_doctor_mpi(struct osw_doctor *d, const struct osw_doctor_check *self)
{
    const char *job = d->get("SLURM_JOB_ID");
    struct osw_error err = OSW_ERROR_INIT;
    int n = osw_launch_n_ranks(d->get, &err);
    char version[200];

    if (n < 0)
        osw_doctor_bad(d, self, "srun --mpi=pmix", "%s", err.text);
    else if (job && *job)
        check_slurm(d, self, job);
    else if (!has_mpirun(version, sizeof(version)))
        osw_doctor_bad(d, self,
                       "install Open MPI (openmpi-bin); without it only "
                       "opsweep run -n 1 works",
                       "no mpirun in PATH");
    else if (!strstr(version, "Open MPI") && !strstr(version, "OpenRTE"))
        osw_doctor_bad(d, self, "put Open MPI's first into PATH",
                       "mpirun is not Open MPI's: %s", version);
    else if (n > 0)
        osw_doctor_good(d, self, "%s, one of %d ranks", version, n);
    else
        osw_doctor_good(d, self, "%s", version);
}

/* --- Python --- */

/* What it is and has, in a line; "no X" for what is missing or broken.  Quick:
 * nothing is imported.
 */
static const char python_script[] =
    "import importlib, sys, time\n"
    "from importlib import metadata\n"
    "said = ['python ' + sys.version.split()[0]]\n"
    "def cuda(torch):\n"
    "    built = torch.version.cuda\n"
    "    if not built: return ' without CUDA'\n"
    "    seen = '' if torch.cuda.is_available() else ', which sees no GPU'\n"
    "    return ' with CUDA ' + built + seen\n"
    "for name in ('numpy', 'torch', 'triton'):\n"
    "    try:\n"
    "        version = name + ' ' + metadata.version(name)\n"
    "        if len(sys.argv) < 2:\n"
    "            start = time.monotonic()\n"
    "            module = importlib.import_module(name)\n"
    "            took = time.monotonic() - start\n"
    "            if name == 'torch': version += cuda(module)\n"
    "            version += ' (%.1f s)' % took\n"
    "        said.append(version)\n"
    "    except metadata.PackageNotFoundError:\n"
    "        said.append('no ' + name)\n"
    "    except Exception as e:\n"
    "        said.append('no %s that works (%s)' % (name, type(e).__name__))\n"
    "print(', '.join(said))\n";

/* The interpreter that campaigns would take, but for their --python. */
void osw_doctor_python(struct osw_doctor *d,
                       const struct osw_doctor_check *self)
{
    static const char cure[] = "install python3 for ops written in it, or name "
                               "one in OPSWEEP_PYTHON";
    struct osw_error err = OSW_ERROR_INIT;
    const char *python = osw_paths_python(NULL, &err);
    const char *argv[] = {python, "-c", python_script,
                          d->quick ? "quick" : NULL, NULL};
    char line[400];

    if (!python)
        osw_doctor_bad(d, self, cure, "%s", err.text);
    else if (osw_doctor_tool(argv, IMPORT_S, line, sizeof(line)) < 0)
        osw_doctor_bad(d, self, cure, "%s does not work%s%s", python,
                       *line ? ": " : "", line);
    else
        osw_doctor_say(d, strstr(line, "no ") ? OSW_MARK_NOTE : OSW_MARK_OK,
                       self->name, "", "%s: %s", python, line);
}
