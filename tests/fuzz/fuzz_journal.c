/* tests/fuzz/fuzz_journal.c - segments, frames and entries of a journal
 *
 * The first byte chooses: 0, the rest is a segment as it lies on disk; else,
 * the rest is the payload of an entry of that type, which no checksum guards
 * here, and which must survive being written again.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "results/journal/entry.h"
#include "results/journal/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static float samples[OSW_RECORD_MAX_SAMPLES];

static int decode(void *arg, const struct osw_frame *frame,
                  const struct osw_journal_place *place, struct osw_error *err)
{
    struct osw_entry entry;

    (void)arg;
    (void)place;
    return osw_entry_decode(frame, &entry, samples, err) < 0 ? -1 : 0;
}

static void fuzz_segment(const uint8_t *data, size_t size)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_segment segment = {.first_seq = 1};
    uint64_t seq;
    size_t at;

    /* also without a header, since few inputs have one */
    if (osw_segment_decode(data, size, &segment, &err) &&
        size < OSW_SEGMENT_HEADER_BYTES)
        return;
    err = (struct osw_error)OSW_ERROR_INIT;
    (void)!osw_journal_scan_segment(data, size, &segment, UINT64_MAX, decode,
                                    NULL, &at, &seq, &err);
    if (at > size)
        abort();
}

/* What was read can be written, and is read again. */
static void fuzz_entry(uint16_t type, const uint8_t *data, size_t size)
{
    struct osw_frame frame = {.seq = 1,
                              .type = type,
                              .version = OSW_ENTRY_VERSION,
                              .payload = data,
                              .payload_bytes = size};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_entry entry;

    if (osw_entry_decode(&frame, &entry, samples, &err) == 0) {
        if (osw_entry_encode(&entry, &text, &err))
            abort();
        frame.payload = (const unsigned char *)text.data;
        frame.payload_bytes = text.used;
        if (osw_entry_decode(&frame, &entry, samples, &err))
            abort();
    }
    osw_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] == 0)
        fuzz_segment(data + 1, size - 1);
    else
        fuzz_entry(data[0], data + 1, size - 1);
    return 0;
}
