/* worker/judge/timing/ends.c - how the timing of a cell ends without figures */
#include "worker/judge/timing/ends.h"

#include "ops/record/state.h"

static void end_as(struct osw_record *r, uint8_t state, const char *reason)
{
    r->status_id = state;
    r->phase_id = OSW_PHASE_TIME;
    r->reason = reason;
}

void osw_ends_failed(const struct osw_measure_job *job,
                     const struct osw_blocks *own, struct osw_record *r)
{
    struct osw_sandbox *sandbox = own->sandbox;
    const char *text = own->text;

    r->phase_id = OSW_PHASE_TIME;
    if (own->bystander) {
        r->status_id = OSW_STATE_NONE; /* the other member's counts */
        return;
    }
    if (job->failed->status_id != OSW_STATE_NONE) {
        r->status_id = job->failed->status_id;
        r->signal = job->failed->signal;
        r->exit_code = job->failed->exit_code;
        text = job->failed->reason;
    } else if (sandbox && osw_sandbox_alive(sandbox)) {
        r->status_id =
            (job->own_memory && own->reply.code == -1) || own->reply.lost
                ? OSW_STATE_CUDA
                : OSW_STATE_RETURNED;
        r->exit_code = own->reply.code;
        if (own->reply.lost)
            osw_sandbox_end_as(sandbox, OSW_STATE_CUDA, text);
    } else {
        r->status_id = (uint8_t)sandbox->end.state;
        r->signal = sandbox->end.signal;
        r->exit_code = sandbox->end.exit_code;
        text = sandbox->end.text;
    }
    r->reason =
        osw_arena_printf(job->memory, "while it was timed: %s",
                         text && text[0] ? text : "it returned an error");
}

void osw_ends_implausible(const struct osw_measure_job *job,
                          const struct osw_blocks *own,
                          struct osw_record *record)
{
    const struct osw_claim_tally *t = &own->tally;

    end_as(record, OSW_STATE_IMPLAUSIBLE,
           osw_arena_printf(
               job->memory,
               "its blocks of calls take longer by the judge's clock than they "
               "claim: %u of %u",
               t->refuted + t->doubted, osw_claim_blocks(t)));
}

void osw_ends_keeping(const struct osw_measure_job *job,
                      const struct osw_blocks *own, double median_ns,
                      struct osw_record *record)
{
    end_as(record, OSW_STATE_IMPLAUSIBLE,
           osw_arena_printf(
               job->memory,
               "a call takes %.3f us, but %.3f us or more where all elements "
               "of its inputs changed since the call before, not one: it uses "
               "earlier results",
               median_ns * 1e-3, own->whole_ns * 1e-3));
}

void osw_ends_busy(const char *reason, struct osw_record *record)
{
    end_as(record, OSW_STATE_SKIPPED, reason);
}

void osw_ends_unconfirmed(const struct osw_measure_job *job,
                          const struct osw_blocks *own,
                          struct osw_record *record)
{
    const struct osw_claim_tally *t = &own->tally;

    osw_ends_busy(osw_arena_printf(job->memory,
                                   "machine too busy: the judge's clock "
                                   "confirms the times of %u blocks of %u",
                                   t->confirmed, osw_claim_blocks(t)),
                  record);
}

void osw_ends_claim(const struct osw_measure_job *job, const char *of,
                    double claim_ns, const char *by, double least_ns,
                    struct osw_record *record)
{
    end_as(record, OSW_STATE_IMPLAUSIBLE,
           osw_arena_printf(job->memory, "claims %s of %.3f us, %s %.3f us", of,
                            claim_ns * 1e-3, by, least_ns * 1e-3));
}
