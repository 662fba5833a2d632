/* tests/fuzz/fuzz_protocol.c - messages of judge and sandbox, from a liar */
#include <stddef.h>
#include <stdint.h>

#include "worker/protocol.h"

enum { ARENA_BYTES = 1 << 20 };

/* What was let in stays within the zone. */
static void edit(const struct osw_edits *edits, unsigned char *zone)
{
    struct osw_edits_undo undo = {.n = 0};

    for (uint64_t call = 0; call < 4; call++) {
        osw_edits_apply(edits, call, zone, &undo);
        osw_edits_undo(zone, &undo);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char memory[16];
    static struct osw_result result;
    static struct osw_time_reply samples;
    struct osw_reader r = osw_reader(data, size);
    osw_arena_t *arena = osw_arena_create();
    osw_device device = {OSW_CPU, 0};
    const struct osw_zone_memory zones[OSW_N_ZONES] = {
        {memory, ARENA_BYTES, 0}};
    struct osw_arena_offer offer;
    struct osw_join join;
    struct osw_expanded expanded;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_case_received job;
    struct osw_time_request ask;
    struct osw_edits edits;
    struct osw_loaded loaded;
    struct osw_load load;
    struct osw_step step;
    int rc = 0;

    if (!arena)
        return 0;
    switch (osw_protocol_kind(&r)) {
    case OSW_TALK_LOAD:
        rc = osw_protocol_get_load(&r, &load, &err);
        break;
    case OSW_TALK_CASE:
        rc = osw_protocol_get_case(&r, arena, zones, device, &job, &err);
        break;
    case OSW_TALK_STEPS:
        rc = osw_protocol_get_step(&r, ARENA_BYTES, &step, &err);
        if (rc == 0)
            rc = osw_protocol_get_case_part(&r, arena, zones, device, &job,
                                            &err);
        break;
    case OSW_TALK_RESULTS:
        rc = osw_protocol_get_result_part(&r, ARENA_BYTES, 2, &result, &err);
        break;
    case OSW_TALK_ARENA:
        rc = osw_protocol_get_arena(&r, &offer, &err);
        break;
    case OSW_TALK_JOIN:
        rc = osw_protocol_get_join(&r, &join, &err);
        break;
    case OSW_TALK_TIME:
        rc = osw_protocol_get_time(&r, ARENA_BYTES, &edits, &ask, &err);
        if (rc == 0 && ask.edits)
            edit(&edits, memory);
        break;
    case OSW_TALK_LOADED:
        rc = osw_protocol_get_loaded(&r, &loaded, &err);
        break;
    case OSW_TALK_RESULT:
        rc = osw_protocol_get_result(&r, ARENA_BYTES, 2, &result, &err);
        break;
    case OSW_TALK_EXPANDED:
        rc = osw_protocol_get_expanded(&r, ARENA_BYTES, &expanded, &err);
        break;
    case OSW_TALK_SAMPLES:
        rc = osw_protocol_get_samples(&r, &samples, &err);
        break;
    default:
        break;
    }
    if (rc < 0 && err.status == OSW_OK)
        __builtin_trap(); /* a failure must say what failed */
    osw_arena_destroy(arena);
    return 0;
}
