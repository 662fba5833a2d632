/* worker/launch_floor.c - how far launches of the same code differ on a device
 */
#include "worker/launch_floor.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "common/json.h"
#include "common/json_out.h"
#include "common/log.h"
#include "common/text.h"
#include "ops/build/build_cache.h"
#include "ops/build/tool.h"
#include "worker/hash.h"
#include "worker/judge/timing/token.h"

enum { MAX_NAME = 32, MAX_OUTPUT = 512 };

#define LAUNCH_NS  INT64_C(30000000000) /* a process may take so long */
#define OTHERS_NS  INT64_C(90000000000) /* another that measures, too */
#define LOOK_NS    INT64_C(50000000)
#define STUDENT    2.201 /* two-sided 95 %, 11 degrees of freedom */
#define MOST_NS    1e6
#define LEAST_PART 0.0005
#define BUSY_PART  0.05 /* from here on others use the device as well */
#define BUSY_S     3600 /* so long that is believed */

_Static_assert(OSW_LAUNCHES == 12, "STUDENT is for 12 launches");

/* --- from times to a floor --- */

static double spread_of(const double *x, size_t n, double *mean)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    *mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    return sqrt(squares / (double)(n - 1));
}

struct osw_launch_floor osw_launch_floor_of(const double *short_ns,
                                            const double *long_ns, size_t n)
{
    double mean, factor = STUDENT * sqrt(2.0);
    double ns = factor * spread_of(short_ns, n, &mean);
    double both = factor * spread_of(long_ns, n, &mean);
    double part = sqrt(fmax(both * both - ns * ns, 0)) / mean;

    return (struct osw_launch_floor){fmin(fmax(ns, OSW_LAUNCH_NS), MOST_NS),
                                     fmin(fmax(part, LEAST_PART), 1)};
}

/* --- the file --- */

static bool is_sane(const struct osw_launch_floor *floor)
{
    return floor->ns >= 0 && floor->ns <= MOST_NS && floor->part >= 0 &&
           floor->part <= 1;
}

int osw_launch_floor_parse(const char *text, size_t n, double now_s,
                           struct osw_launch_floor *out, struct osw_error *err)
{
    struct osw_launch_floor floor = {NAN, NAN};
    double until = INFINITY;
    osw_json_t *root = osw_json_parse(text, n, "floor of launches", err);
    int rc;

    if (!root)
        return -1;
    rc = osw_json_f64(osw_json_get(root, "launch_ns"), &floor.ns, err);
    if (rc == 0)
        rc = osw_json_f64(osw_json_get(root, "launch_part"), &floor.part, err);
    if (rc == 0 && osw_json_get(root, "until"))
        rc = osw_json_f64(osw_json_get(root, "until"), &until, err);
    osw_json_free(root);
    if (rc < 0)
        return -1;
    if (!(now_s < until))
        return osw_fail(err, OSW_BAD_INPUT,
                        "floor of launches: it was measured on a busy device, "
                        "too long ago");
    if (!is_sane(&floor))
        return osw_fail(err, OSW_BAD_INPUT,
                        "floor of launches: expected launch_ns from 0 to 1e6 "
                        "and launch_part from 0 to 1");
    *out = floor;
    return 0;
}

/* One file for what is the same thing to measure. */
static void name_of(const struct osw_device_info *info, char name[MAX_NAME])
{
    char all[sizeof(info->kind) + sizeof(info->name) + sizeof(info->driver) +
             sizeof(info->runtime)];
    int n = snprintf(all, sizeof(all), "%s|%s|%s|%s", info->kind, info->name,
                     info->driver, info->runtime);

    snprintf(name, MAX_NAME, "launches-%016" PRIx64,
             osw_hash_bytes(all, (size_t)n, 1));
}

static bool load(const char *path, struct osw_launch_floor *out)
{
    struct osw_error unused = OSW_ERROR_INIT;
    struct osw_text text = {0};
    bool there = osw_build_cache_read(path, OSW_LAUNCH_MAX_BYTES, &text, NULL);
    const char *s = there ? osw_text_str(&text) : NULL;
    bool good = s && osw_launch_floor_parse(s, strlen(s), (double)time(NULL),
                                            out, &unused) == 0;

    osw_text_free(&text);
    return good;
}

/* The device stands beside it for a reader. */
static void keep(const char *dir, const char *path,
                 const struct osw_device_info *info,
                 const struct osw_launch_floor *floor)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text text = {0};
    struct osw_json_out o = osw_json_out(&text);
    char tmp[OSW_BUILD_CACHE_MAX_TMP], from[OSW_BUILD_MAX_PATH];
    const char *s;

    osw_json_out_object(&o, NULL);
    osw_json_out_f64(&o, "launch_ns", floor->ns);
    osw_json_out_f64(&o, "launch_part", floor->part);
    osw_json_out_i64(&o, "launches", OSW_LAUNCHES);
    if (floor->part > BUSY_PART)
        osw_json_out_i64(&o, "until", (int64_t)time(NULL) + BUSY_S);
    osw_json_out_str(&o, "device", info->name);
    osw_json_out_str(&o, "driver", info->driver);
    osw_json_out_end(&o);
    s = osw_text_str(&text);
    if (s && osw_build_cache_tmp_make(dir, tmp, &err) == 0) {
        snprintf(from, sizeof(from), "%s/floor", tmp);
        if (osw_build_cache_put(from, s, strlen(s), &err) == 0)
            (void)!osw_build_cache_adopt(dir, from, path, &err);
        osw_build_cache_tmp_remove(tmp);
    }
    osw_text_free(&text);
}

/* --- processes --- */

struct output {
    char text[MAX_OUTPUT];
    size_t n;
};

static void take_output(void *arg, const char *bytes, size_t n)
{
    struct output *o = arg;
    size_t room = sizeof(o->text) - 1 - o->n;

    n = n < room ? n : room;
    memcpy(o->text + o->n, bytes, n);
    o->n += n;
    o->text[o->n] = '\0';
}

/* One process; -1: it did not do it, with err set. */
static int launch(const struct osw_worker_config *config,
                  const struct osw_device *dev, double *short_ns,
                  double *long_ns, struct osw_error *err)
{
    struct output output = {.n = 0};
    char index[16];
    const char *const argv[] = {config->sandbox_path, OSW_LAUNCH_WORD,
                                dev->ops->kind,       index,
                                dev->visible,         NULL};
    const struct osw_tool tool = {.argv = argv,
                                  .deadline_ns = LAUNCH_NS,
                                  .sink = take_output,
                                  .sink_arg = &output,
                                  .tick = config->tick,
                                  .tick_arg = config->tick_arg};
    struct osw_tool_end end;

    /* With `visible` it sees only that device. */
    snprintf(index, sizeof(index), "%d", dev->visible[0] ? 0 : dev->index);
    if (osw_tool_run(&tool, &end, err) < 0)
        return -1;
    if (end.exit_code != 0 ||
        sscanf(output.text, "%lf %lf", short_ns, long_ns) != 2 ||
        !(*short_ns > 0 && *short_ns < 1e12 && *long_ns > 0 && *long_ns < 1e12))
        return osw_fail(err, OSW_DEVICE, "%s%.*s",
                        end.late ? "it takes too long" : "it failed: ",
                        (int)strcspn(output.text, "\n"), output.text);
    return 0;
}

static int measure(const struct osw_worker_config *config,
                   const struct osw_device *dev, struct osw_launch_floor *out,
                   struct osw_error *err)
{
    double short_ns[OSW_LAUNCHES + 1], long_ns[OSW_LAUNCHES + 1];
    int token = osw_token_open(err), rc = token < 0 ? -1 : 0;

    if (rc == 0)
        osw_token_take(token, config->tick, config->tick_arg);
    /* The first one wakes the device and warms the driver's own caches. */
    for (int i = 0; i <= OSW_LAUNCHES && rc == 0; i++)
        rc = launch(config, dev, &short_ns[i], &long_ns[i], err);
    if (token >= 0)
        osw_token_give(token);
    osw_token_close(token);
    if (rc == 0)
        *out = osw_launch_floor_of(short_ns + 1, long_ns + 1, OSW_LAUNCHES);
    return rc;
}

static void measure_and_keep(const struct osw_worker_config *config,
                             const struct osw_device *dev, const char *dir,
                             const char *path, struct osw_device_info *info,
                             struct osw_launch_floor *out)
{
    struct osw_error err = OSW_ERROR_INIT;
    int64_t t0 = osw_clock_ns();

    if (measure(config, dev, out, &err) < 0) {
        osw_log(OSW_LOG_WARNING,
                "how far launches differ on %s is not known: %s", info->name,
                err.text);
        return;
    }
    osw_log(OSW_LOG_INFO,
            "%s: launches of the same code differ by %.0f ns and %.2f %% "
            "(measured %s, %.1f s)",
            info->name, out->ns, 100 * out->part,
            out->part > BUSY_PART ? "beside other work, so for an hour"
                                  : "once",
            (double)(osw_clock_ns() - t0) * 1e-9);
    keep(dir, path, info, out);
}

/* Another process may be at it: what it leaves is as good as our own. */
static void find(const struct osw_worker_config *config,
                 const struct osw_device *dev, struct osw_device_info *info,
                 struct osw_launch_floor *out)
{
    struct osw_error err = OSW_ERROR_INIT;
    int64_t end = osw_clock_ns() + OTHERS_NS;
    char dir[OSW_BUILD_CACHE_MAX_DIR], path[OSW_BUILD_MAX_PATH], name[MAX_NAME];
    int fd, locked = 0;

    if (osw_build_cache_open(config->cache_dir, dir, &err) < 0)
        return;
    name_of(info, name);
    osw_build_cache_path(dir, name, "json", path);
    while (!load(path, out) && osw_clock_ns() < end) {
        locked = osw_build_cache_lock(dir, name, &fd, &err);
        if (locked != 0)
            break;
        osw_clock_sleep_ns(LOOK_NS);
        if (config->tick)
            config->tick(config->tick_arg);
    }
    if (locked != 0 && !load(path, out))
        measure_and_keep(config, dev, dir, path, info, out);
    if (locked > 0)
        osw_build_cache_unlock(dir, name, fd);
}

void osw_launch_floor_find(const struct osw_worker_config *config,
                           const struct osw_device *dev,
                           struct osw_device_info *info)
{
    struct osw_launch_floor floor = {NAN, NAN};

    if (dev->ops->own_memory && config->profile && config->profile->time &&
        config->sandbox_path)
        find(config, dev, info, &floor);
    info->launch_ns = floor.ns;
    info->launch_part = floor.part;
}

struct osw_launch_floor
osw_launch_floor_known(const struct osw_device_info *info)
{
    struct osw_launch_floor floor = {info->launch_ns, info->launch_part};

    if (isnan(floor.ns) || isnan(floor.part))
        floor = (struct osw_launch_floor){OSW_LAUNCH_NS, OSW_LAUNCH_PART};
    return floor;
}
