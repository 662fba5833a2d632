/* results/file/sink_h5.h - an HDF5 file driver that can fail and be closed
 *
 * HDF5 cannot close a file whose disk is full: what it could not flush stays
 * in the library for the life of the process, and so does the file.  This
 * driver writes into a descriptor of ours; after the first failure it keeps
 * the error number and lets everything else succeed, so that the library can
 * let go of a file that will be thrown away.  Nor does it lock the file, which
 * not every shared file system can, or lend the descriptor to children.
 *
 * Downstream: store_h5.c.
 */
#ifndef OSW_RESULTS_SINK_H5_H
#define OSW_RESULTS_SINK_H5_H

#define H5_USE_110_API
#include <hdf5.h>

/* The caller's; it must outlive the HDF5 file. */
struct osw_sink {
    int fd;     /* open for reading and writing */
    int errnum; /* of the first failure; 0: none */
};

/* Make the file access property list `fapl` use the sink.  Returns 0 or -1. */
int osw_sink_use(hid_t fapl, struct osw_sink *sink);

#endif /* OSW_RESULTS_SINK_H5_H */
