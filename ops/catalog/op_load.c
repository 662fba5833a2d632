/* ops/catalog/op_load.c - an op by what stands for it: a folder, a name of
 * torch's, either with a baseline of torch's */
#include "ops/catalog/op_load.h"

#include "ops/catalog/op_baseline.h"
#include "ops/catalog/op_folder.h"
#include "ops/catalog/op_torch.h"

static int load_with_baseline(osw_arena_t *arena, const char *dir,
                              const char *device, struct osw_op *out,
                              struct osw_error *err)
{
    const char *rest, *name = osw_op_baseline_of(dir, &rest, err);
    struct osw_op op;

    return !name || osw_op_load(arena, rest, device, &op, err) < 0
               ? -1
               : osw_op_baseline_add(arena, name, false, &op, out, err);
}

int osw_op_load(osw_arena_t *arena, const char *dir, const char *device,
                struct osw_op *out, struct osw_error *err)
{
    if (osw_op_folder_check_device(device, err) < 0)
        return -1;
    if (osw_op_baseline_is(dir))
        return load_with_baseline(arena, dir, device, out, err);
    if (osw_op_torch_is(dir))
        return osw_op_torch_load(arena, dir, device, out, err);
    return osw_op_folder_load(arena, dir, device, out, err);
}
