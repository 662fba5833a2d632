/* mpi_runner/transport/transport.c - the table of transports */
#include "mpi_runner/transport/transport.h"

#include <string.h>

static const struct osw_transport_row rows[] = {
    {"loop", osw_transport_open_loop},
    {"mpi", osw_transport_open_mpi},
};

const struct osw_transport_row *osw_transport_find(const char *name)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}
