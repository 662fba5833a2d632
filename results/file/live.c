/* results/file/live.c - a result file, or what a run has recorded that has
 * none yet
 */
#include "results/file/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/guard.h"
#include "common/text.h"
#include "results/file/seal.h"
#include "results/journal/lock.h"
#include "results/journal/replay.h"

enum { TRIES = 3 }; /* a run may end between two looks */

static enum osw_live_state look(const char *path, const char *dir,
                                struct osw_live *live)
{
    if (access(dir, F_OK) != 0)
        return OSW_LIVE_SEALED;
    if (osw_lock_look(dir, live->who, sizeof(live->who)) != OSW_LOCK_FREE)
        return OSW_LIVE_RUNNING;
    return access(path, F_OK) == 0 ? OSW_LIVE_SEALED : OSW_LIVE_CUT_OFF;
}

/* Seal the journal into the temporary file, which has no name afterwards. */
static osw_file_t *open_sealed(const struct osw_replay *replay,
                               const char *temp, const char *path,
                               struct osw_error *err)
{
    osw_file_t *file = NULL;

    if (osw_seal(replay, temp, err) == 0) {
        osw_guard_unfinished(temp);
        file = osw_file_open(temp, err);
    }
    unlink(temp);
    osw_guard_unfinished(NULL);
    if (file && osw_file_set_name(file, path, err) < 0) {
        osw_file_close(file);
        file = NULL;
    }
    return file;
}

/* As long as there is no file, the run is not complete. */
static osw_file_t *open_journal(const char *dir, const char *path, bool *ended,
                                struct osw_error *err)
{
    struct osw_text temp = OSW_TEXT_INIT;
    const char *tmp = getenv("TMPDIR");
    osw_file_t *file = NULL;
    struct osw_replay *replay = osw_replay_load(dir, err);
    int fd = -1;

    osw_text_printf(&temp, "%s/opsweep-live.XXXXXX",
                    tmp && *tmp ? tmp : "/tmp");
    if (temp.failed)
        osw_fail(err, OSW_NO_MEMORY, "no memory for a path");
    else if (replay && (fd = mkstemp(temp.data)) < 0)
        osw_fail_sys(err, errno, "cannot make '%s'", temp.data);
    if (fd >= 0) {
        close(fd);
        *ended = replay->ended;
        replay->complete = false;
        file = open_sealed(replay, temp.data, path, err);
    }
    osw_replay_destroy(replay);
    osw_text_free(&temp);
    return file;
}

osw_file_t *osw_live_open(const char *path, struct osw_live *live,
                          struct osw_error *err)
{
    struct osw_text dir = OSW_TEXT_INIT;
    osw_file_t *file = NULL;

    *live = (struct osw_live){.state = OSW_LIVE_SEALED};
    osw_text_printf(&dir, "%s.journal", path);
    if (dir.failed)
        osw_fail(err, OSW_NO_MEMORY, "no memory for a path");
    for (int i = 1; !dir.failed && !file; i++) {
        struct osw_error why = OSW_ERROR_INIT;

        live->state = look(path, osw_text_str(&dir), live);
        file = live->state == OSW_LIVE_SEALED
                   ? osw_file_open(path, &why)
                   : open_journal(osw_text_str(&dir), path, &live->ended, &why);
        /* What failed while the run ended is tried as it is now. */
        if (!file && (i == TRIES ||
                      look(path, osw_text_str(&dir), live) == live->state)) {
            osw_fail(err, why.status, "%s", why.text);
            break;
        }
    }
    osw_text_free(&dir);
    return file;
}
