/* mpi_runner/doctor/doctor_h5.c - can result files be written and read here? */
#include <hdf5.h>

#include <stdio.h>
#include <unistd.h>

#include "common/clock.h"
#include "mpi_runner/doctor/doctor.h"
#include "results/file/store.h"

enum { N_VALUES = 1000 };

/* Write by the very functions that seal a campaign. */
static int write_file(const char *path, const double *values,
                      struct osw_error *err)
{
    static const struct osw_store_column column = {
        .name = "values",
        .type = OSW_STORE_F64,
        .units = "1",
        .text = "a trial of the file system",
    };
    osw_store_t *store = osw_store_create(path, err);

    if (!store)
        return -1;
    osw_store_table(store, "/trial", N_VALUES);
    osw_store_values(store, "/trial", &column, N_VALUES, values);
    return osw_store_finish(store, err);
}

static bool reads_back(const char *path, const double *values)
{
    static double got[N_VALUES];
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = file < 0 ? -1 : H5Dopen2(file, "/trial/values", H5P_DEFAULT);
    bool same = set >= 0 && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL,
                                    H5P_DEFAULT, got) >= 0;

    for (int i = 0; same && i < N_VALUES; i++)
        same = got[i] >= values[i] && got[i] <= values[i];
    if (set >= 0)
        H5Dclose(set);
    if (file >= 0)
        H5Fclose(file);
    return same;
}

void osw_doctor_hdf5(struct osw_doctor *d, const struct osw_doctor_check *self)
{
    struct osw_error err = OSW_ERROR_INIT;
    unsigned major = 0, minor = 0, release = 0;
    int64_t t0 = osw_clock_ns();
    double values[N_VALUES];
    char path[4096];

    for (int i = 0; i < N_VALUES; i++)
        values[i] = i * 0.25;
    snprintf(path, sizeof(path), "%s/.opsweep-doctor-%d.h5", d->folder,
             (int)getpid());
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5get_libversion(&major, &minor, &release);
    if (write_file(path, values, &err) < 0)
        osw_doctor_bad(d, self, "name a folder that can be written",
                       "%u.%u.%u: %s", major, minor, release, err.text);
    else if (!reads_back(path, values))
        osw_doctor_bad(d, self,
                       "set HDF5_USE_FILE_LOCKING=FALSE where the file system "
                       "has no locks, or name another folder",
                       "%u.%u.%u: what was written in '%s' cannot be read",
                       major, minor, release, d->folder);
    else
        osw_doctor_good(d, self, "%u.%u.%u, a file written and read in %.0f ms",
                        major, minor, release,
                        (double)(osw_clock_ns() - t0) / 1e6);
    unlink(path);
}
