/* ops/build/build_command.c - what compiles a source: the command, and its key
 */
#include "ops/build/build_command.h"

#include <errno.h>
#include <opsweep/op.h>
#include <pthread.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ops/build/file_hash.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* One row per language that is compiled. */
static const struct language {
    const char *suffix;
    const char *env, *program;   /* its name, unless the variable is set */
    const char *home_env, *home; /* append its bin/ to PATH; NULL: none */
    const char *helper;          /* a program that it starts; NULL: none */
    const char *flags_env, *flags;
    const char *always; /* words no one may leave out */
    const char *libs;
    const char *last_headers; /* folder in the include folder, searched after
                                 all others; NULL: none */
    bool has_targets;         /* of the request; else it is ignored */
    bool is_native;           /* made for the processor found here */
    bool has_apart;           /* objects of build_apart.h are for it */
    bool has_shell;           /* names of files reach a shell, in "quotes" */
    const char *settings[8];  /* variables that the compiler itself reads */
} languages[] = {
    {
        .suffix = ".c",
        .env = "CC",
        .program = "cc",
        .flags_env = "OPSWEEP_CFLAGS",
        .flags = OSW_BUILD_CFLAGS,
        .always = "-fPIC -shared",
        .libs = "-lm",
        .is_native = true,
        .has_apart = true,
        .settings = {"CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH",
                     "GCC_EXEC_PREFIX"},
    },
    {
        .suffix = ".cpp",
        .env = "CXX",
        .program = "c++",
        .flags_env = "OPSWEEP_CXXFLAGS",
        .flags = OSW_BUILD_CXXFLAGS,
        .always = "-fPIC -shared",
        .libs = "-lm",
        .last_headers = "opsweep/et",
        .is_native = true,
        .settings = {"CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH",
                     "COMPILER_PATH", "GCC_EXEC_PREFIX"},
    },
    {
        .suffix = ".cu",
        .env = "NVCC",
        .program = "nvcc",
        .home_env = "CUDA_HOME",
        .home = "/usr/local/cuda",
        .helper = "gcc",
        .flags_env = "OPSWEEP_NVCCFLAGS",
        .flags = OSW_BUILD_NVCCFLAGS,
        .always = "-Xcompiler -fPIC -shared -cudart shared",
        .libs = "",
        .has_targets = true,
        .has_shell = true,
        .settings = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN",
                     "CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH"},
    },
};

/* A command and its key, under construction. */
struct maker {
    const struct osw_build_request *request;
    const struct language *language;
    struct osw_build_command *command;
    SHA2_CTX key;
};

static const struct language *find_language(const char *source)
{
    const char *base = strrchr(source, '/');
    const char *suffix = strrchr(base ? base : source, '.');

    for (size_t i = 0; suffix && i < N_ELEM(languages); i++)
        if (strcmp(languages[i].suffix, suffix) == 0)
            return &languages[i];
    return NULL;
}

bool osw_build_command_knows(const char *source)
{
    return find_language(source) != NULL;
}

/* --- words --- */

static void add_word(struct osw_build_command *c, const char *word, size_t n)
{
    if (c->n == OSW_BUILD_MAX_WORDS || n >= sizeof(c->text) - c->used) {
        c->full = true;
        return;
    }
    memcpy(c->text + c->used, word, n);
    c->text[c->used + n] = '\0';
    c->at[c->n++] = c->text + c->used;
    c->at[c->n] = NULL;
    c->used += n + 1;
}

static void add_one(struct osw_build_command *c, const char *prefix,
                    const char *word)
{
    char joined[OSW_BUILD_MAX_PATH + 8];
    int n = snprintf(joined, sizeof(joined), "%s%s", prefix, word);

    if (n < 0 || (size_t)n >= sizeof(joined))
        c->full = true;
    else
        add_word(c, joined, (size_t)n);
}

static void add_split(struct osw_build_command *c, const char *text)
{
    static const char blanks[] = " \t\n";

    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t n = strcspn(text, blanks);

        add_word(c, text, n);
        text += n;
    }
}

static const char *setting(const char *variable, const char *otherwise)
{
    const char *value = getenv(variable);

    return value && *value ? value : otherwise;
}

static int check_words(const struct osw_build_command *c, const char *source,
                       struct osw_error *err)
{
    if (c->full)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': the compiler's command is longer than %d words "
                        "or %zu bytes",
                        source, OSW_BUILD_MAX_WORDS, sizeof(c->text));
    return 0;
}

/* --- key --- */

static void hash_text(SHA2_CTX *sha, const char *text)
{
    SHA256Update(sha, (const uint8_t *)text, strlen(text) + 1);
}

static char processor[2 * SHA256_DIGEST_LENGTH + 1];

/* What -march=native comes to: the processor's model and abilities. */
static void read_processor(void)
{
    static const char *const keys[] = {"model name", "flags",    "Features",
                                       "CPU impl",   "CPU arch", "CPU var",
                                       "CPU part",   "isa"};
    FILE *f = fopen("/proc/cpuinfo", "re");
    char line[16384];
    SHA2_CTX sha;

    SHA256Init(&sha);
    while (f && fgets(line, sizeof(line), f) && line[0] != '\n')
        for (size_t i = 0; i < N_ELEM(keys); i++)
            if (strncmp(line, keys[i], strlen(keys[i])) == 0)
                hash_text(&sha, line);
    if (f)
        fclose(f);
    SHA256End(&sha, processor);
}

static void hash_processor(SHA2_CTX *sha)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_processor);
    hash_text(sha, processor);
}

/* A program: the file that its links lead to, and when it was written. */
static void hash_program(SHA2_CTX *sha, const char *path)
{
    char *real = realpath(path, NULL);
    char text[64];
    struct stat st;

    hash_text(sha, real ? real : path);
    free(real);
    if (stat(path, &st) < 0)
        return;
    snprintf(text, sizeof(text), "%lld %lld.%09ld", (long long)st.st_size,
             (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    hash_text(sha, text);
}

static void hash_environment(SHA2_CTX *sha, const struct language *language)
{
    for (size_t i = 0; language->settings[i]; i++) {
        hash_text(sha, language->settings[i]);
        hash_text(sha, setting(language->settings[i], ""));
    }
}

/* --- programs --- */

static bool is_program(const char *path)
{
    struct stat st;

    return access(path, X_OK) == 0 && stat(path, &st) == 0 &&
           S_ISREG(st.st_mode);
}

/* folder[n] and name, joined, is a program; false also: longer than size. */
static bool find_in(const char *folder, size_t n, const char *name, char *path,
                    size_t size)
{
    int used = snprintf(path, size, "%.*s%s%s", (int)n, folder,
                        n > 0 ? "/" : "", name);

    return used >= 0 && (size_t)used < size && is_program(path);
}

/* As execvp looks; false: not there. */
static bool find_in_path(const char *name, char *path, size_t size)
{
    const char *at = setting("PATH", "/usr/local/bin:/usr/bin:/bin");

    if (strchr(name, '/'))
        return find_in("", 0, name, path, size);
    for (;; at++) {
        size_t n = strcspn(at, ":");

        if (find_in(at, n, name, path, size))
            return true;
        at += n;
        if (!*at)
            return false;
    }
}

static bool find_in_home(const char *home, const char *name, char *path,
                         size_t size)
{
    char folder[OSW_BUILD_MAX_PATH];
    int n = home ? snprintf(folder, sizeof(folder), "%s/bin", home) : -1;

    return n >= 0 && (size_t)n < sizeof(folder) &&
           find_in(folder, (size_t)n, name, path, size);
}

static int fail_missing(const struct language *l, const char *name, bool named,
                        struct osw_error *err)
{
    if (named)
        return osw_fail(err, OSW_SYSTEM,
                        "cannot start '%s', which %s names: no such program",
                        name, l->env);
    if (l->home_env)
        return osw_fail(err, OSW_SYSTEM,
                        "cannot start '%s': neither in PATH nor in $%s/bin nor "
                        "in %s/bin, and %s is not set",
                        name, l->home_env, l->home, l->env);
    return osw_fail(err, OSW_SYSTEM,
                    "cannot start '%s': not in PATH, and %s is not set", name,
                    l->env);
}

static int find_program(const struct language *l, const char *name, char *path,
                        size_t size, struct osw_error *err)
{
    bool named = setting(l->env, NULL) != NULL;

    if (find_in_path(name, path, size))
        return 0;
    if (!named && l->home_env &&
        (find_in_home(setting(l->home_env, NULL), name, path, size) ||
         find_in_home(l->home, name, path, size)))
        return 0;
    return fail_missing(l, name, named, err);
}

/* The words of the compiler's command, and the path of the first. */
static int find_compiler(const struct language *l,
                         struct osw_build_command *words, char *path,
                         size_t size, struct osw_error *err)
{
    add_split(words, setting(l->env, l->program));
    return find_program(l, words->n > 0 ? words->at[0] : "", path, size, err);
}

int osw_build_command_find(const char *source, struct osw_error *err)
{
    const struct language *l = find_language(source);
    struct osw_build_command words = {.n = 0};
    char path[OSW_BUILD_MAX_PATH];

    return l ? find_compiler(l, &words, path, sizeof(path), err) : 0;
}

bool osw_build_command_is_named(const char *source)
{
    const struct language *l = find_language(source);

    return l && setting(l->env, NULL) != NULL;
}

/* The words of the compiler's command; others than the first may be programs
 * too, as in CC='ccache gcc'.
 */
static int add_program(struct maker *m, struct osw_error *err)
{
    const struct language *l = m->language;
    struct osw_build_command own = {.n = 0};
    char path[OSW_BUILD_MAX_PATH];

    if (find_compiler(l, &own, path, sizeof(path), err) < 0)
        return -1;
    add_one(m->command, "", path);
    hash_program(&m->key, path);
    for (size_t i = 1; i < own.n; i++) {
        add_one(m->command, "", own.at[i]);
        hash_text(&m->key, own.at[i]);
        if (own.at[i][0] != '-' && find_in_path(own.at[i], path, sizeof(path)))
            hash_program(&m->key, path);
    }
    if (l->helper && find_in_path(l->helper, path, sizeof(path)))
        hash_program(&m->key, path);
    return 0;
}

/* --- the whole --- */

bool osw_build_command_is_target(const char *target)
{
    size_t digits =
        strncmp(target, "sm_", 3) == 0 ? strspn(target + 3, "0123456789") : 0;
    size_t n = 3 + digits;

    if (digits == 0 || digits > 4)
        return false;
    if (target[n] >= 'a' && target[n] <= 'z')
        n++;
    return !target[n];
}

static int add_target(struct maker *m, struct osw_error *err)
{
    const char *target = m->request->target;
    char word[64];

    if (!m->language->has_targets || !target || !*target)
        return 0;
    if (!osw_build_command_is_target(target))
        return osw_fail(err, OSW_BAD_INPUT,
                        "target '%s': expected one such as sm_90a", target);
    snprintf(word, sizeof(word), "-gencode=arch=compute_%s,code=%s", target + 3,
             target);
    add_one(m->command, "", word);
    return 0;
}

static void add_last_headers(struct maker *m)
{
    char path[OSW_BUILD_MAX_PATH];
    int n;

    if (!m->language->last_headers)
        return;
    n = snprintf(path, sizeof(path), "%s/%s", m->request->include_dir,
                 m->language->last_headers);
    if (n < 0 || (size_t)n >= sizeof(path))
        m->command->full = true;
    else
        add_one(m->command, "-idirafter", path);
}

/* nvcc would run `x` of a folder called '`x`'. */
static int check_path(const struct language *l, const char *path,
                      struct osw_error *err)
{
    const char *at = l->has_shell ? strpbrk(path, "$`\"\\") : NULL;

    if (at)
        return osw_fail(
            err, OSW_BAD_INPUT,
            "'%s': '%c' in the path means something to the shell "
            "that %s starts: expected a path without $, `, \" and \\",
            path, *at, l->program);
    return 0;
}

static void hash_library(struct maker *m, const char *folder, const char *name)
{
    static const char *const endings[] = {"so", "a"};
    char path[OSW_BUILD_MAX_PATH];

    for (size_t i = 0; i < N_ELEM(endings); i++) {
        int n = snprintf(path, sizeof(path), "%s/lib%s.%s", folder, name,
                         endings[i]);

        if (n > 0 && (size_t)n < sizeof(path) && access(path, R_OK) == 0)
            hash_program(&m->key, path);
    }
}

/* Those that words from `first` on name, in folders that they name: they may be
 * linked into the object, and no rule that a compiler writes lists them.
 */
static void hash_libraries(struct maker *m, size_t first)
{
    const struct osw_build_command *c = m->command;

    for (size_t i = first; i < c->n; i++)
        for (size_t k = first; k < c->n; k++)
            if (strncmp(c->at[i], "-L", 2) == 0 &&
                strncmp(c->at[k], "-l", 2) == 0)
                hash_library(m, c->at[i] + 2, c->at[k] + 2);
}

static int add_words(struct maker *m, struct osw_error *err)
{
    const struct osw_build_request *r = m->request;
    const struct language *l = m->language;
    struct osw_build_command *c = m->command;
    size_t n_apart = l->has_apart ? r->n_apart : 0, first;

    if (check_path(l, r->source, err) < 0 ||
        check_path(l, r->include_dir, err) < 0)
        return -1;
    /* What is made does not depend on these. */
    add_split(c, r->warnings ? r->warnings : "");
    if (n_apart > 0)
        add_split(c, "-DOSW_APART -Wl,--gc-sections");
    first = c->n;
    add_split(c, setting(l->flags_env, l->flags));
    add_split(c, l->always);
    for (size_t i = 0; i < r->n_defines; i++)
        add_one(c, "-D", r->defines[i]);
    if (add_target(m, err) < 0)
        return -1;
    for (size_t i = first; i < c->n; i++)
        hash_text(&m->key, c->at[i]);
    /* Of these the contents count, not the names. */
    add_one(c, "-I", r->include_dir);
    add_last_headers(m);
    add_one(c, "", r->source);
    for (size_t i = 0; i < n_apart; i++)
        add_one(c, "", r->apart[i]);
    first = c->n;
    add_split(c, r->words ? r->words : "");
    add_split(c, l->libs);
    for (size_t i = first; i < c->n; i++)
        hash_text(&m->key, c->at[i]);
    hash_libraries(m, first);
    return check_words(c, r->source, err);
}

/* All but the source. */
static int begin(struct maker *m, struct osw_error *err)
{
    m->command->used = m->command->n = 0;
    m->command->full = false;
    m->language = find_language(m->request->source);
    if (!m->language)
        return osw_fail(err, OSW_BAD_INPUT, "'%s': no compiler for it",
                        m->request->source);
    SHA256Init(&m->key);
    hash_text(&m->key, "opsweep build 2");
    SHA256Update(&m->key, (const uint8_t *)&(int){OSW_ABI_VERSION},
                 sizeof(int));
    if (m->language->is_native)
        hash_processor(&m->key);
    hash_environment(&m->key, m->language);
    return add_program(m, err) < 0 ? -1 : add_words(m, err);
}

int osw_build_command_make(const struct osw_build_request *request,
                           struct osw_build_command *command,
                           struct osw_error *err)
{
    struct maker m = {.request = request, .command = command};
    struct osw_file_hash source;

    if (begin(&m, err) < 0 || osw_file_hash(request->source, &source, err) < 0)
        return -1;
    SHA256Update(&m.key, source.sha256, sizeof(source.sha256));
    SHA256End(&m.key, command->key);
    return 0;
}

int osw_build_command_id(const struct osw_build_request *request,
                         char id[OSW_BUILD_NAME_SIZE], struct osw_error *err)
{
    struct osw_build_command command;
    struct maker m = {.request = request, .command = &command};

    if (begin(&m, err) < 0)
        return -1;
    hash_text(&m.key, request->include_dir);
    hash_text(&m.key, request->source);
    SHA256End(&m.key, id);
    return 0;
}

int osw_build_command_outputs(struct osw_build_command *command,
                              const char *object, const char *rule,
                              struct osw_error *err)
{
    add_split(command, "-MMD -MT op -MF");
    add_one(command, "", rule);
    add_split(command, "-o");
    add_one(command, "", object);
    return check_words(command, object, err);
}

/* --- what it says --- */

void osw_build_command_scrub(char *text, const char *tmp)
{
    size_t n = strlen(tmp);

    for (char *at = strstr(text, tmp); at; at = strstr(at, tmp)) {
        size_t cut = n + (at[n] == '/');

        memmove(at, at + cut, strlen(at + cut) + 1);
    }
}

bool osw_build_command_is_passing(const char *output)
{
    static const char *const words[] = {
        "terminated program",    /* gcc: its parts, by a signal */
        "due to signal",         /* nvcc, clang: the same */
        "No space left",         /* on a disk */
        "Cannot allocate memory" /* or processes */
    };

    for (size_t i = 0; i < N_ELEM(words); i++)
        if (strstr(output, words[i]))
            return true;
    return false;
}
