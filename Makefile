# Makefile - opsweep
#
#   make             build ./opsweep                make demo   sweep a real trace
#   make test        everything that can be checked make bench  print the figures
#   make help        all of them
#
# Local settings (CC, PREFIX, ...) go to config.mk, which git ignores.
-include config.mk

CC       ?= cc
PREFIX   ?= /usr/local
DESTDIR  ?=
FUZZ_SECONDS ?= 60

# SAN=1: with ASan and UBSan.  FUZZ=1: for libFuzzer.  B=DIR: build there.
B        ?= build$(if $(SAN),-san)$(if $(FUZZ),-fuzz)

# Rooms, lowest first: a room may include itself and those to its left.
ROOMS    := common ops results worker mpi_runner

ifeq ($(MAKELEVEL),0)
ifeq ($(filter -j% --jobserver%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif
endif
MAKEFLAGS += --no-builtin-rules --no-print-directory

# Warnings are errors where the project is tested, not where a newer compiler
# knows a new one: WERROR=1.
WERROR   ?= $(CI)
WARN     := -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
            -Wstrict-prototypes -Wvla -Wformat-security \
            -Wno-missing-field-initializers \
            $(if $(WERROR),-Werror)
CFLAGS   ?= $(if $(SAN),-O1 -g1,-O2 -g)
CPPFLAGS += -I. -Iinclude -D_GNU_SOURCE
LDFLAGS  += -Wl,--as-needed
STRICT   := -std=c11 $(WARN)
# Position independent: the plugins link the same objects.
OURS     := $(STRICT) -Wmissing-prototypes -fPIC -fno-semantic-interposition
ifneq ($(SAN)$(FUZZ),)
CFLAGS   += -fsanitize=address,undefined -fno-sanitize-recover=undefined \
            -fno-omit-frame-pointer
endif
ifdef FUZZ
CC       := clang
CFLAGS   += -fsanitize=fuzzer-no-link
endif

# --- foreign libraries: one kind of file each -------------------------------
# Looked up once, when first used: `make deps` may install them before.
system    = $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $1))
MPI_CFLAGS  = $(eval MPI_CFLAGS := $$(call system,ompi-c))$(MPI_CFLAGS)
MPI_LIBS    = $(eval MPI_LIBS := $$(shell pkg-config --libs ompi-c))$(MPI_LIBS)
HDF5_CFLAGS = $(eval HDF5_CFLAGS := $$(call system,hdf5-serial))$(HDF5_CFLAGS)
HDF5_LIBS   = $(eval HDF5_LIBS := $$(shell pkg-config --libs-only-L \
                hdf5-serial) -lhdf5_hl -lhdf5 -lz)$(HDF5_LIBS)
LIBS        = -lmd -ldl -lm -lpthread
ALL_LIBS    = $(MPI_LIBS) $(HDF5_LIBS) -ljansson -lyaml $(LIBS)

# CUDA is a plugin: built where nvcc is, loaded where a GPU is.
NVCC       ?= $(shell command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
CUDA_ARCHS ?= 80 90
CUDA_HOME  ?= $(patsubst %/bin/nvcc,%,$(realpath $(NVCC)))
CUDA_RT     = $(firstword $(wildcard $(CUDA_HOME)/lib64/libcudart.so \
                $(CUDA_HOME)/targets/*/lib/libcudart.so \
                $(CUDA_HOME)/lib/libcudart.so /usr/lib/*/libcudart.so))
CUDA_CODE   = $(foreach a,$(CUDA_ARCHS),-gencode arch=compute_$(a),code=sm_$(a)) \
              -gencode arch=compute_$(lastword $(CUDA_ARCHS)),code=compute_$(lastword $(CUDA_ARCHS))

# --- what there is ------------------------------------------------------------
SRC      := $(filter-out %_cuda.c %_seccomp.c worker/judge/eval/checks.c ops/library/% ops/examples/%, \
            $(foreach r,$(ROOMS),$(wildcard $(r)/*.c $(r)/*/*.c $(r)/*/*/*.c)))
CUDA_OBJ  = $(patsubst %,$(B)/%.o,$(basename $(wildcard worker/$1/*_cuda.c worker/$1/*/*_cuda.c))) \
            $(patsubst %,$(B)/%.cu.o,$(basename $(wildcard worker/$1/*_cuda.cu worker/$1/*/*_cuda.cu)))
MAINS    := mpi_runner/main.c worker/sandbox/main.c worker/sandbox/stand_ins.c
LIB      := $(B)/libopsweep.a
LIB_OBJ  := $(patsubst %.c,$(B)/%.o,$(filter-out $(MAINS),$(SRC)))
SANDBOX_OBJ := $(patsubst %.c,$(B)/%.o,$(filter-out %_seccomp.c, \
              $(wildcard worker/sandbox/*.c)))

UNIT     := $(patsubst %.c,$(B)/%,$(wildcard tests/unit/*/test_*.c))
FUZZERS  := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
REPLAYS  := $(FUZZERS:%=$(B)/tests/fuzz/replay_%)
GPU_UNIT := $(patsubst %.c,$(B)/%,$(wildcard tests/gpu/test_*.c))
GPU_BENCHES := $(patsubst %.c,$(B)/%,$(wildcard tests/bench/gpu/bench_*.c))
BENCHES  := $(patsubst %.c,$(B)/%,$(wildcard tests/bench/bench_*.c))
OP_CUDA   = $(patsubst ops/library/%.cu,$(B)/op-check/%.cu.o,$(filter-out \
              $(if $(wildcard $(CUDA_HOME)/include/cudnn.h),,%_cudnn.cu), \
              $(wildcard ops/library/*/*.cu)))
# As campaigns name a GPU: from 9.0 on with what only this kind has.
OP_ARCH   = $(lastword $(CUDA_ARCHS))$(if $(filter 9% 10% 12%,$(lastword $(CUDA_ARCHS))),a)
PLUGINS  := $(if $(SAN)$(FUZZ),,$(if $(strip $(NVCC)),$(B)/libopsweep-cuda.so \
              $(if $(wildcard worker/judge/*/*_cuda.c),$(B)/libopsweep-judge-cuda.so)))
# The sandbox inside the user's own python: a library and a module.
PYTHON   := $(if $(SAN)$(FUZZ),,$(B)/libopsweep_sandbox.so \
              $(patsubst worker/sandbox/%,$(B)/%,$(wildcard worker/sandbox/python/*.py)))
PROGRAMS := $(B)/opsweep $(if $(SANDBOX_OBJ),$(B)/opsweep-sandbox) $(PLUGINS) $(PYTHON)

# Man pages and completion, which the program knows.
PAGES    := $(if $(SAN)$(FUZZ),,$(B)/pages/made)
LIBRARY  := $(shell find ops/library -type f 2>/dev/null)
EXAMPLES := $(wildcard ops/examples/*/*.*)
OBJECTS  := $(B)/library-objects

# V=1 shows the commands.
Q         = $(if $(V),,@echo "$1 $@";)

# --- programs ---------------------------------------------------------------
all: $(PROGRAMS) $(PAGES) $(if $(filter build,$(B)),opsweep) $(if $(filter /%,$(B)),away) \
    $(if $(SAN)$(FUZZ),,$(OBJECTS)/.filled)

opsweep: $(B)/opsweep
	@ln -sfn $< $@

# Built elsewhere, the program finds headers and library beside itself.
away: $(B)/opsweep
	@mkdir -p $(B)/share/opsweep
	@ln -sfn $(CURDIR)/include $(B)
	@ln -sfn $(CURDIR)/ops $(CURDIR)/slurm $(B)/share/opsweep

$(B)/opsweep: $(B)/mpi_runner/main.o $(LIB)
	$(call Q,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(PAGES): $(B)/opsweep
	$(call Q,PAGES)rm -rf $(@D) && mkdir -p $(@D)/man $(@D)/bash $(@D)/zsh && \
	$< --man >$(@D)/man/opsweep.1 && \
	for c in $$($< --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p'); do \
	    $< --man $$c >$(@D)/man/opsweep-$$c.1 || exit 1; done && \
	$< --completion bash >$(@D)/bash/opsweep && \
	$< --completion zsh >$(@D)/zsh/_opsweep && touch $@

# Loads op code and nothing else of ours: no MPI, no HDF5.
$(B)/opsweep-sandbox: $(SANDBOX_OBJ) $(LIB)
	$(call Q,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/libopsweep_sandbox.so: $(filter-out %/main.o %/stand_ins.o,$(SANDBOX_OBJ)) $(LIB)
	$(call Q,LD)$(CC) -shared $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) -Wl,--exclude-libs=ALL

$(B)/python/%.py: worker/sandbox/python/%.py
	@mkdir -p $(@D)
	@cp $< $@

$(LIB): $(LIB_OBJ)
	@rm -f $@
	$(call Q,AR)$(AR) rcs $@ $^

# What judge and sandbox need of a GPU, and what only the judge may have.
$(B)/libopsweep-cuda.so: $(call CUDA_OBJ,device) $(LIB)
$(B)/libopsweep-judge-cuda.so: $(call CUDA_OBJ,judge) $(LIB)
$(PLUGINS):
	$(call Q,NVLD)$(NVCC) -shared -cudart shared -o $@ $^ -lmd -ldl \
	    -Xlinker --exclude-libs=ALL -Xlinker -rpath=$(dir $(CUDA_RT))

$(B)/%.cu.o: %.cu
	@mkdir -p $(@D)
	$(call Q,NVCC)$(NVCC) $(CPPFLAGS) -std=c++17 -O3 -lineinfo $(CUDA_CODE) \
	    -Xcompiler -fPIC,-Wall,-Wextra$(if $(WERROR),$(comma)-Werror) -MMD -MP -c -o $@ $<
comma    := ,

$(B)/%_cuda.o: CPPFLAGS += -isystem $(CUDA_HOME)/include
$(B)/%_mpi.o: CPPFLAGS += $(MPI_CFLAGS)
$(B)/%_h5.o: CPPFLAGS += $(HDF5_CFLAGS)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(CPPFLAGS) $(OURS) $(CFLAGS) -MMD -MP -c -o $@ $<

# Objects of the op library, made by the command of a campaign.  A campaign
# compiles an object again if its own command differs (another processor).
# Those of earlier sources go: all that are here are installed.
$(OBJECTS)/.filled: $(B)/opsweep $(B)/opsweep-sandbox $(LIBRARY) $(wildcard include/opsweep/*.h) \
    $(if $(filter /%,$(B)),| away)
	$(call Q,OPS)$< build ops/library -o $(@D) --list --warnings '$(WARN) -Wno-pass-failed' \
	    >$(B)/library.log || { grep -v '\.so$$' $(B)/library.log; exit $(if $(WERROR),1,0); }
	@cd $(@D) && sed -n 's|.*/\([0-9a-f]*\.so\)$$|\1|p' ../library.log | sort >.now && \
	    ls | grep '\.so$$' | sort | comm -23 - .now | xargs rm -f
	@touch $@

# For the warnings of CUDA, for the last of CUDA_ARCHS; cuDNN where it is installed.
$(B)/op-check/%.cu.o: ops/library/%.cu
	@mkdir -p $(@D)
	$(call Q,NVCC)$(NVCC) -Iinclude -std=c++17 -O3 \
	    -gencode arch=compute_$(OP_ARCH),code=sm_$(OP_ARCH) \
	    -Xcompiler -fPIC,-Wall,-Wno-unknown-pragmas,-Wno-maybe-uninitialized$(if $(WERROR),$(comma)-Werror) -MMD -MP -c -o $@ $<

# What op code may not call, worked out while building: no sandbox needs
# libseccomp.  Without it there is no filter, and doctor says so.
FILTER   := $(B)/worker/sandbox/filter.inc
$(B)/worker/sandbox/isolate.o: CPPFLAGS += -I$(B)
$(B)/worker/sandbox/isolate.o: $(FILTER)
$(FILTER): worker/sandbox/filter_seccomp.c
	@mkdir -p $(@D)
	$(call Q,FILTER)if pkg-config --exists libseccomp; then \
	    $(CC) $(CPPFLAGS) $(STRICT) -O1 -o $(B)/make-filter $< \
	        $$(pkg-config --cflags --libs libseccomp) && $(B)/make-filter >$@; \
	    else echo '#define OSW_NO_FILTER' >$@; fi

# A file as bytes for an array of C.
$(B)/%.inc: %
	@mkdir -p $(@D)
	$(call Q,INC)od -An -v -tx1 $< | sed 's/ \(..\)/0x\1,/g' >$@

# The style and the script of the HTML report.
HTML_INC := $(patsubst %,$(B)/%.inc,$(wildcard results/report/html/*.css results/report/html/*.js))
$(B)/results/report/html/report_html.o: CPPFLAGS += -I$(B)
$(B)/results/report/html/report_html.o: $(HTML_INC)

# What every exported package has.
KIT_INC  := $(patsubst %,$(B)/%.inc,$(wildcard ops/export/kit/*))
$(B)/ops/export/kit.o: CPPFLAGS += -I$(B)
$(B)/ops/export/kit.o: $(KIT_INC)

# What models are asked.
ASK_INC  := $(patsubst %,$(B)/%.inc,$(wildcard mpi_runner/generate/templates/*))
$(B)/mpi_runner/generate/template.o: CPPFLAGS += -I$(B)
$(B)/mpi_runner/generate/template.o: $(ASK_INC)

# --- tests ------------------------------------------------------------------
# Compiling takes half of the time of the unit tests: less optimisation.
$(B)/tests/unit/%.o $(B)/tests/fuzz/%.o: private CFLAGS += $(if $(FUZZ),,$(if $(SAN),-O0,-Og -g1))

# Two hundred programs are linked: by gold, where it is, in a fifth of the time.
$(UNIT) $(REPLAYS): private LDFLAGS += $(if $(shell command -v ld.gold 2>&1),-fuse-ld=gold)
WRAP     := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup

$(UNIT): %: %.o $(B)/tests/unit/chaos.o $(LIB)
	$(call Q,LD)$(CC) $(CFLAGS) $(LDFLAGS) $(WRAP) -o $@ $^ -lcmocka $(ALL_LIBS)

$(REPLAYS): $(B)/tests/fuzz/replay_%: $(B)/tests/fuzz/fuzz_%.o \
    $(B)/tests/fuzz/replay.o $(LIB)
	$(call Q,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(B)/tests/fuzz/libfuzzer_%: $(B)/tests/fuzz/fuzz_%.o $(LIB)
	$(call Q,LD)$(CC) $(CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(BENCHES): %: %.o $(LIB)
	$(call Q,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

# The real coordinator, on a cluster, a network and in a time that are made up.
SIMULATE := $(B)/tests/simulate/simulate
SIM_WRAP := -Wl,--wrap=clock_gettime,--wrap=nanosleep,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup,--wrap=free
$(SIMULATE): $(patsubst %.c,$(B)/%.o,$(wildcard tests/simulate/*.c)) $(LIB)
	$(call Q,LD)$(CC) $(CFLAGS) $(LDFLAGS) $(SIM_WRAP) -o $@ $^ $(ALL_LIBS)

# A gang of judges on one machine, without a coordinator.
GANG     := $(B)/tests/gang/gang
$(GANG): %: %.o $(LIB)
	$(call Q,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

simulate: $(SIMULATE)
	@$< $(if $(RANKS),--ranks $(RANKS)) $(if $(CELLS),--cells $(CELLS)) --seed $(SEED) \
	    $(if $(LOST),--lost $(LOST)) $(if $(SLOW),--slow $(SLOW)) $(if $(GANGS),--gangs $(GANGS)) \
	    $(if $(FROM),--from $(FROM)) $(WORDS)
	$(if $(SLOW),@echo 'the same without second copies of late bundles:'; $< $(if $(RANKS),--ranks $(RANKS)) \
	    $(if $(CELLS),--cells $(CELLS)) --seed $(SEED) $(if $(LOST),--lost $(LOST)) --slow $(SLOW) \
	    $(if $(FROM),--from $(FROM)) $(WORDS) --no-twins | grep -E '^(slow|efficiency|rules)')

$(GPU_UNIT): %: %.o $(LIB)
	$(call Q,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka $(ALL_LIBS)

# The bound of a fill is measured by kernels beside the judge's.
ifneq ($(and $(PLUGINS),$(CUDA_RT)),)
$(B)/tests/bench/gpu/bench_judge_gpu: $(B)/tests/bench/gpu/fill_roof.cu.o
$(B)/tests/bench/gpu/bench_judge_gpu: private LIBS += $(CUDA_RT) -lstdc++ -Wl,-rpath=$(dir $(CUDA_RT))
endif
$(GPU_BENCHES): %: %.o $(LIB)
	$(call Q,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)

# A processor that behaves like a GPU, for tests on machines without one.
TWINS    := $(if $(SAN)$(FUZZ),,$(B)/libopsweep-twin.so $(B)/libopsweep-judge-twin.so)
$(TWINS): $(B)/tests/twin/device_twin.o $(LIB)
	$(call Q,LD)$(CC) -shared $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) -Wl,--exclude-libs=ALL

# A judge that can leave out a check (worker/judge/eval/checks.h), for the tests:
# these objects, all that depend on it, stand for those of the library.
CHECKS_OBJ := $(patsubst %.c,$(B)/checks/%.o,$(shell grep -lE \
              'OSW_(CHECKS|DISABLE_CHECKS|POISON_)|osw_checks_' \
              mpi_runner/main.c worker/judge/*/*.c))
$(B)/opsweep-checks: $(CHECKS_OBJ) $(LIB)
	$(call Q,LD)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)
$(B)/checks/%.o: %.c
	@mkdir -p $(@D)
	$(call Q,CC)$(CC) $(CPPFLAGS) -DOSW_DISABLE_CHECKS $(OURS) $(CFLAGS) -MMD -MP -c -o $@ $<

# Every runner adds its counts to TALLY; the last line of `make test` sums up.
PARTS    := lint runs
TALLY    ?= $(abspath $(B))/tally
export TALLY

test: MADE := all
quick: PARTS := unit lint smoke
quick: MADE := all unit-programs
test quick: deps-test
	@$(MAKE) $(MADE)
	@rm -f $(TALLY); rc=0; for part in $(PARTS); do \
	    echo "== $$part"; $(MAKE) check-$$part || rc=1; done; \
	awk '{ p += $$1; f += $$2; s += $$3 } \
	    END { print p + 0 " passed, " f + 0 " failed" (s ? ", " s " skipped" : ""); \
	    exit f > 0 || p == 0 }' $(TALLY) || rc=1; exit $$rc

unit-programs: $(UNIT) $(REPLAYS)
ops-cuda: $(OP_CUDA)

check-unit: $(PROGRAMS) $(UNIT)
	@tests/unit/run $(UNIT)

check-replay: $(REPLAYS)
	@tests/fuzz/run $(REPLAYS)

# Whole runs of the program.  They share the slots of one runner; each kind of
# them can be run by itself.
CHAOS    := $(B)/tests/chaos/ack_spy.so $(B)/tests/chaos/bad_disk.so
FAULTY   := $(CHAOS) $(B)/tests/chaos/bad_object.so \
    $(B)/tests/chaos/root_dies.so
RUNS     := programs shell net slurm chaos
# Takes about a minute: for use between two edits.
SMOKE    := cli parse values
check-runs check-smoke $(RUNS:%=check-%): export OPSWEEP := $(abspath $(B))/opsweep
check-runs check-smoke $(RUNS:%=check-%): export B := $(B)
check-smoke: all
check-runs $(RUNS:%=check-%): all $(TWINS) $(B)/opsweep-checks $(FAULTY) $(SIMULATE) \
    $(GANG) $(B)/tests/bench/bench_gang
check-runs:
	@tests/shell/run $(foreach r,$(RUNS),$(wildcard tests/$r/test_*.sh))
check-smoke:
	@tests/shell/run $(SMOKE:%=tests/shell/test_%.sh)
$(RUNS:%=check-%): check-%:
	@tests/shell/run $(wildcard tests/$*/test_*.sh)

# What only a GPU can tell; without one they say so and pass.  A test or bench on
# each GPU at a time; GPU_IDS, END, OUT: see tests/shell/run.  BASE, COMMIT of
# benches: tests/bench/run.
test-gpu: all $(GPU_UNIT) $(GANG) $(B)/opsweep-checks
	@tests/gpu/run $(GPU_UNIT) $(wildcard tests/gpu/test_*.sh)
ANY_DEVICE := gate generate python
bench-gpu: all $(GPU_BENCHES)
	@tests/gpu/run $(GPU_BENCHES) $(wildcard tests/bench/gpu/bench_*.sh) \
	    tests/bench/gpu/variants.sh $(ANY_DEVICE:%=tests/bench/bench_%.sh)
test-gpu bench-gpu: export OPSWEEP := $(abspath $(B))/opsweep
test-gpu bench-gpu: export B := $(B)

# Campaigns with FAULTS random faults, resumed until they are done; the loop
# that kills coordinators: KINDS=coordinator.  See tests/chaos/chaos.py.
FAULTS   ?= 30
SEED     ?= 1
$(B)/tests/chaos/ack_spy.so: $(B)/tests/chaos/ack_spy_mpi.o
$(B)/tests/chaos/bad_disk.so: $(B)/tests/chaos/bad_disk.o
$(B)/tests/chaos/bad_object.so: $(B)/tests/chaos/bad_object_mpi.o
$(B)/tests/chaos/root_dies.so: $(B)/tests/chaos/root_dies_mpi.o
$(FAULTY):
	$(call Q,LD)$(CC) -shared $(LDFLAGS) -o $@ $^ -ldl
chaos: deps-test
	@$(MAKE) all $(CHAOS)
	@python3 tests/chaos/chaos.py $(abspath $(B))/opsweep $(CHAOS) --faults $(FAULTS) \
	    --seed $(SEED) $(if $(KINDS),--only $(KINDS) --cells $$(( $(FAULTS) * 60 )) --ms 5 --gap 0.5,\
	    --cells $$(( $(FAULTS) * 10 )) --ms 20 --gap 1.0)

# Verdicts by SEEDS seeds, from SEED on.  See tests/soak/soak.py.
SEEDS    ?= 10
soak: deps-test
	@$(MAKE) all
	@python3 tests/soak/soak.py $(abspath $(B))/opsweep $(SEED) $$(( $(SEED) + $(SEEDS) - 1 ))

lint check-lint:
	@.ci/lint $(ROOMS)

# Each fuzzer for FUZZ_SECONDS; finds are left in build-fuzz/finds/NAME.
fuzz: deps-test
	@$(MAKE) FUZZ=1 fuzz-run
fuzz-run: $(FUZZERS:%=$(B)/tests/fuzz/libfuzzer_%)
	@rc=0; for f in $(FUZZERS); do \
	    mkdir -p $(B)/corpus/$$f $(B)/finds/$$f; \
	    $(B)/tests/fuzz/libfuzzer_$$f -max_total_time=$(FUZZ_SECONDS) \
	        -artifact_prefix=$(B)/finds/$$f/ -print_final_stats=1 \
	        $(B)/corpus/$$f tests/fuzz/corpus/$$f || rc=1; done; exit $$rc

bench: deps-test
	@$(MAKE) all bench-programs
	@tests/bench/run $(BENCHES) $(wildcard tests/bench/bench_*.sh)
bench-programs: $(BENCHES)

# --- the main job, on real input ----------------------------------------------
DEMO_TRACE := tests/data/traces/hf_train/BertForMaskedLM_training.txt
demo: deps-build
	@$(MAKE) all
	@rc=0; set -x; ./opsweep run --suite traces --traces $(DEMO_TRACE) -n 4 \
	    --device cpu --profile smoke --force -o demo.h5 || rc=$$?; \
	./opsweep report --fail-on none demo.h5 || rc=$$?; \
	{ set +x; } 2>/dev/null; exit $$rc

# --- packages -----------------------------------------------------------------
deps: deps-build
deps-build deps-test: deps-%:
	@.ci/deps $*

# --- installing ---------------------------------------------------------------
# What goes where: lines MODE<tab>FILE<tab>FOLDER.
ET_HEADERS = $(sort $(shell find include/opsweep/et -name '*.h'))
# Pages lie as they do here, or links between them lead nowhere.
DOC       = share/doc/opsweep
DOC_FILES = docs/*.md docs/*.svg docs/lab/*.md mpi_runner/generate/templates/*.txt \
            tests/data/traces/MANIFEST.md
put      = for f in $(wildcard $2); do printf '%s\t%s\t%s\n' $1 "$$f" "$3"; done
install: all
	@{ $(call put,755,$(B)/opsweep,bin); \
	$(call put,755,$(B)/opsweep-sandbox $(PLUGINS) $(filter %.so,$(PYTHON)),libexec/opsweep); \
	$(call put,644,$(filter %.py,$(PYTHON)),libexec/opsweep/python); \
	$(call put,644,include/opsweep/*.h,include/opsweep); \
	for f in $(ET_HEADERS); do printf '644\t%s\t%s\n' "$$f" "$${f%/*}"; done; \
	$(call put,644,slurm/*,share/opsweep/slurm); \
	$(call put,644,README.md CHANGELOG.md LICENSE,$(DOC)); \
	for f in $(wildcard $(DOC_FILES)); do printf '644\t%s\t%s\n' "$$f" "$(DOC)/$${f%/*}"; done; \
	$(call put,644,$(B)/pages/man/*.1,share/man/man1); \
	$(call put,644,$(B)/pages/bash/opsweep,share/bash-completion/completions); \
	$(call put,644,$(B)/pages/zsh/_opsweep,share/zsh/site-functions); \
	for f in $(OBJECTS)/*.so $(OBJECTS)/*.deps; do \
	    printf '644\t%s\t%s\n' "$$f" lib/opsweep/library-objects; done; \
	for f in $(LIBRARY) $(EXAMPLES); do printf '644\t%s\t%s\n' "$$f" "share/opsweep/$${f%/*}"; done; } | \
	.ci/install install '$(DESTDIR)' '$(PREFIX)'

uninstall:
	@.ci/install uninstall '$(DESTDIR)' '$(PREFIX)'

clean:
	rm -rf build build-san build-fuzz opsweep demo.h5

help:
	@echo 'make              build ./opsweep'
	@echo 'make demo         install what is missing, sweep a real trace on CPU'
	@echo 'make test         install what is missing, run every test'
	@echo 'make quick        within a minute: unit tests, lint, a smoke of the command'
	@echo 'make check-unit   unit tests;  also check-replay, check-shell, check-net,'
	@echo '                  check-slurm, check-chaos, lint, check-programs (with sanitizers); SLOTS=5'
	@echo 'make test-gpu     what only a machine with a GPU can tell: END=540 (seconds) OUT=logs GPU_IDS="0 1"'
	@echo 'make ops-cuda     compile the op library for a GPU, run nothing'
	@echo 'make bench        print the figures;  bench-gpu: those of a GPU, OUT=figures SLOTS=1 BASE=older/checkout'
	@echo 'make chaos        FAULTS=30 SEED=1 in campaigns that are resumed'
	@echo 'make soak         SEED=1 SEEDS=10: right ops pass by each seed, wrong ones by none'
	@echo 'make simulate     RANKS=64 CELLS=20000 SEED=1 LOST=1 (percent of ranks an hour) SLOW=1 GANGS=20 (percent) FROM=run.h5:'
	@echo '                  the coordinator on a cluster that is made up; WORDS=--help: more'
	@echo 'make fuzz         FUZZ_SECONDS=60 of each fuzzer'
	@echo 'make install      PREFIX=/usr/local DESTDIR=;  make uninstall removes it again'
	@echo 'make deps         install the packages a build needs'
	@echo 'make clean        remove what was built'
	@echo 'SAN=1 builds with ASan and UBSan, B=DIR elsewhere, V=1 shows commands.'

.PHONY: test-gpu bench-gpu simulate all away test quick unit-programs check-unit check-replay check-runs check-smoke \
    $(RUNS:%=check-%) check-lint chaos soak lint fuzz fuzz-run bench bench-programs demo deps ops-cuda \
    deps-build deps-test install uninstall clean help
.DELETE_ON_ERROR:
.SECONDARY:
-include $(patsubst %.c,$(B)/%.d,$(SRC) $(wildcard tests/*/*.c tests/*/*/*.c)) \
    $(patsubst %.o,%.d,$(call CUDA_OBJ,device) $(call CUDA_OBJ,judge)) \
    $(patsubst %,$(B)/%.d,$(wildcard worker/*/*_cuda.cu) tests/bench/gpu/fill_roof.cu) \
    $(CHECKS_OBJ:.o=.d) $(OP_CUDA:.o=.d)
