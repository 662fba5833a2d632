/* mpi_runner/campaign/campaign.h - what one run is asked to do
 *
 * A campaign is a table of fields: each is an option of list, plan and run,
 * and a key of the campaign JSON (with _ for -).  Options win over the JSON,
 * the JSON over the defaults.  To add a field, write one row below, and one in
 * results/report/command.c.
 *
 * Upstream: command line, campaign JSON.  Downstream: plan, coordinator; its
 * canonical JSON goes to the result file and to the workers.
 */
#ifndef OSW_MPI_RUNNER_CAMPAIGN_H
#define OSW_MPI_RUNNER_CAMPAIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/cli/cli.h"
#include "common/error.h"
#include "common/text.h"
#include "common/whole_file.h"
#include "ops/notation/value.h"
#include "worker/worker.h"

/* What the options leave; a command's own struct of options has this one as
 * its first member, and OSW_CAMPAIGN_OPTV at the start of its table.
 */
struct osw_campaign_opts {
    const char *suite, *backend, *library, *custom_ops_root, *kernels_dir;
    const char *ops, *impls, *cells; /* separated by commas */
    const char *ops_yaml;
    const char *baseline;
    struct osw_list traces;
    const char *opinfo_dtype; /* separated by commas */
    uint64_t top;
    int top_by; /* index in osw_campaign_top_by */
    const char *given_case, *fill;
    uint64_t offset;
    const char *device, *profile;
    uint64_t seed, max_bytes, max_rss;
    double max_work;
    uint64_t ranks, threads;
    double timeout;
    bool cold;
    bool signed_zero;
    bool share_gpus;
    bool keep_going;
    struct osw_list history;
    const char *python;
    const char *output;
    bool generates; /* no option: of commands that take --backend llm */
};

extern const char *const osw_campaign_top_by[];

/* The i-th suite, backend, device and profile that an option may name, from 0;
 * NULL after the last.  Of devices those that are not of the tests.
 */
const char *osw_campaign_suite(size_t i);
const char *osw_campaign_backend(size_t i);
const char *osw_campaign_device(size_t i);
const char *osw_campaign_profile(size_t i);

#define OSW_CAMPAIGN_MAX_TIMEOUT 1e9 /* seconds */

#define OSW_CAMPAIGN_AT(field) offsetof(struct osw_campaign_opts, field)

/* name, kind, field, help, letter, value, words, topic */
/* clang-format off */
#define OSW_CAMPAIGN_OPTV                                                      \
    {"suite", OSW_OPT_STR, OSW_CAMPAIGN_AT(suite),                             \
     "which cases: smoke, custom_ops, traces or opinfo [traces with --traces, "\
     "custom_ops with --custom-ops-root, else smoke]", .value = "NAME",        \
     .words = osw_campaign_suite, .topic = "ops and cases"},                   \
    {"traces", OSW_OPT_LIST, OSW_CAMPAIGN_AT(traces),                          \
     "trace file, or folder of them; may be repeated", .value = "PATH"},       \
    {"top", OSW_OPT_U64, OSW_CAMPAIGN_AT(top),                                 \
     "at most N cases of each op of the traces [all]", .value = "N",           \
     .least = 1, .most = UINT32_MAX, .alias = "topn-inputs"},                  \
    {"top-by", OSW_OPT_CHOICE, OSW_CAMPAIGN_AT(top_by),                        \
     "what makes a case one of the top N", .choices = osw_campaign_top_by},    \
    {"custom-ops-root", OSW_OPT_STR, OSW_CAMPAIGN_AT(custom_ops_root),         \
     "folder of your op folders", .value = "DIR"},                             \
    {"opinfo-dtype", OSW_OPT_STR, OSW_CAMPAIGN_AT(opinfo_dtype),               \
     "dtypes of the samples of suite opinfo [bf16]", .value = "A,B"},          \
    {"ops", OSW_OPT_STR, OSW_CAMPAIGN_AT(ops),                                 \
     "these ops only; NAME, NAME.OVERLOAD or folder; !NAME excludes, * and "   \
     "? match [all]",                                                          \
     .value = "A,B"},                                                          \
    {"ops-yaml", OSW_OPT_STR, OSW_CAMPAIGN_AT(ops_yaml),                       \
     "these, too: the operators of an ExecuTorch file (.yaml, .pte)",       \
     .value = "FILE"},                                                         \
    {"case", OSW_OPT_STR, OSW_CAMPAIGN_AT(given_case),                         \
     "this one case of the op that --ops names", .value = "NOTATION"},         \
    {"fill", OSW_OPT_STR, OSW_CAMPAIGN_AT(fill),                               \
     "what its tensors are filled with, in order [op.json's, by dtype]",       \
     .value = "TEXT"},                                                         \
    {"offset", OSW_OPT_U64, OSW_CAMPAIGN_AT(offset),                           \
     "tensors of all cases begin N elements into their memory, so that they "  \
     "are not aligned [as the case says, else 0]",                             \
     .value = "N", .most = OSW_MAX_OFFSET},                                    \
    {"cells", OSW_OPT_STR, OSW_CAMPAIGN_AT(cells),                             \
     "of all these, the cells of these keys only [all]",                       \
     .value = "0xA,0xB", .expert = true},                                      \
    {"backend", OSW_OPT_STR, OSW_CAMPAIGN_AT(backend),                         \
     "where implementations come from: library, custom_ops, aten, directory "  \
     "(or pregenerated), flag_gems or llm [directory with --kernels-dir, "     \
     "custom_ops with --custom-ops-root, else library]", .value = "NAME",      \
     .words = osw_campaign_backend, .topic = "implementations"},               \
    {"kernels-dir", OSW_OPT_STR, OSW_CAMPAIGN_AT(kernels_dir),                 \
     "folder of kernels for --backend directory", .value = "DIR",              \
     .alias = "ops-directory"},                                                \
    {"impls", OSW_OPT_STR, OSW_CAMPAIGN_AT(impls),                             \
     "these implementations only, by name as --ops [all]", .value = "A,B"},    \
    {"baseline", OSW_OPT_STR, OSW_CAMPAIGN_AT(baseline),                       \
     "implementation that speedups are relative to, aten or compile for "      \
     "torch's own [op.json's, else the vendor's, else plain]",                 \
     .value = "NAME"},                                                         \
    {"python", OSW_OPT_STR, OSW_CAMPAIGN_AT(python),                           \
     "interpreter of ops in Python [OPSWEEP_PYTHON, the active venv's, "       \
     "python3]", .value = "PROGRAM"},                                          \
    {"library", OSW_OPT_STR, OSW_CAMPAIGN_AT(library),                         \
     "folder of the shipped op folders [found beside the program]",            \
     .value = "DIR", .expert = true},                                          \
    {"device", OSW_OPT_STR, OSW_CAMPAIGN_AT(device),                           \
     "where ops run", .value = "KIND", .words = osw_campaign_device, .open = true,    \
     .topic = "measuring"},                                                    \
    {"profile", OSW_OPT_STR, OSW_CAMPAIGN_AT(profile),                         \
     "how hard to measure: correct (not at all), smoke, sweep, precise",       \
     .value = "NAME", .words = osw_campaign_profile},                          \
    {"seed", OSW_OPT_U64, OSW_CAMPAIGN_AT(seed),                               \
     "random seed for inputs", .value = "N"},                                  \
    {"cold", OSW_OPT_FLAG, OSW_CAMPAIGN_AT(cold),                              \
     "clear caches before each timed sample [no]"},                            \
    {"signed-zero", OSW_OPT_FLAG, OSW_CAMPAIGN_AT(signed_zero),                \
     "+0 and -0 differ in floating outputs [no]"},                             \
    {"max-bytes", OSW_OPT_SIZE, OSW_CAMPAIGN_AT(max_bytes),                    \
     "skip cases that need more memory [8G on a GPU; a quarter of free memory "\
     "/ workers on a processor]", .value = "SIZE", .most = INT64_MAX,          \
     .nonzero = true, .topic = "limits"},                                      \
    {"max-work", OSW_OPT_F64, OSW_CAMPAIGN_AT(max_work),                       \
     "skip cases predicted to take longer with all implementations, in "       \
     "seconds [smoke 3, sweep and correct 20, precise 120]",                   \
     .value = "S", .nonzero = true},                                           \
    {"max-rss", OSW_OPT_SIZE, OSW_CAMPAIGN_AT(max_rss),                        \
     "kill op code above this much resident memory of the host "               \
     "[three quarters of what is free / workers]", .value = "SIZE",            \
     .most = INT64_MAX, .nonzero = true},                                      \
    {"timeout", OSW_OPT_F64, OSW_CAMPAIGN_AT(timeout),                         \
     "shortest deadline of a call, in seconds [by phase]", .value = "S",       \
     .high = OSW_CAMPAIGN_MAX_TIMEOUT, .nonzero = true},                       \
    {"keep-going", OSW_OPT_FLAG, OSW_CAMPAIGN_AT(keep_going),                  \
     .help = "keep judging a file after three crashes or timeouts"},           \
    {"ranks", OSW_OPT_U64, OSW_CAMPAIGN_AT(ranks),                             \
     "MPI ranks, the coordinator among them [a worker for each GPU (one GPU: " \
     "one process for all), on a processor one per core, at most four, and a " \
     "coordinator; under mpirun or srun: those there are]",                    \
     .letter = 'n', .value = "N", .least = 1, .most = 1 << 20,                 \
     .topic = "ranks and devices"},                                            \
    {"threads", OSW_OPT_U64, OSW_CAMPAIGN_AT(threads),                         \
     "host threads an op may use [cores of the node / its workers]",           \
     .value = "N", .least = 1, .most = 4096},                                  \
    {"history", OSW_OPT_LIST, OSW_CAMPAIGN_AT(history),                        \
     "result file whose durations predict those of the same cells; may be "    \
     "repeated", .value = "FILE"},                                             \
    {"share-gpus", OSW_OPT_FLAG, OSW_CAMPAIGN_AT(share_gpus),                  \
     .help = "let several workers of a node use one GPU"},                     \
    {"output", OSW_OPT_STR, OSW_CAMPAIGN_AT(output),                           \
     "result file; for plan and list: their text "                             \
     "[a name by date; standard output]", .letter = 'o', .value = "FILE",      \
     .topic = "output"}
/* clang-format on */

/* Defaults of the same: for the `defaults` of a command. */
/* clang-format off */
#define OSW_CAMPAIGN_DEFAULTS                                                  \
    { .device = "auto", .profile = "sweep" }
/* clang-format on */

/* As used: every text is set ("" where there is nothing to say) and every
 * number is the one that counts.
 */
struct osw_campaign {
    const char *suite;   /* row of ops/cases/suite.h */
    const char *backend; /* row of ops/catalog/backend.h */
    const char *library; /* root of the shipped ops */
    const char *custom_ops_root;
    const char *kernels_dir; /* of the backend that reads it; "": none */
    const char *const *ops;  /* [n_ops] filter: see ops/catalog/select.h */
    size_t n_ops;
    const char *const *impls; /* [n_impls] filter, likewise */
    size_t n_impls;
    const uint64_t *cells; /* [n_cells] keys, sorted; n_cells 0: all */
    size_t n_cells;
    const char *baseline;      /* "": each op's own */
    const char *const *traces; /* [n_traces] files or folders */
    size_t n_traces;
    const char *opinfo_dtypes; /* "bf16,f32"; "": not suite opinfo */
    uint32_t top;              /* cases per op of traces; 0: all */
    const char *top_by;        /* "calls" or "size" */
    const char *given_case;    /* a single case for the op in `ops`; "": none */
    const char *fill;          /* its fills; "": the op's */
    int64_t offset;            /* of tensors that have none in their case */
    const char *device;        /* "cpu" */
    const char *profile;       /* row of worker/worker.h */
    uint64_t seed;             /* of the fills */
    uint64_t max_bytes;        /* memory of one bundle */
    uint64_t max_rss;          /* of op code, on the host; 0: by free memory */
    double max_work_s;         /* predicted seconds of one bundle */
    uint32_t ranks;            /* 0: as many as the launcher gives */
    uint32_t threads; /* host threads an op may use; 0: cores / workers */
    double timeout_s; /* floor of a call's deadline; 0: the default */
    bool cold;        /* clear caches before each timed sample */
    bool signed_zero; /* +0 and -0 differ in floating outputs */
    bool share_gpus;  /* more workers on a node than devices are fine */
    bool keep_going;  /* judge on after crashes of an implementation */
    const char *const *history; /* [n_history] result files */
    size_t n_history;
    const char *python; /* interpreter of ops in Python; "": each node's */
    const char *output; /* result file; "": not given */
};

/* Begin what a command says of the campaign, other than a result file: in the
 * file of --output where that is on the command line (`output` of a campaign
 * JSON is the run's), else on standard output.  To be closed as any output.
 * Returns 0, or -1 with err set: OSW_BAD_INPUT (a result file's name, *.h5,
 * which a run's command line may have left there; or the campaign's own file).
 */
int osw_campaign_open_text(struct osw_whole_file *out,
                           const struct osw_args *args,
                           const struct osw_campaign *c,
                           struct osw_error *err) OSW_MUST_CHECK;

/* The root of its op folders: of the library, or the user's own where suite or
 * backend ask for that.
 */
const char *osw_campaign_root(const struct osw_campaign *c);

/* Of a campaign that a file records: can that root be read here?  A relative
 * path is of the folder where the campaign was started.  by_option: an option
 * can name it here; else an absolute one is left to who reads it.  Returns 0,
 * or -1 with err set to OSW_BAD_INPUT, which says what helps.
 */
int osw_campaign_check_root(const struct osw_campaign *c, bool by_option,
                            struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_CAMPAIGN_H */
