"""no_cells.py FILE.h5 OUT.h5 - a copy of a result file, without its cells, of a
later campaign"""
import shutil
import sys

import h5py

shutil.copy(*sys.argv[1:])
with h5py.File(sys.argv[2], "r+") as f:
    for column in f["results"].values():
        column.resize((0,) + column.shape[1:])
    f.attrs.modify("n_results", 0)
    f.attrs.modify("run_uuid", "0" * 36)
    f.attrs.modify("created_utc", "2026-12-31T03:00:00Z")
