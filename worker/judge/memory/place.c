/* worker/judge/memory/place.c - the memory in which a case is judged */
#include "worker/judge/memory/place.h"

#include <string.h>

int osw_place_open(struct osw_place *place, enum osw_zone zone,
                   struct osw_device *device, uint64_t limit,
                   struct osw_error *err)
{
    *place = (struct osw_place){.zone = zone,
                                .ops = osw_judge_ops_find(device->ops->kind),
                                .device = device,
                                .limit = limit,
                                .image.fd = -1,
                                .private.fd = -1,
                                .seen.fd = -1};
    if (!place->ops)
        return osw_fail(err, OSW_BAD_INPUT, "no judge for device '%s' here",
                        device->ops->kind);
    if (device->ops->own_memory)
        return 0;
    if (device->ops->map_private(device, limit, &place->image, err) < 0)
        return -1;
    if (device->ops->map_private(device, limit, &place->private, err) < 0)
        return -1;
    return device->ops->map_private(device, limit, &place->seen, err);
}

void osw_place_close(struct osw_place *place)
{
    if (!place->device)
        return;
    place->device->ops->map_destroy(place->device, &place->image);
    place->device->ops->map_destroy(place->device, &place->private);
    place->device->ops->map_destroy(place->device, &place->seen);
}

void osw_place_rest(struct osw_place *place)
{
    if (place->device && place->device->ops->own_memory)
        osw_place_close(place);
}

int osw_place_ensure_bytes(struct osw_place *place, struct osw_map *map,
                           uint64_t bytes, struct osw_error *err)
{
    struct osw_device *dev = place->device;
    uint32_t n_gone = 0;

    if (map->base && bytes <= map->bytes)
        return 0;
    if (bytes > place->limit)
        return osw_fail(err, OSW_NO_MEMORY,
                        "the case needs %llu bytes of at most %llu "
                        "(--max-bytes)",
                        (unsigned long long)bytes,
                        (unsigned long long)place->limit);
    dev->ops->map_destroy(dev, map);
    for (;;) {
        struct osw_error why = OSW_ERROR_INIT;

        if (dev->ops->map_private(dev, bytes, map, &why) == 0)
            return 0;
        if (why.status == OSW_NO_MEMORY && place->make_room &&
            place->make_room(place->make_room_arg, bytes, &n_gone))
            continue;
        return osw_fail(err, why.status, "%s", why.text);
    }
}

void osw_place_element(const struct osw_place *place, const struct osw_view *v,
                       int64_t index, struct osw_element *out)
{
    size_t size = osw_view_elem_bytes(v);
    int64_t at = osw_view_offset(v->desc, index) * (int64_t)size;

    memset(out, 0, sizeof(*out));
    place->ops->copy(place->device, out->bytes, (const char *)v->data + at,
                     size);
    out->desc = (struct osw_tensor_desc){.dtype = v->desc->dtype};
    out->view = (struct osw_view){.data = out->bytes, .desc = &out->desc};
}
