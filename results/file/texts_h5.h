/* results/file/texts_h5.h - how HDF5 is to hand over texts
 *
 * Private to the files of this folder that include hdf5.h.  Both return what
 * the caller closes, or a negative id.
 */
#ifndef OSW_RESULTS_TEXTS_H5_H
#define OSW_RESULTS_TEXTS_H5_H

#define H5_USE_110_API
#include <hdf5.h>

/* UTF-8 of any length: a pointer in memory. */
hid_t osw_texts_type(void);

/* Properties of a transfer of texts.  HDF5 clears its buffer before each, and
 * takes 1 MiB if it is not told: that is most of the time of a few texts.
 */
hid_t osw_texts_transfer(void);

#endif /* OSW_RESULTS_TEXTS_H5_H */
