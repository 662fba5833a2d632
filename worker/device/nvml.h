/* worker/device/nvml.h - the driver's own account of GPUs
 *
 * NVML is loaded where it is (libnvidia-ml.so.1, or the library that
 * OPSWEEP_NVML names); no header of it is needed to build.  Each function of
 * it may be missing: what cannot be asked is unknown.  Nothing here creates a
 * context on a GPU.
 *
 * Upstream: the judge around cells, `opsweep doctor`.  Downstream:
 * telemetry.h.
 */
#ifndef OSW_WORKER_DEVICE_NVML_H
#define OSW_WORKER_DEVICE_NVML_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "worker/device/telemetry.h"

typedef struct osw_nvml osw_nvml_t;

/* A GPU of an open library; valid until that is closed. */
struct osw_nvml_gpu {
    const osw_nvml_t *nvml;
    void *handle;
};

enum { OSW_NVML_MAX_PROCESSES = 64 };

enum osw_compute_mode {
    OSW_COMPUTE_DEFAULT = 0,
    OSW_COMPUTE_PROHIBITED = 2,
    OSW_COMPUTE_EXCLUSIVE_PROCESS = 3,
};

enum { OSW_NVML_PCI = 32 }; /* bytes of an address on the bus */

/* What stays as it is while a campaign runs.  Unknown is "", NaN, or -1. */
struct osw_nvml_facts {
    char name[96];
    char uuid[96];
    char pci[OSW_NVML_PCI]; /* "00000000:1B:00.0" */
    char serial[32];
    char vbios[32];
    int32_t capability;   /* 90: compute capability 9.0 */
    int32_t compute_mode; /* enum osw_compute_mode */
    int32_t persistence;  /* 0, 1; likewise ecc, mig */
    int32_t ecc;
    int32_t mig;
    double power_limit_w;
    double max_sm_mhz, max_memory_mhz;
    int32_t bus_bits; /* width of the memory's bus */
    int32_t pcie_gen, pcie_width, pcie_max_width;
    int32_t remapped_corrected, remapped_uncorrected; /* rows of memory */
    int32_t remap_pending, remap_failed;              /* 0, 1 */
    int32_t recovery; /* action the driver asks for: 0 none */
    int64_t memory_bytes, free_bytes;
    int32_t n_processes; /* with a compute context */
    uint32_t pids[OSW_NVML_MAX_PROCESSES];
};

/* What is true of all GPUs of a node. */
struct osw_nvml_driver {
    char version[80];     /* "580.65.06" */
    int32_t cuda_version; /* 13000: CUDA 13.0 */
};

/* Load and start the library.  Any process; blocks, at times for seconds where
 * no driver persists.  Returns what the caller owns, or NULL with err set:
 *   OSW_NOTHING    there is no such library: no driver is installed
 *   OSW_DEVICE     the driver is not loaded, or of another version
 *   OSW_NO_MEMORY
 */
osw_nvml_t *osw_nvml_open(struct osw_error *err) OSW_MUST_CHECK;
void osw_nvml_close(osw_nvml_t *nvml); /* NULL is ignored */

void osw_nvml_driver(const osw_nvml_t *nvml, struct osw_nvml_driver *out);

/* How many GPUs this process may see, and the one of that number, which is not
 * CUDA's number.  0, or -1 with err set to OSW_DEVICE.
 */
int osw_nvml_count(const osw_nvml_t *nvml, size_t *n,
                   struct osw_error *err) OSW_MUST_CHECK;
int osw_nvml_at(const osw_nvml_t *nvml, size_t index, struct osw_nvml_gpu *out,
                struct osw_error *err) OSW_MUST_CHECK;

/* The GPU of a UUID ("GPU-...").  0, or -1 with err set to OSW_DEVICE. */
int osw_nvml_find(const osw_nvml_t *nvml, const char *uuid,
                  struct osw_nvml_gpu *out,
                  struct osw_error *err) OSW_MUST_CHECK;

/* Without a handle everything is unknown; as with a sample.  All facts take the
 * driver some 30 ms.
 */
void osw_nvml_facts(const struct osw_nvml_gpu *gpu, struct osw_nvml_facts *out);

/* One of them alone: its address on the bus, "" where that is not known. */
void osw_nvml_pci(const struct osw_nvml_gpu *gpu, char out[OSW_NVML_PCI]);

/* One sample: about ten questions to the driver, no waiting, no thread. */
void osw_nvml_sample(const struct osw_nvml_gpu *gpu, struct osw_telemetry *out);

/* Have the driver keep the errors (Xid) of one GPU from now on, for
 * osw_nvml_next_xid.  0, or -1 with err set to OSW_DEVICE: it cannot.
 */
int osw_nvml_watch(osw_nvml_t *nvml, const struct osw_nvml_gpu *gpu,
                   struct osw_error *err) OSW_MUST_CHECK;

/* The next error that was kept, in order; 0: there is none.  Does not wait. */
uint64_t osw_nvml_next_xid(osw_nvml_t *nvml);

#endif /* OSW_WORKER_DEVICE_NVML_H */
