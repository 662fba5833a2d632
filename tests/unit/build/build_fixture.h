/* tests/unit/build/build_fixture.h - a source, a header and a build cache of
 * their own */
#ifndef OSW_TESTS_BUILD_FIXTURE_H
#define OSW_TESTS_BUILD_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ops/build/build.h"
#include "ops/build/build_cache.h"

struct fixture {
    char dir[64], cache[80], source[80], header[80];
    struct osw_build_request request;
    struct osw_build_result result;
    struct osw_error err;
};

static inline void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static inline int set_up(void **state)
{
    static struct fixture f;

    memset(&f, 0, sizeof(f));
    strcpy(f.dir, "/tmp/test_build.XXXXXX");
    assert_non_null(mkdtemp(f.dir));
    snprintf(f.cache, sizeof(f.cache), "%s/a/cache", f.dir);
    snprintf(f.source, sizeof(f.source), "%s/op_x.c", f.dir);
    snprintf(f.header, sizeof(f.header), "%s/op_x.h", f.dir);
    put(f.header, "#define ANSWER 42\n");
    put(f.source, "#include <opsweep/op.h>\n#include \"op_x.h\"\n"
                  "int answer(void);\n"
                  "int answer(void) { return ANSWER; }\n");
    f.request = (struct osw_build_request){
        .source = f.source, .include_dir = "include", .cache_dir = f.cache};
    setenv("OPSWEEP_CFLAGS", "-std=gnu11 -O1", 1);
    unsetenv("CC");
    unsetenv("NVCC");
    *state = &f;
    return 0;
}

static inline int tear_down(void **state)
{
    struct fixture *f = *state;
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", f->dir);
    return system(command);
}

static inline void get(struct fixture *f)
{
    if (osw_build_get(&f->request, &f->result, &f->err) < 0)
        fail_msg("%s", f->err.text);
}

static inline int answer_of(const char *path)
{
    void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int (*answer)(void);
    int got;

    if (!so)
        fail_msg("%s", dlerror());
    *(void **)&answer = dlsym(so, "answer");
    assert_non_null(answer);
    got = answer();
    dlclose(so);
    return got;
}

static inline int count_files(const char *dir, const char *suffix)
{
    DIR *d = opendir(dir);
    struct dirent *entry;
    int n = 0;

    assert_non_null(d);
    while ((entry = readdir(d)))
        n += strstr(entry->d_name, suffix) != NULL;
    closedir(d);
    return n;
}

/* The path of the only file whose name ends so. */
static inline void find_file(const char *dir, const char *suffix, char *path,
                             size_t size)
{
    DIR *d = opendir(dir);
    struct dirent *entry;

    assert_non_null(d);
    assert_int_equal(count_files(dir, suffix), 1);
    while ((entry = readdir(d)))
        if (strstr(entry->d_name, suffix))
            snprintf(path, size, "%s/%s", dir, entry->d_name);
    closedir(d);
}

/* A compiler of our own: a script, CC or NVCC, that logs one x per compile. */
static inline void use_compiler(struct fixture *f, const char *variable,
                                const char *script)
{
    char path[96], text[1024];

    snprintf(path, sizeof(path), "%s/%s", f->dir, variable);
    snprintf(text, sizeof(text), "#!/bin/sh\nprintf x >> %s/log\n%s\n", f->dir,
             script);
    put(path, text);
    assert_int_equal(chmod(path, 0700), 0);
    setenv(variable, path, 1);
}

static inline int64_t count_compiles(const struct fixture *f)
{
    char log[96];
    struct stat st;

    snprintf(log, sizeof(log), "%s/log", f->dir);
    return stat(log, &st) == 0 ? st.st_size : 0;
}

/* Stands in for nvcc: what only that knows is left out. */
static const char fake_nvcc[] =
    "for w; do shift; case $w in -Xcompiler|-cudart|shared|-lineinfo|-gencode=*"
    "|-std=c++17) ;; *) set -- \"$@\" \"$w\";; esac; done\n"
    "exec cc -x c \"$@\"";

#endif /* OSW_TESTS_BUILD_FIXTURE_H */
