/* mpi_runner/campaign/campaign.c - what one run is asked to do */
#include "mpi_runner/campaign/campaign.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ops/cases/suite.h"
#include "ops/catalog/backend.h"
#include "worker/device/device.h"

const char *const osw_campaign_top_by[] = {"calls", "size", NULL};

const char *osw_campaign_suite(size_t i)
{
    const struct osw_suite *suite = osw_suite_at(i);

    return suite ? suite->name : NULL;
}

const char *osw_campaign_backend(size_t i)
{
    return osw_backend_word(i);
}

const char *osw_campaign_device(size_t i)
{
    return i == 0 ? "auto" : osw_device_word(i - 1);
}

const char *osw_campaign_profile(size_t i)
{
    const struct osw_profile *profile = osw_profile_at(i);

    return profile ? profile->name : NULL;
}

const char *osw_campaign_root(const struct osw_campaign *c)
{
    const struct osw_suite *suite = osw_suite_find(c->suite);
    bool custom = osw_backend_find(c->backend)->custom ||
                  (suite && suite->needs_custom_root);

    return custom ? c->custom_ops_root : c->library;
}

int osw_campaign_check_root(const struct osw_campaign *c, bool by_option,
                            struct osw_error *err)
{
    const char *root = osw_campaign_root(c);
    bool absolute = *root == '/';

    if (!*root || access(root, R_OK) == 0 || (absolute && !by_option))
        return 0;
    if (!by_option)
        return osw_fail(err, OSW_BAD_INPUT,
                        "cannot read '%s' as a folder of ops: %s; start it "
                        "where the campaign was started",
                        root, strerror(errno));
    return osw_fail(err, OSW_BAD_INPUT,
                    "cannot read '%s' as a folder of ops: %s; %ssay by --%s "
                    "where it is",
                    root, strerror(errno),
                    absolute ? ""
                             : "start it where the campaign was started, or ",
                    root == c->library ? "library" : "custom-ops-root");
}

int osw_campaign_open_text(struct osw_whole_file *out,
                           const struct osw_args *args,
                           const struct osw_campaign *c, struct osw_error *err)
{
    const char *path = osw_args_given(args, "output") ? c->output : NULL;
    size_t n = path ? strlen(path) : 0;

    if (n > 3 && strcmp(path + n - 3, ".h5") == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--output': expected the name of a text, found "
                        "that of a result file, '%s'",
                        path);
    return osw_whole_file_apart(path, args->operands, args->n_operands, err) < 0
               ? -1
               : osw_whole_file_open(out, path, err);
}
