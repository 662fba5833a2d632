/* mpi_runner/commands/cmd_doctor.c - opsweep doctor: can this node run a
 * campaign? */
#include <stdio.h>
#include <stdlib.h>

#include "common/cli/cli.h"
#include "mpi_runner/doctor/doctor.h"

struct doctor_opts {
    int device;
    bool quick;
    bool json;
};

static const char *const devices[] = {"auto", "cpu", "cuda", NULL};

static const struct doctor_opts doctor_defaults = {.device = 0};

#define AT(field) offsetof(struct doctor_opts, field)
/* clang-format off */
static const struct osw_opt doctor_optv[] = {
    { "device", OSW_OPT_CHOICE, AT(device), "what campaigns will run on",
      .choices = devices },
    { "quick", OSW_OPT_FLAG, AT(quick),
      "less memory, no trial of nvcc, no import of torch: seconds",
      .letter = 'q' },
    { "json", OSW_OPT_FLAG, AT(json), "print JSON instead of lines" },
    { 0 },
};
/* clang-format on */
#undef AT

static const char *get_variable(const char *name)
{
    return getenv(name);
}

static int print(const struct osw_doctor *d, bool json, struct osw_error *err)
{
    struct osw_text text = OSW_TEXT_INIT;
    int rc = 0;

    if (json)
        osw_doctor_print_json(d, &text);
    else
        osw_doctor_print(d, &text);
    if (osw_text_str(&text))
        fputs(osw_text_str(&text), stdout);
    else
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory to print the findings");
    osw_text_free(&text);
    return rc;
}

static int doctor_run(void *opts, const struct osw_args *args,
                      struct osw_error *err)
{
    const struct doctor_opts *o = opts;
    struct osw_doctor *d = calloc(1, sizeof(*d));
    int rc = -1;

    if (!d)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for findings");
    d->memory = osw_arena_create();
    d->device = devices[o->device];
    d->folder = args->n_operands ? args->operands[0] : ".";
    d->quick = o->quick;
    d->get = get_variable;
    if (d->memory) {
        osw_doctor_run(d);
        rc = print(d, o->json, err);
    } else {
        osw_fail(err, OSW_NO_MEMORY, "no memory for findings");
    }
    if (rc == 0)
        rc = osw_doctor_fit(d) ? 0 : 1;
    osw_arena_destroy(d->memory);
    free(d);
    return rc;
}

extern const struct osw_cmd osw_cmd_doctor;
const struct osw_cmd osw_cmd_doctor = {
    .name = "doctor",
    .topic = "diagnose",
    .operands = "[FOLDER]",
    .summary = "say whether this node can run a campaign, and what is wrong",
    .details =
        "FOLDER is where results would be written; default: here.  A line "
        "says\n"
        "ok, note, warn or FAIL, what was found, and the cure.\n"
        "Exit codes: 0 ok, 1 something that a campaign needs is broken.\n",
    .max_operands = 1,
    .opts = doctor_optv,
    .defaults = &doctor_defaults,
    .opts_size = sizeof(doctor_defaults),
    .run = doctor_run,
};
