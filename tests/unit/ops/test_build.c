/* tests/unit/ops/test_build.c - the build cache */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "ops/build/build.h"
#include "ops/build/build_cache.h"
#include "tests/unit/chaos.h"

struct fixture {
    char dir[64], cache[80], source[80], header[80];
    struct osw_build_request request;
    struct osw_build_result result;
    struct osw_error err;
};

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
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

static int tear_down(void **state)
{
    struct fixture *f = *state;
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", f->dir);
    return system(command);
}

static void get(struct fixture *f)
{
    if (osw_build_get(&f->request, &f->result, &f->err) < 0)
        fail_msg("%s", f->err.text);
}

static int answer_of(const char *path)
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

static int count_files(const char *dir, const char *suffix)
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
static void find_file(const char *dir, const char *suffix, char *path,
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

static void a_source_is_built_once_and_then_found(void **state)
{
    struct fixture *f = *state;
    char path[OSW_BUILD_MAX_PATH];
    struct stat st;

    get(f);
    assert_false(f->result.failed);
    assert_false(f->result.cached);
    assert_true(f->result.duration_ns > 0);
    assert_string_equal(f->result.output, "");
    assert_int_equal(answer_of(f->result.path), 42);
    strcpy(path, f->result.path);
    get(f);
    assert_true(f->result.cached);
    assert_string_equal(f->result.path, path);
    assert_int_equal(count_files(f->cache, ".so"), 1);
    assert_int_equal(count_files(f->cache, "tmp."), 0);
    assert_int_equal(stat(f->cache, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
}

static void an_included_header_counts(void **state)
{
    struct fixture *f = *state;

    get(f);
    put(f->header, "#define ANSWER 43\n");
    get(f);
    assert_false(f->result.cached);
    assert_int_equal(answer_of(f->result.path), 43);
    put(f->header, "#define ANSWER 42\n");
    get(f);
    assert_true(f->result.cached);
}

static void words_defines_and_flags_count(void **state)
{
    static const char *const defines[] = {"EXTRA=1"};
    struct fixture *f = *state;

    get(f);
    f->request.words = "-lm";
    get(f);
    assert_false(f->result.cached);
    f->request.defines = defines;
    f->request.n_defines = 1;
    get(f);
    assert_false(f->result.cached);
    setenv("OPSWEEP_CFLAGS", "-std=gnu11 -O0", 1);
    get(f);
    assert_false(f->result.cached);
    assert_int_equal(count_files(f->cache, ".so"), 4);
}

static void a_moved_source_finds_its_object(void **state)
{
    struct fixture *f = *state;
    char moved[96];

    get(f);
    snprintf(moved, sizeof(moved), "%s/other_name.c", f->dir);
    assert_int_equal(rename(f->source, moved), 0);
    f->request.source = moved;
    get(f);
    assert_true(f->result.cached);
}

static void a_compile_error_is_a_verdict_with_the_compilers_words(void **state)
{
    struct fixture *f = *state;

    put(f->source, "int answer(void) { return ANSWR; }\n");
    get(f);
    assert_true(f->result.failed);
    assert_string_equal(f->result.path, "");
    assert_non_null(strstr(f->result.output, "op_x.c:1:27"));
    assert_non_null(strstr(f->result.output, "ANSWR"));
    assert_null(strstr(f->result.output, "tmp."));
    assert_int_equal(count_files(f->cache, ".so"), 0);
    assert_int_equal(count_files(f->cache, "tmp."), 0);
}

static void a_missing_header_is_a_verdict_too(void **state)
{
    struct fixture *f = *state;

    put(f->source, "#include \"nowhere.h\"\n");
    get(f);
    assert_true(f->result.failed);
    assert_non_null(strstr(f->result.output, "nowhere.h"));
}

static void a_missing_library_is_a_verdict_without_temporary_names(void **state)
{
    struct fixture *f = *state;

    f->request.words = "-lno_such_library";
    get(f);
    assert_true(f->result.failed);
    assert_non_null(strstr(f->result.output, "no_such_library"));
    assert_null(strstr(f->result.output, f->cache));
}

static void the_compilers_words_are_cut(void **state)
{
    struct fixture *f = *state;
    FILE *out = fopen(f->source, "w");

    assert_non_null(out);
    for (int i = 0; i < 2000; i++)
        fprintf(out, "#error number %d\n", i);
    assert_int_equal(fclose(out), 0);
    get(f);
    assert_true(f->result.failed);
    assert_int_equal(strlen(f->result.output), OSW_BUILD_MAX_OUTPUT - 1);
}

static void a_compiler_that_hangs_is_stopped_at_the_deadline(void **state)
{
    struct fixture *f = *state;
    char compiler[96];

    /* Answers --version and -E, and hangs when it should compile. */
    snprintf(compiler, sizeof(compiler), "%s/slow-cc", f->dir);
    put(compiler, "#!/bin/sh\ncase \"$*\" in *--version*|*-E*) exit 0;; esac\n"
                  "touch \"$TMPDIR/left-behind\"; sleep 60\n");
    assert_int_equal(chmod(compiler, 0700), 0);
    setenv("CC", compiler, 1);
    f->request.deadline_ns = 1000 * INT64_C(1000000);
    get(f);
    unsetenv("CC");
    assert_true(f->result.failed);
    assert_non_null(strstr(f->result.output, "deadline"));
    assert_int_equal(count_files(f->cache, "tmp."), 0);
}

static void a_shared_object_is_its_own_object(void **state)
{
    struct fixture *f = *state;
    char so[96];

    snprintf(so, sizeof(so), "%s/op_x.so", f->dir);
    put(so, "not looked into");
    f->request.source = so;
    get(f);
    assert_true(f->result.cached);
    assert_string_equal(f->result.path, so);
}

static void what_cannot_be_tried_is_an_error(void **state)
{
    struct fixture *f = *state;
    char path[96];

    snprintf(path, sizeof(path), "%s/op_x.f90", f->dir);
    put(path, "");
    f->request.source = path;
    assert_int_equal(osw_build_get(&f->request, &f->result, &f->err), -1);
    assert_int_equal(f->err.status, OSW_BAD_INPUT);
    assert_non_null(
        strstr(f->err.text, "expected a file ending in .c, .cu, .so or .py"));

    f->err = (struct osw_error)OSW_ERROR_INIT;
    f->request.source = "/nowhere/op_x.c";
    assert_int_equal(osw_build_get(&f->request, &f->result, &f->err), -1);
    assert_int_equal(f->err.status, OSW_SYSTEM);
    assert_non_null(strstr(f->err.text, "/nowhere/op_x.c"));

    f->err = (struct osw_error)OSW_ERROR_INIT;
    f->request.source = f->source;
    setenv("CC", "no-such-compiler", 1);
    assert_int_equal(osw_build_get(&f->request, &f->result, &f->err), -1);
    unsetenv("CC");
    assert_non_null(strstr(f->err.text, "cannot start 'no-such-compiler'"));
}

static void a_cache_that_others_can_write_is_refused(void **state)
{
    struct fixture *f = *state;

    get(f);
    assert_int_equal(chmod(f->cache, 0777), 0);
    assert_int_equal(osw_build_get(&f->request, &f->result, &f->err), -1);
    assert_int_equal(f->err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(f->err.text, "only we can write, found mode 0777"));
}

/* Four at once: the compiler, which counts itself, is run once to compile. */
static void concurrent_ranks_compile_once(void **state)
{
    struct fixture *f = *state;
    char compiler[96], script[512], log[96];
    struct stat st;

    snprintf(compiler, sizeof(compiler), "%s/counting-cc", f->dir);
    snprintf(log, sizeof(log), "%s/log", f->dir);
    snprintf(
        script, sizeof(script),
        "#!/bin/sh\ncase \"$*\" in *-o*) printf x >> %s; sleep 0.3;; esac\n"
        "exec cc \"$@\"\n",
        log);
    put(compiler, script);
    assert_int_equal(chmod(compiler, 0700), 0);
    setenv("CC", compiler, 1);
    for (int i = 0; i < 4; i++) {
        pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid == 0)
            _exit(osw_build_get(&f->request, &f->result, &f->err) < 0 ||
                  f->result.failed);
    }
    for (int i = 0; i < 4; i++) {
        int status = -1;

        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    unsetenv("CC");
    assert_int_equal(stat(log, &st), 0);
    assert_int_equal(st.st_size, 1);
    assert_int_equal(count_files(f->cache, ".so"), 1);
}

/* A rank that died while it held the lock holds it no longer; one that lives
 * is waited for until the deadline.
 */
static void a_lock_that_is_held_is_waited_for_until_the_deadline(void **state)
{
    struct fixture *f = *state;
    char path[OSW_BUILD_MAX_PATH];
    int fd;

    get(f);
    assert_int_equal(unlink(f->result.path), 0);
    find_file(f->cache, ".deps", path, sizeof(path));
    strcpy(path + strlen(path) - 5, ".lock");
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    f->request.deadline_ns = 1000 * INT64_C(1000000);
    assert_int_equal(osw_build_get(&f->request, &f->result, &f->err), -1);
    assert_int_equal(f->err.status, OSW_TIMEOUT);
    close(fd);
    f->request.deadline_ns = 0;
    f->err = (struct osw_error)OSW_ERROR_INIT;
    get(f);
    assert_false(f->result.cached);
}

/* --- what the compiler says it read --- */

/* A compiler of our own: a script, CC or NVCC, that logs one x per compile. */
static void use_compiler(struct fixture *f, const char *variable,
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

static int64_t count_compiles(const struct fixture *f)
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

static void a_hit_starts_no_compiler(void **state)
{
    struct fixture *f = *state;

    use_compiler(f, "CC", "exec cc \"$@\"");
    get(f);
    assert_false(f->result.cached);
    get(f);
    assert_true(f->result.cached);
    assert_int_equal(count_compiles(f), 1);
    assert_int_equal(count_files(f->cache, ".lock"), 0);
}

static void put_in(const char *dir, const char *name, const char *text)
{
    char path[160];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    put(path, text);
}

/* Headers beside the source, above it, and in the include folder. */
static void a_moved_tree_finds_its_objects(void **state)
{
    struct fixture *f = *state;
    char old[96], new[96], source[128];

    snprintf(old, sizeof(old), "%s/old", f->dir);
    snprintf(new, sizeof(new), "%s/new", f->dir);
    snprintf(source, sizeof(source), "%s/op", old);
    assert_int_equal(mkdir(old, 0700) | mkdir(source, 0700), 0);
    put_in(old, "op/op_x.h", "#define ANSWER (SHARED + 2)\n");
    put_in(old, "shared.h", "#include \"deeper.h\"\n");
    put_in(old, "deeper.h", "#define SHARED 40\n");
    put_in(old, "op/op_x.c",
           "#include <opsweep/op.h>\n#include \"op_x.h\"\n"
           "#include \"../shared.h\"\nint answer(void);\n"
           "int answer(void) { return ANSWER; }\n");
    f->request.source = source;
    snprintf(source, sizeof(source), "%s/op/op_x.c", old);
    get(f);
    assert_int_equal(answer_of(f->result.path), 42);
    assert_int_equal(rename(old, new), 0);
    snprintf(source, sizeof(source), "%s/op/op_x.c", new);
    get(f);
    assert_true(f->result.cached);
    put_in(new, "deeper.h", "#define SHARED 50\n");
    get(f);
    assert_false(f->result.cached);
    assert_int_equal(answer_of(f->result.path), 52);
}

static void a_damaged_manifest_is_as_good_as_none(void **state)
{
    static const char *const damaged[] = {
        "",
        "nonsense",
        "opsweep deps 1",
        "opsweep deps 1\n",
        "opsweep deps 1\ns op_x.h",
        "opsweep deps 1\ns op_x.h\n",
        "opsweep deps 1\ns nowhere.h\n",
        "opsweep deps 1\nz op_x.h\n",
        "opsweep deps 2\ni opsweep/op.h\ns op_x.h\n",
        "opsweep deps 1\na /dev/zero\n",
        "opsweep deps 1\n\n\n\n",
    };
    struct fixture *f = *state;
    char path[OSW_BUILD_MAX_PATH];

    get(f);
    find_file(f->cache, ".deps", path, sizeof(path));
    for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
        put(path, damaged[i]);
        get(f);
        assert_false(f->result.cached);
        assert_int_equal(answer_of(f->result.path), 42);
        get(f);
        assert_true(f->result.cached);
    }
    assert_int_equal(count_files(f->cache, ".so"), 1);
}

/* Its object is used, and nobody can know when it is no longer good. */
static void a_compiler_that_lists_no_files_is_asked_again(void **state)
{
    struct fixture *f = *state;

    use_compiler(f, "CC", "cc \"$@\" && rm \"$TMPDIR/op.d\"");
    for (int i = 0; i < 2; i++) {
        get(f);
        assert_false(f->result.cached);
        assert_int_equal(answer_of(f->result.path), 42);
    }
    put(f->header, "#define ANSWER 43\n");
    get(f);
    assert_int_equal(answer_of(f->result.path), 43);
}

/* Which of the two it read is not known: the object must not be taken for one
 * of what is there now, which was built before.
 */
static void what_is_written_meanwhile_spoils_the_entry(void **state)
{
    static const struct {
        const char *name, *old, *new;
    } rows[] = {
        {"op_x.h", "#define ANSWER 42\n", "#define ANSWER 43\n"},
        {"op_x.c", "int answer(void) { return 42; }\n",
         "int answer(void) { return 43; }\n"},
    };
    struct fixture *f = *state;

    for (int i = 0; i < 2; i++) {
        char script[256];

        snprintf(script, sizeof(script),
                 "cc \"$@\" || exit; cd \"${0%%/*}\"\n"
                 "if grep -q 42 %s; then sleep 0.05; cp new %s; fi",
                 rows[i].name, rows[i].name);
        use_compiler(f, "CC", script);
        put_in(f->dir, "new", rows[i].new);
        put_in(f->dir, rows[i].name, rows[i].new);
        get(f);
        assert_int_equal(answer_of(f->result.path), 43);
        put_in(f->dir, rows[i].name, rows[i].old);
        get(f);
        assert_int_equal(answer_of(f->result.path), 42);
        get(f);
        assert_int_equal(answer_of(f->result.path), 43);
        assert_true(f->result.cached);
    }
}

/* --- refusals --- */

static void a_compile_error_is_found_by_others(void **state)
{
    struct fixture *f = *state;
    char first[OSW_BUILD_MAX_OUTPUT];

    use_compiler(f, "CC", "exec cc \"$@\"");
    put(f->header, "#define ANSWER ANSWR\n");
    get(f);
    assert_true(f->result.failed);
    assert_false(f->result.cached);
    strcpy(first, f->result.output);
    get(f);
    assert_true(f->result.failed);
    assert_true(f->result.cached);
    assert_string_equal(f->result.output, first);
    assert_string_equal(f->result.path, "");
    assert_int_equal(count_compiles(f), 1);

    put(f->header, "#define ANSWER 42\n");
    get(f);
    assert_int_equal(answer_of(f->result.path), 42);
}

static void an_old_compile_error_is_tried_again(void **state)
{
    static const struct timespec old[2] = {{.tv_sec = 1000000000},
                                           {.tv_sec = 1000000000}};
    struct fixture *f = *state;
    char path[OSW_BUILD_MAX_PATH];

    use_compiler(f, "CC", "exec cc \"$@\"");
    f->request.words = "-lno_such_library";
    get(f);
    assert_true(f->result.failed);
    find_file(f->cache, ".err", path, sizeof(path));
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    get(f);
    assert_true(f->result.failed);
    assert_false(f->result.cached);
    get(f);
    assert_true(f->result.cached);
    assert_int_equal(count_compiles(f), 2);
}

static void a_refusal_before_any_file_was_listed_is_found_too(void **state)
{
    struct fixture *f = *state;

    use_compiler(f, "CC", "exec cc \"$@\"");
    put(f->source, "#include \"nowhere.h\"\n");
    get(f);
    get(f);
    assert_true(f->result.failed);
    assert_true(f->result.cached);
    assert_non_null(strstr(f->result.output, "nowhere.h"));
    assert_int_equal(count_compiles(f), 1);
}

static void what_the_machine_ended_is_tried_again(void **state)
{
    static const char *const ends[] = {
        "echo 'Killed signal terminated program cc1' >&2; exit 1",
        "echo \"nvcc error: 'cicc' died due to signal 9\"; exit 9",
        "echo 'No space left on device'; exit 1",
        "kill -SEGV $$",
        "sleep 60",
    };
    struct fixture *f = *state;

    f->request.deadline_ns = 500 * INT64_C(1000000);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        use_compiler(f, "CC", ends[i]);
        for (int again = 0; again < 2; again++) {
            get(f);
            assert_true(f->result.failed);
            assert_false(f->result.cached);
        }
        assert_int_equal(count_files(f->cache, ".err"), 0);
    }
    assert_int_equal(count_files(f->cache, ".lock"), 0);
}

/* --- CUDA --- */

static void make_cuda(struct fixture *f)
{
    char cuda[80];

    snprintf(cuda, sizeof(cuda), "%s/op_x.cu", f->dir);
    assert_int_equal(rename(f->source, cuda), 0);
    strcpy(f->source, cuda);
}

static void a_target_counts_for_cuda_alone(void **state)
{
    static const char *const targets[] = {"sm_90a", "sm_80", "", NULL};
    struct fixture *f = *state;

    f->request.target = "sm_90a";
    get(f);
    assert_false(f->result.cached);
    f->request.target = "sm_80";
    get(f);
    assert_true(f->result.cached);

    make_cuda(f);
    use_compiler(f, "NVCC", fake_nvcc);
    for (int i = 0; i < 4; i++) {
        f->request.target = targets[i];
        get(f);
        assert_int_equal(f->result.cached, i == 3);
        assert_int_equal(answer_of(f->result.path), 42);
    }
    assert_int_equal(count_compiles(f), 3);
}

/* --- several --- */

enum { SEVERAL = 5 };

struct several {
    char sources[SEVERAL][96];
    struct osw_build_request requests[SEVERAL];
    struct osw_build_result results[SEVERAL];
};

static struct several *make_several(struct fixture *f)
{
    static struct several s;
    char text[64];

    memset(&s, 0, sizeof(s));
    for (int i = 0; i < SEVERAL; i++) {
        snprintf(s.sources[i], sizeof(s.sources[i]), "%s/op_%d.c", f->dir, i);
        snprintf(text, sizeof(text), "int answer(void) { return %d; }\n", i);
        put(s.sources[i], text);
        s.requests[i] = f->request;
        s.requests[i].source = s.sources[i];
    }
    return &s;
}

static void get_several(struct fixture *f, struct several *s, uint32_t jobs)
{
    if (osw_build_get_all(s->requests, s->results, SEVERAL, jobs, &f->err) < 0)
        fail_msg("%s", f->err.text);
}

/* The most compilers that ran at a time, by their lines of a log. */
static int most_at_a_time(const struct fixture *f)
{
    int now = 0, most = 0, c;
    char path[96];
    FILE *log;

    snprintf(path, sizeof(path), "%s/turns", f->dir);
    log = fopen(path, "r");
    assert_non_null(log);
    while ((c = fgetc(log)) != EOF) {
        now += c == '+' ? 1 : -1;
        most = now > most ? now : most;
    }
    fclose(log);
    assert_int_equal(now, 0);
    return most;
}

/* The first waits until another has started: it hangs if none may. */
static void several_are_built_at_a_time(void **state)
{
    struct fixture *f = *state;
    struct several *s = make_several(f);

    use_compiler(f, "CC",
                 "cd \"${0%/*}\"; printf + >> turns; n=0\n"
                 "until grep -q '+.*+' turns || [ $n = 500 ]; do\n"
                 "sleep 0.02; n=$((n + 1)); done\n"
                 "cc \"$@\"; rc=$?; printf -- - >> turns; exit $rc");
    get_several(f, s, 2);
    for (int i = 0; i < SEVERAL; i++) {
        assert_false(s->results[i].failed);
        assert_false(s->results[i].cached);
        assert_true(s->results[i].duration_ns > 0);
        assert_int_equal(answer_of(s->results[i].path), i);
    }
    assert_int_equal(most_at_a_time(f), 2);
    get_several(f, s, 2);
    for (int i = 0; i < SEVERAL; i++)
        assert_true(s->results[i].cached);
    assert_int_equal(count_compiles(f), SEVERAL);
    assert_int_equal(count_files(f->cache, ".lock"), 0);
}

static void one_at_a_time_is_one_at_a_time(void **state)
{
    struct fixture *f = *state;
    struct several *s = make_several(f);

    use_compiler(f, "CC",
                 "cd \"${0%/*}\"; printf + >> turns; cc \"$@\"; rc=$?\n"
                 "printf -- - >> turns; exit $rc");
    get_several(f, s, 0);
    assert_int_equal(most_at_a_time(f), 1);
}

/* Bad ones in the middle, and one twice. */
static void each_has_its_own_end(void **state)
{
    struct fixture *f = *state;
    struct several *s = make_several(f);

    put(s->sources[1], "int answer(void) { return ANSWR; }\n");
    s->requests[2].source = "/nowhere/op_2.c";
    s->requests[3].source = s->sources[0];
    get_several(f, s, 3);
    assert_int_equal(answer_of(s->results[0].path), 0);
    assert_true(s->results[1].failed);
    assert_non_null(strstr(s->results[1].output, "ANSWR"));
    assert_true(s->results[2].failed);
    assert_non_null(strstr(s->results[2].output, "/nowhere/op_2.c"));
    assert_true(s->results[3].cached);
    assert_string_equal(s->results[3].path, s->results[0].path);
    assert_int_equal(answer_of(s->results[4].path), 4);
    assert_int_equal(osw_build_get_all(NULL, NULL, 0, 1, &f->err), 0);
}

/* Ranks with the same list: nothing is compiled twice, and all get all. */
static void ranks_share_the_work(void **state)
{
    struct fixture *f = *state;
    struct several *s = make_several(f);

    use_compiler(f, "CC", "sleep 0.1; exec cc \"$@\"");
    for (int i = 0; i < 3; i++) {
        pid_t pid = fork();
        int bad = 0;

        assert_true(pid >= 0);
        if (pid > 0)
            continue;
        bad = osw_build_get_all(s->requests, s->results, SEVERAL, 1, NULL) < 0;
        for (int k = 0; k < SEVERAL; k++)
            bad |= s->results[k].failed || !s->results[k].path[0];
        _exit(bad);
    }
    for (int i = 0; i < 3; i++) {
        int status = -1;

        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(count_compiles(f), SEVERAL);
    assert_int_equal(count_files(f->cache, ".so"), SEVERAL);
}

static void count_tick(void *arg)
{
    ++*(int *)arg;
}

static void somebody_is_told_that_time_passes(void **state)
{
    struct fixture *f = *state;
    struct several *s = make_several(f);
    int ticks = 0;

    use_compiler(f, "CC", "sleep 0.3; exec cc \"$@\"");
    s->requests[0].tick = count_tick;
    s->requests[0].tick_arg = &ticks;
    get_several(f, s, SEVERAL);
    assert_true(ticks >= 3);
}

/* Without memory a build fails, or does without what it wanted to keep. */
static void every_allocation_failure_is_survived(void **state)
{
    struct fixture *f = *state;
    bool struck = true;

    for (int n = 0; struck; n++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_build_result result;
        int rc;

        chaos_arm(n);
        rc = osw_build_get_all(&f->request, &result, 1, 1, &err);
        struck = chaos_struck();
        assert_int_equal(rc, n == 0 ? -1 : 0);
        if (rc < 0)
            assert_int_equal(err.status, OSW_NO_MEMORY);
        else if (result.failed)
            assert_non_null(strstr(result.output, "no memory"));
        else
            assert_int_equal(answer_of(result.path), 42);
    }
    assert_int_equal(count_files(f->cache, "tmp."), 0);
    assert_int_equal(count_files(f->cache, ".lock"), 0);
}

static void the_cache_is_where_the_environment_says(void **state)
{
    struct fixture *f = *state;
    char path[OSW_BUILD_MAX_PATH], want[128];

    setenv("OPSWEEP_CACHE", f->cache, 1);
    assert_int_equal(osw_build_cache_dir(path, sizeof(path), &f->err), 0);
    assert_string_equal(path, f->cache);
    unsetenv("OPSWEEP_CACHE");
    setenv("XDG_CACHE_HOME", f->dir, 1);
    strcat(strcpy(want, f->dir), "/opsweep");
    assert_int_equal(osw_build_cache_dir(path, sizeof(path), &f->err), 0);
    assert_string_equal(path, want);
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", f->dir, 1);
    strcat(strcpy(want, f->dir), "/.cache/opsweep");
    assert_int_equal(osw_build_cache_dir(path, sizeof(path), &f->err), 0);
    assert_string_equal(path, want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(a_source_is_built_once_and_then_found),
        T(an_included_header_counts),
        T(words_defines_and_flags_count),
        T(a_moved_source_finds_its_object),
        T(a_compile_error_is_a_verdict_with_the_compilers_words),
        T(a_missing_header_is_a_verdict_too),
        T(a_missing_library_is_a_verdict_without_temporary_names),
        T(the_compilers_words_are_cut),
        T(a_compiler_that_hangs_is_stopped_at_the_deadline),
        T(a_shared_object_is_its_own_object),
        T(what_cannot_be_tried_is_an_error),
        T(a_cache_that_others_can_write_is_refused),
        T(concurrent_ranks_compile_once),
        T(a_lock_that_is_held_is_waited_for_until_the_deadline),
        T(the_cache_is_where_the_environment_says),
        T(a_hit_starts_no_compiler),
        T(a_moved_tree_finds_its_objects),
        T(a_damaged_manifest_is_as_good_as_none),
        T(a_compiler_that_lists_no_files_is_asked_again),
        T(what_is_written_meanwhile_spoils_the_entry),
        T(a_compile_error_is_found_by_others),
        T(an_old_compile_error_is_tried_again),
        T(a_refusal_before_any_file_was_listed_is_found_too),
        T(what_the_machine_ended_is_tried_again),
        T(a_target_counts_for_cuda_alone),
        T(several_are_built_at_a_time),
        T(one_at_a_time_is_one_at_a_time),
        T(each_has_its_own_end),
        T(ranks_share_the_work),
        T(somebody_is_told_that_time_passes),
        T(every_allocation_failure_is_survived),
#undef T
    };

    return cmocka_run_group_tests_name("ops/build", tests, NULL, NULL);
}
