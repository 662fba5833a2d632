/* tests/unit/build/test_build_command.c - the command of a build, and its key
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ops/build/build_command.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* A folder with sources, and with programs that are not started. */
struct fixture {
    char dir[64], bin[80], c[80], cuda[80];
    struct osw_build_request request;
    struct osw_build_command command;
    struct osw_error err;
};

static const char *const variables[] = {"CC",
                                        "CXX",
                                        "NVCC",
                                        "CUDA_HOME",
                                        "OPSWEEP_CFLAGS",
                                        "CPATH",
                                        "OPSWEEP_NVCCFLAGS",
                                        "OPSWEEP_CXXFLAGS"};

static void put(const char *path, const char *text, mode_t mode)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static int set_up(void **state)
{
    static struct fixture f;
    char path[96];

    memset(&f, 0, sizeof(f));
    strcpy(f.dir, "/tmp/test_build_command.XXXXXX");
    assert_non_null(mkdtemp(f.dir));
    snprintf(f.bin, sizeof(f.bin), "%s/bin", f.dir);
    assert_int_equal(mkdir(f.bin, 0700), 0);
    snprintf(f.c, sizeof(f.c), "%s/op_x.c", f.dir);
    snprintf(f.cuda, sizeof(f.cuda), "%s/op_x.cu", f.dir);
    put(f.c, "int x;\n", 0600);
    put(f.cuda, "int x;\n", 0600);
    snprintf(path, sizeof(path), "%s/nvcc", f.bin);
    put(path, "an nvcc\n", 0700);
    snprintf(path, sizeof(path), "%s/cc", f.bin);
    put(path, "a cc\n", 0700);
    for (size_t i = 0; i < N_ELEM(variables); i++)
        unsetenv(variables[i]);
    setenv("PATH", f.bin, 1);
    f.request =
        (struct osw_build_request){.source = f.cuda, .include_dir = "include"};
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    char command[128];

    setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
    for (size_t i = 0; i < N_ELEM(variables); i++)
        unsetenv(variables[i]);
    snprintf(command, sizeof(command), "rm -rf '%s'", f->dir);
    return system(command);
}

static const char *key_of(struct fixture *f, const char *source)
{
    f->request.source = source;
    if (osw_build_command_make(&f->request, &f->command, &f->err) < 0)
        fail_msg("%s", f->err.text);
    return f->command.key;
}

static void fails(struct fixture *f, enum osw_status status, const char *text)
{
    f->err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_build_command_make(&f->request, &f->command, &f->err),
                     -1);
    assert_int_equal(f->err.status, status);
    assert_non_null(strstr(f->err.text, text));
}

static void join(const struct osw_build_command *c, char *text, size_t size)
{
    size_t used = 0;

    for (size_t i = 1; i < c->n && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, " %s", c->at[i]);
    assert_null(c->at[c->n]);
}

static void cuda_gets_its_words(void **state)
{
    static const char *const defines[] = {"N=4"};
    struct fixture *f = *state;
    char got[1024], want[1024];

    f->request.target = "sm_90a";
    f->request.defines = defines;
    f->request.n_defines = 1;
    f->request.words = " -lcublas  -v";
    key_of(f, f->cuda);
    assert_int_equal(
        osw_build_command_outputs(&f->command, "o.so", "o.d", &f->err), 0);
    snprintf(want, sizeof(want), "%s/nvcc", f->bin);
    assert_string_equal(f->command.at[0], want);
    snprintf(want, sizeof(want),
             " -O3 -std=c++17 -lineinfo -Xcompiler -fPIC -shared -cudart "
             "shared -DN=4 -gencode=arch=compute_90a,code=sm_90a -Iinclude %s "
             "-lcublas -v -MMD -MT op -MF o.d -o o.so",
             f->cuda);
    join(&f->command, got, sizeof(got));
    assert_string_equal(got, want);

    setenv("OPSWEEP_NVCCFLAGS", "-O1", 1);
    key_of(f, f->cuda);
    join(&f->command, got, sizeof(got));
    assert_non_null(strstr(got, " -O1 -Xcompiler -fPIC -shared"));
    assert_null(strstr(got, "-O3"));
}

/* Each row changes one thing; does it change the key? */
static void what_decides_the_object_changes_the_key(void **state)
{
    static const struct {
        const char *variable, *value; /* of the environment */
        const char *target, *words;
        const char *file, *text; /* of the fixture's folder */
        bool c, cuda;            /* the key of which changes */
    } rows[] = {
        /* clang-format off */
        { NULL, NULL,                  NULL,     NULL,  NULL, NULL,            false, false },
        { NULL, NULL,                  "sm_90a", NULL,  NULL, NULL,            false, true },
        { NULL, NULL,                  NULL,     "-lx", NULL, NULL,            true,  true },
        { "OPSWEEP_CFLAGS", "-O0",     NULL,     NULL,  NULL, NULL,            true,  false },
        { "OPSWEEP_NVCCFLAGS", "-O0",  NULL,     NULL,  NULL, NULL,            false, true },
        { "CC", "cc -m32",             NULL,     NULL,  NULL, NULL,            true,  false },
        { "NVCC_APPEND_FLAGS", "-O0",  NULL,     NULL,  NULL, NULL,            false, true },
        { "CPATH", "/somewhere",       NULL,     NULL,  NULL, NULL,            true,  true },
        { NULL, NULL,                  NULL,     NULL,  "bin/cc", "newer cc",  true,  false },
        { NULL, NULL,                  NULL,     NULL,  "bin/gcc", "a host",   false, true },
        { NULL, NULL,                  NULL,     NULL,  "op_x.c", "int y;\n",  true,  false },
        { NULL, NULL,                  NULL,     NULL,  "op_x.cu", "int y;\n", false, true },
        { NULL, NULL,                  NULL,     NULL,  "else.c", "int y;\n",  false, false },
        /* clang-format on */
    };
    struct fixture *f = *state;
    char before[2][OSW_BUILD_NAME_SIZE], path[96];

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        f->request.target = f->request.words = NULL;
        strcpy(before[0], key_of(f, f->c));
        strcpy(before[1], key_of(f, f->cuda));
        f->request.target = rows[i].target;
        f->request.words = rows[i].words;
        if (rows[i].variable)
            setenv(rows[i].variable, rows[i].value, 1);
        if (rows[i].file) {
            snprintf(path, sizeof(path), "%s/%s", f->dir, rows[i].file);
            put(path, rows[i].text, 0700);
        }
        print_message("  row %zu\n", i);
        assert_int_equal(strcmp(before[0], key_of(f, f->c)) != 0, rows[i].c);
        assert_int_equal(strcmp(before[1], key_of(f, f->cuda)) != 0,
                         rows[i].cuda);
        if (rows[i].variable)
            unsetenv(rows[i].variable);
    }
}

/* Names of folders and of the source are no part of it. */
static void a_key_moves_along(void **state)
{
    struct fixture *f = *state;
    char before[OSW_BUILD_NAME_SIZE], moved[96];

    strcpy(before, key_of(f, f->cuda));
    snprintf(moved, sizeof(moved), "%s/op_y.cu", f->bin);
    assert_int_equal(rename(f->cuda, moved), 0);
    f->request.include_dir = "/elsewhere/include";
    assert_string_equal(key_of(f, moved), before);
}

static void what_is_no_target_is_refused(void **state)
{
    static const char *const wrong[] = {"90a",     "sm_",      "sm_a",
                                        "sm_90aa", "sm_90 -v", "sm_12345"};
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(wrong); i++) {
        f->request.target = wrong[i];
        fails(f, OSW_BAD_INPUT, wrong[i]);
    }
    f->request.source = f->c; /* which has none */
    key_of(f, f->c);
}

/* nvcc starts a shell; cc starts none. */
static void a_path_that_a_shell_would_run_is_refused(void **state)
{
    static const char *const wrong[] = {"$(x)", "`x`", "\"", "\\"};
    struct fixture *f = *state;
    char path[96];

    for (size_t i = 0; i < N_ELEM(wrong); i++) {
        snprintf(path, sizeof(path), "%s/%s.cu", f->dir, wrong[i]);
        put(path, "int x;\n", 0600);
        f->request.source = path;
        fails(f, OSW_BAD_INPUT, path);
        strcpy(path + strlen(path) - 3, ".c");
        put(path, "int x;\n", 0600);
        key_of(f, path);
    }
}

static void nvcc_is_looked_for_in_its_places(void **state)
{
    struct fixture *f = *state;
    char want[96];

    snprintf(want, sizeof(want), "%s/nvcc", f->bin);
    setenv("PATH", "/nowhere::", 1);
    setenv("CUDA_HOME", f->dir, 1);
    key_of(f, f->cuda);
    assert_string_equal(f->command.at[0], want);

    setenv("CUDA_HOME", "/nowhere", 1);
    if (access("/usr/local/cuda/bin/nvcc", X_OK) < 0)
        fails(f, OSW_SYSTEM,
              "cannot start 'nvcc': neither in PATH nor in $CUDA_HOME/bin nor "
              "in /usr/local/cuda/bin, and NVCC is not set");

    setenv("CUDA_HOME", f->dir, 1);
    setenv("NVCC", "nvcc-of-ours", 1);
    fails(f, OSW_SYSTEM,
          "cannot start 'nvcc-of-ours', which NVCC names: no such program");
    setenv("NVCC", want, 1);
    key_of(f, f->cuda);
    assert_string_equal(f->command.at[0], want);
}

static void a_missing_cc_is_named_too(void **state)
{
    struct fixture *f = *state;

    setenv("PATH", "/nowhere", 1);
    f->request.source = f->c;
    fails(f, OSW_SYSTEM, "cannot start 'cc': not in PATH, and CC is not set");
    setenv("CC", " ", 1);
    fails(f, OSW_SYSTEM, "cannot start ''");
}

static void too_many_words_are_refused(void **state)
{
    static char words[2 * OSW_BUILD_MAX_WORDS + 1];
    struct fixture *f = *state;

    for (size_t i = 0; i + 1 < sizeof(words); i++)
        words[i] = i % 2 ? ' ' : 'x';
    f->request.words = words;
    fails(f, OSW_BAD_INPUT, "longer than 256 words");
}

static void words_that_warn_count_in_no_key(void **state)
{
    struct fixture *f = *state;
    char key[OSW_BUILD_NAME_SIZE], got[1024];

    strcpy(key, key_of(f, f->cuda));
    f->request.warnings = "-Wall -Wextra";
    assert_string_equal(key_of(f, f->cuda), key);
    join(&f->command, got, sizeof(got));
    assert_memory_equal(got, " -Wall -Wextra -O3", 18);
    f->request.warnings = NULL;
    f->request.words = "-Wall -Wextra";
    assert_string_not_equal(key_of(f, f->cuda), key);
}

/* The headers that stand in for ExecuTorch's own are looked for last. */
static void cplusplus_gets_its_words(void **state)
{
    struct fixture *f = *state;
    char got[1024], want[1024], path[96], source[96];

    snprintf(path, sizeof(path), "%s/c++", f->bin);
    put(path, "a c++\n", 0700);
    snprintf(source, sizeof(source), "%s/op_x.cpp", f->dir);
    put(source, "int x;\n", 0600);
    f->request.target = "sm_90a"; /* not for a processor */
    f->request.words = "-lfoo";
    key_of(f, source);
    assert_string_equal(f->command.at[0], path);
    snprintf(want, sizeof(want),
             " " OSW_BUILD_CXXFLAGS " -fPIC -shared -Iinclude "
             "-idirafterinclude/opsweep/et %s -lfoo -lm",
             source);
    join(&f->command, got, sizeof(got));
    assert_string_equal(got, want);
    setenv("OPSWEEP_CXXFLAGS", "-O0", 1);
    key_of(f, source);
    assert_string_equal(f->command.at[1], "-O0");
    setenv("CXX", "no-such-compiler", 1);
    fails(f, OSW_SYSTEM, "cannot start 'no-such-compiler', which CXX names");
}

static void languages_are_known_by_suffix(void **state)
{
    (void)state;
    assert_true(osw_build_command_knows("a/op_x.c"));
    assert_true(osw_build_command_knows("a/op_x.cu"));
    assert_true(osw_build_command_knows("a/op_x.cpp"));
    assert_false(osw_build_command_knows("a/op_x.cuh"));
    assert_false(osw_build_command_knows("a.c/op_x"));
    assert_false(osw_build_command_knows("op"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(cuda_gets_its_words),
        T(what_decides_the_object_changes_the_key),
        T(a_key_moves_along),
        T(what_is_no_target_is_refused),
        T(a_path_that_a_shell_would_run_is_refused),
        T(nvcc_is_looked_for_in_its_places),
        T(a_missing_cc_is_named_too),
        T(too_many_words_are_refused),
        T(words_that_warn_count_in_no_key),
        T(cplusplus_gets_its_words),
        T(languages_are_known_by_suffix),
#undef T
    };

    return cmocka_run_group_tests_name("ops/build_command", tests, NULL, NULL);
}
