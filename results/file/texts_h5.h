/* results/file/texts_h5.h - how HDF5 is to hand over texts
 *
 * Private to the files of this folder that include hdf5.h.
 */
#ifndef OSW_RESULTS_TEXTS_H5_H
#define OSW_RESULTS_TEXTS_H5_H

#define H5_USE_110_API
#include <hdf5.h>

/* UTF-8 of any length: a pointer in memory.  The caller closes it; negative: it
 * cannot be had.
 */
hid_t osw_texts_type(void);

/* Properties of a transfer of texts.  HDF5 clears its buffer before each, and
 * takes 1 MiB if it is not told: that is most of the time of a few texts.
 * Without memory they are HDF5's own.  To be closed by osw_texts_close().
 */
hid_t osw_texts_transfer(void);
herr_t osw_texts_close(hid_t transfer);

#endif /* OSW_RESULTS_TEXTS_H5_H */
