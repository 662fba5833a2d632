/* results/file/texts_h5.c - how HDF5 is to hand over texts */
#include "results/file/texts_h5.h"

/* Of 4,096 texts: in the file one takes 16 bytes, in memory 8. */
static const size_t buffer_bytes = 64 << 10;

hid_t osw_texts_type(void)
{
    hid_t t = H5Tcopy(H5T_C_S1);

    if (t >= 0 && (H5Tset_size(t, H5T_VARIABLE) < 0 ||
                   H5Tset_cset(t, H5T_CSET_UTF8) < 0)) {
        H5Tclose(t);
        return -1;
    }
    return t;
}

hid_t osw_texts_transfer(void)
{
    hid_t p = H5Pcreate(H5P_DATASET_XFER);

    if (p >= 0 && H5Pset_buffer(p, buffer_bytes, NULL, NULL) >= 0)
        return p;
    if (p >= 0)
        H5Pclose(p);
    return H5P_DEFAULT;
}

herr_t osw_texts_close(hid_t transfer)
{
    return transfer == H5P_DEFAULT ? 0 : H5Pclose(transfer);
}
