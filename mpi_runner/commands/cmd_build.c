/* mpi_runner/commands/cmd_build.c - opsweep build: compile ops ahead of a
 * campaign */
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/arena.h"
#include "common/cli/cli.h"
#include "common/paths.h"
#include "common/reaper.h"
#include "common/utf8.h"
#include "ops/build/build.h"
#include "ops/build/build_apart.h"
#include "ops/build/build_cache.h"
#include "ops/build/build_command.h"
#include "ops/build/build_confine.h"
#include "ops/catalog/catalog.h"
#include "worker/device/device.h"

/* Of one file; a busy machine compiles slowly. */
#define DEADLINE_NS (600 * INT64_C(1000000000))

struct build_opts {
    const char *output, *warnings, *target, *device;
    uint64_t jobs;
    bool list;
};

static const struct build_opts build_defaults = {.device = "cpu"};

#define AT(field) offsetof(struct build_opts, field)
/* clang-format off */
static const struct osw_opt build_optv[] = {
    { "output",   OSW_OPT_STR, AT(output),   "fill this folder instead of the build cache",
      .value = "DIR", .letter = 'o' },
    { "jobs",     OSW_OPT_U64, AT(jobs),     "compilers at a time [one per processor]", .least = 1,
      .value = "N", .letter = 'j' },
    { "device",   OSW_OPT_STR, AT(device),   "what campaigns will run on",
      .value = "KIND", .words = osw_device_word, .open = true },
    { "target",   OSW_OPT_STR, AT(target),   "with --device cuda: the kind of GPU that it is for, such as sm_90a [this machine's first]",
      .value = "ARCH" },
    { "warnings", OSW_OPT_STR, AT(warnings), "words for the compiler that warn, such as '-Wall -Wextra'",
      .value = "WORDS" },
    { "list",     OSW_OPT_FLAG, AT(list),    "print each source and its object, with a tab between them [no]" },
    { 0 },
};
/* clang-format on */
#undef AT

/* What is compiled: requests[i] gives results[i]. */
struct builds {
    struct osw_build_request *requests;
    struct osw_build_result *results;
    size_t n;
};

static bool is_processor(const char *device)
{
    return strcmp(device, "cpu") == 0;
}

static uint32_t count_jobs(const struct build_opts *o)
{
    cpu_set_t cores;

    if (o->jobs > 0)
        return o->jobs < UINT32_MAX ? (uint32_t)o->jobs : UINT32_MAX;
    return sched_getaffinity(0, sizeof(cores), &cores) == 0
               ? (uint32_t)CPU_COUNT(&cores)
               : 1;
}

/* -Wall is a word that warns; -Wl,-rpath=... is one for the linker. */
static int check_warnings(const char *words, struct osw_error *err)
{
    static const char blanks[] = " \t\n";

    for (words += strspn(words, blanks); *words;
         words += strspn(words, blanks)) {
        size_t n = strcspn(words, blanks);

        if (n < 3 || strncmp(words, "-W", 2) != 0 || memchr(words, ',', n))
            return osw_fail(err, OSW_BAD_INPUT,
                            "--warnings '%.*s': expected words such as -Wall",
                            (int)n, words);
        words += n;
    }
    return 0;
}

static void add_file(struct builds *b, const struct osw_build_request *common,
                     const struct osw_op_file *file)
{
    if (!file || !file->language->compiled)
        return;
    b->requests[b->n] = *common;
    b->requests[b->n].source = file->path;
    if (file->language->host)
        b->requests[b->n].target = NULL;
    b->requests[b->n++].words = file->words;
}

/* What compilers call this machine's first device of a kind, to target[size].
 */
static int find_target(const char *kind, char *target, size_t size,
                       struct osw_error *err)
{
    const struct osw_device_ops *ops = osw_device_find(kind);
    struct osw_error inner = OSW_ERROR_INIT;
    struct osw_device *device;
    size_t n = 0;

    if (ops && ops->count(&n, &inner) == 0 && n == 0)
        osw_fail(&inner, OSW_DEVICE, "there is none");
    if (n == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "--device %s: %s; --target sm_90a compiles for a GPU "
                        "that is elsewhere",
                        kind, ops ? inner.text : osw_device_missing(kind));
    if (ops->open(0, &device, err) < 0)
        return -1;
    snprintf(target, size, "%s", device->target);
    ops->close(device);
    return 0;
}

/* Every file of every op that the device runs. */
static int list_files(osw_arena_t *arena, const struct osw_catalog *catalog,
                      const struct osw_build_request *common, struct builds *b,
                      struct osw_error *err)
{
    size_t most = 0;

    for (size_t i = 0; i < catalog->n_ops; i++)
        most += catalog->ops[i].n_impls + 2;
    b->requests = osw_arena_array(arena, most, sizeof(*b->requests));
    b->results = osw_arena_array(arena, most, sizeof(*b->results));
    if (!b->requests || !b->results)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for %zu files", most);
    for (size_t i = 0; i < catalog->n_ops; i++) {
        const struct osw_op *op = &catalog->ops[i];

        if (op->oracle == OSW_ORACLE_INDEPENDENT) {
            add_file(b, common, op->reference);
            add_file(b, common, op->host_reference);
        }
        for (size_t k = 0; k < op->n_impls; k++)
            add_file(b, common, &op->impls[k]);
    }
    return 0;
}

/* How many folders are wrong: each with its reason. */
static size_t tell_broken(const struct osw_catalog *catalog)
{
    size_t n = 0;

    for (size_t i = 0; i < catalog->n_left_out; i++)
        if (catalog->left_out[i].broken) {
            n++;
            fprintf(stderr, "opsweep: op '%s' is skipped: %s\n",
                    catalog->left_out[i].name, catalog->left_out[i].why);
        }
    return n;
}

/* A compiler's lines, which quote the source. */
static void put_messages(const char *s)
{
    while (*s) {
        size_t n = strcspn(s, "\n");

        osw_utf8_put_visible(stderr, s, n);
        fputc('\n', stderr);
        s += n + (s[n] == '\n');
    }
}

static void list_objects(const struct builds *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (!b->results[i].failed)
            printf("%s\t%s\n", b->requests[i].source, b->results[i].path);
}

/* Returns the exit code. */
static int tell(const struct builds *b)
{
    size_t n_failed = 0, n_cached = 0;

    for (size_t i = 0; i < b->n; i++) {
        const struct osw_build_result *r = &b->results[i];

        n_failed += r->failed;
        n_cached += r->cached && !r->failed;
        if (r->failed)
            fprintf(stderr, "opsweep: cannot compile '%s'\n",
                    b->requests[i].source);
        if (r->failed || (b->requests[i].warnings && *r->output))
            put_messages(r->output);
    }
    printf("%zu file%s: %zu compiled, %zu were there, %zu failed\n", b->n,
           osw_plural(b->n), b->n - n_failed - n_cached, n_cached, n_failed);
    return n_failed > 0;
}

/* What all of them have in common is compiled first. */
static int make_apart(osw_arena_t *arena, const char *root,
                      const struct osw_build_request *common, uint32_t jobs,
                      struct builds *b, struct osw_error *err)
{
    struct osw_build_apart *apart = osw_arena_alloc(arena, sizeof(*apart));

    if (!apart)
        return osw_fail(err, OSW_NO_MEMORY, "no memory to build '%s'", root);
    if (osw_build_apart_make(root, common, jobs, apart, err) < 0)
        return -1;
    for (size_t i = 0; i < apart->n_sources; i++)
        if (apart->results[i].failed) {
            fprintf(stderr,
                    "opsweep: cannot compile '%s': each file is compiled by "
                    "itself\n",
                    apart->sources[i]);
            put_messages(apart->results[i].output);
        }
    for (size_t i = 0; i < b->n; i++) {
        b->requests[i].apart = apart->objects;
        b->requests[i].n_apart = apart->n;
    }
    return 0;
}

static int build_all(osw_arena_t *arena, const char *root,
                     const struct build_opts *o, struct osw_error *err)
{
    char target[16] = "";
    const struct osw_build_request common = {
        .include_dir = osw_paths_include_dir(err),
        .cache_dir = o->output,
        .warnings = o->warnings,
        .target = o->target ? o->target : target,
        .deadline_ns = DEADLINE_NS,
    };
    struct osw_catalog catalog;
    struct builds b = {.n = 0};
    size_t n_broken;

    if (!common.include_dir ||
        (!is_processor(o->device) && !o->target &&
         find_target(o->device, target, sizeof(target), err) < 0) ||
        osw_catalog_scan(arena, &root, 1, o->device, &catalog, err) < 0 ||
        list_files(arena, &catalog, &common, &b, err) < 0)
        return -1;
    n_broken = tell_broken(&catalog);
    if (b.n == 0 && n_broken > 0)
        return 1;
    if (b.n == 0) {
        osw_fail(err, OSW_NOTHING,
                 osw_catalog_is_op(root)
                     ? "'%s' is an op's own folder, expected the folder that "
                       "holds it"
                     : "'%s': expected op folders, found none",
                 root);
        return -1;
    }
    if (osw_build_cache_check(o->output, err) < 0 ||
        make_apart(arena, root, &common, count_jobs(o), &b, err) < 0)
        return -1;
    if (osw_build_get_all(b.requests, b.results, b.n, count_jobs(o), err) < 0)
        return -1;
    if (o->list)
        list_objects(&b);
    return tell(&b) || n_broken > 0;
}

static int build_run(void *opts, const struct osw_args *args,
                     struct osw_error *err)
{
    const struct build_opts *o = opts;
    const char *root =
        args->n_operands ? args->operands[0] : osw_paths_library_dir(err);
    osw_arena_t *arena;
    int rc = -1;

    if (!root || check_warnings(o->warnings ? o->warnings : "", err) < 0 ||
        osw_build_confine_own(NULL, err) < 0)
        return -1;
    if (!osw_device_is_kind(o->device))
        return osw_opt_refuse_word(osw_opt_find(build_optv, "device"),
                                   o->device, err);
    if (o->target && is_processor(o->device))
        return osw_fail(err, OSW_BAD_INPUT,
                        "--target %s: a processor has none; --device cuda "
                        "compiles for a GPU",
                        o->target);
    if (o->target && !osw_build_command_is_target(o->target))
        return osw_fail(err, OSW_BAD_INPUT,
                        "--target '%s': expected one such as sm_90a",
                        o->target);
    arena = osw_arena_create();
    if (!arena)
        return osw_fail(err, OSW_NO_MEMORY, "no memory to read '%s'", root);
    osw_reaper_start(osw_paths_sandbox(NULL)); /* compilers go with us */
    rc = build_all(arena, root, o, err);
    osw_reaper_stop();
    osw_arena_destroy(arena);
    return rc;
}

const struct osw_cmd osw_cmd_build = {
    .name = "build",
    .topic = "write ops",
    .operands = "[ROOT]",
    .summary = "compile the ops of a root ahead of a campaign",
    .details =
        "Compiles what a device runs of the op folders in ROOT (the shipped "
        "library),\nso that a campaign finds it compiled.  A campaign compiles "
        "again what is not\nwhat it would make itself: other sources, flags, "
        "compiler, processor or GPU.\nWith --device cuda and --target no GPU "
        "is needed: on a login node, before GPUs\nare asked for.  Exits 1 when "
        "a file cannot be compiled, 3 when ROOT\nhas no op, 5 when the build "
        "cache cannot be written.\n",
    .max_operands = 1,
    .opts = build_optv,
    .defaults = &build_defaults,
    .opts_size = sizeof(build_defaults),
    .run = build_run,
};
