# threadping: `make run` measures this machine, `make test` proves that it works, `make test-quick` is the inner loop.
# `make help` lists the rest.
#
# Each target installs what it needs and nothing twice: what was done leaves a stamp in build/stamps, and is redone when
# one of its inputs is newer. Folders are inputs too, so that an added or a removed source is noticed.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory

PYTHON ?= python3
JOBS ?= $(shell nproc)
JAVAS ?= java
ARGS ?=

stamps := build/stamps
bin := .venv/bin
probes := src/threadping/_probes
comma := ,

cpp_sources := $(shell find probes/cpp/src probes/cpp/include 2>/dev/null)
cpp_tests := $(shell find probes/cpp/tests probes/cpp/fuzz 2>/dev/null)
cpp_files := $(filter %.cpp %.hpp,$(cpp_sources) $(cpp_tests))
# What the Java probe's native library is made of, and what that includes.
jni_sources := $(wildcard probes/cpp/src/*.*) $(shell find probes/cpp/{include,src/contract,src/engine,src/platform,src/api,src/waits} 2>/dev/null)
java_sources := $(wildcard probes/java/pom.xml) $(shell find probes/java/src 2>/dev/null)
rust_sources := $(wildcard probes/rust/Cargo.* probes/rust/build.rs probes/rust/.cargo/*) $(shell find probes/rust/src 2>/dev/null)
jni_files := $(wildcard probes/java/src/main/native/*)
bench_cpp := $(shell find benchmarks -name "*.cpp" -o -name "*.hpp" 2>/dev/null)
bench_rust := $(CURDIR)/benchmarks/bare/rust/Cargo.toml
bench_java := $(shell find benchmarks -name '*.java' 2>/dev/null)
cmake_inputs := CMakeLists.txt pyproject.toml tools/loop-digests tools/timed-loops

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The tests start Python some thousand times: it keeps what it compiled, even if this shell says otherwise.
unexport PYTHONDONTWRITEBYTECODE
pip := $(bin)/python -m pip install --quiet

# With as many jobs of its own: CMake does not pass ours on. One more than CPUs, since Maven waits for the network and cargo
# for its crates.
build := MAKEFLAGS= cmake --build build/probes --parallel $$(( $(JOBS) + 1 )) --target

# Maven itself runs for seconds: a second compiler and a collector with threads of its own only cost it time.
export MAVEN_OPTS ?= -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
mvn := mvn -q -B --strict-checksums -Dstyle.color=never
java_format := com.spotify.fmt:fmt-maven-plugin

# What is built and tested. The native probe is compiled from the same sources, which takes as long again: `make native`
# builds it, and where it is there it is kept up to date.
native := $(if $(wildcard $(probes)/threadping-probe-native),$(stamps)/probe-native)
built := $(stamps)/python $(stamps)/probe-cpp $(native) $(stamps)/probe-java $(stamps)/probe-rust

# $(strict)ON: warnings of C++ are errors. OFF: they are not.
strict := -DCMAKE_COMPILE_WARNING_AS_ERROR=

# $(call quietly,LOG,COMMAND): what COMMAND says goes to LOG, and is shown if it fails.
quietly = ( $(2) ) > $(1) 2>&1 || { cat $(1) >&2 ; exit 1 ; }

# $(call ctest,FOLDER): only the outcome, and what a failing test said. A test that began and did not end is named too.
ctest = ctest --test-dir $(1) --output-on-failure | sed -E '/^\[ RUN/{N;/\n\[ +OK/d};/^ *Start |^Internal ctest|^$$/d'

# $(side_by_side) TARGET...: two more than there are CPUs, since some wait for the network and some are $(patient).
# Without it everything happens one after the other. A recipe that says + lets it share our jobs.
side_by_side = $(MAKE) $(if $(SIDE_BY_SIDE),,SIDE_BY_SIDE=$@ --jobs=$$(($(JOBS) + 2)))

# What no other step waits for takes the CPU time that the others leave: C++ and Java tests leave about half of two CPUs.
patient := nice -n 19

# A stamp bears the time at which its work began: an input that changed meanwhile is newer, and the work is redone. Work of
# more than a second says how long it took.
began = mkdir -p $(@D) && touch $@.began
ended = took=$$(( $$(date +%s) - $$(stat -c %Y $@.began) )) ; mv $@.began $@ ; if [ $$took -gt 1 ] ; then echo "$(@F): $$took s" ; fi

.PHONY: run test check test-quick setup installed native lint lint-python lint-cpp lint-java lint-rust test-still test-cpp test-java test-rust test-probes test-alone test-python \
  sanitize sanitize-thread sanitize-address analyze fuzz bench-agreement bench-rust bench-channels bench-reproduce bench-lock bench-queue bench-steady bench-states bench-compare bench-recommend-wait bench-resume bench-page bench-fleet bench-looking bench-recording \
  bench-wheel gate gallery picture docs results wheel test-wheel format lock clean help

run: setup ## Measure this machine; ARGS="..." goes to `threadping run`
	@$(bin)/threadping run $(ARGS)

test: $(stamps)/packages-test ## Run every test; TESTS=word runs the tests of each language whose name contains it
	@rm -rf $(results)
	+@$(side_by_side) test-still test-cpp test-java test-rust test-probes
	@$(MAKE) test-alone
	@$(slowest)

check: $(stamps)/packages-test ## Lint, and run every test: what CI runs
	@rm -rf $(results)
	+@$(side_by_side) lint test-still test-cpp test-java test-rust test-probes
	@$(MAKE) test-alone
	@$(slowest)

ifndef SIDE_BY_SIDE
.NOTPARALLEL:
else
# One CMake and one Maven at a time.
$(stamps)/probe-java: | $(stamps)/probe-cpp $(native)
$(stamps)/probe-rust: | $(stamps)/probe-java
ifneq ($(SIDE_BY_SIDE),setup)
# The C++ tests are built first: they have the probe compiled with -Werror, which is once enough. The Java tests are compiled
# in between. What spins runs when all but lint has ended, one after the other.
$(stamps)/probes: | $(stamps)/tests
$(stamps)/java-tests: | $(stamps)/probe-rust
test-cpp: | test-still $(stamps)/java-tests
test-java: | test-cpp
test-rust: | test-java
test-probes: | test-rust
endif
endif

setup: ## Make .venv and build the probes
	+@$(side_by_side) installed

installed: $(stamps)/crates $(built)
	@:

native: setup $(stamps)/probe-native ## Build the runtime `cpp -march=native` too

help: ## List the targets
	@grep -hE '^[a-z-]+:.* ## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.* ## /\1\t/' | expand -t 16

# --- what is installed ------------------------------------------------------------------------------------------------
$(stamps)/packages-run $(stamps)/packages-test $(stamps)/packages-wheel: $(stamps)/packages-%: tools/system-packages
	@$(began)
	@PYTHON=$(PYTHON) tools/system-packages $*
	@$(ended)

$(stamps)/venv: | $(stamps)/packages-run
	@$(began)
	@echo "making .venv"
	@$(PYTHON) -m venv --clear --without-pip .venv
	@$(bin)/python tools/unpack-pip
	@$(ended)

# The package itself is only pointed at: Python sources are used where they are.
$(stamps)/python: requirements.lock pyproject.toml $(stamps)/venv
	@$(began)
	@echo "installing threadping into .venv"
	@$(pip) --no-compile --require-hashes -r requirements.lock
	@$(pip) --no-deps --no-build-isolation --editable .
	@$(ended)

$(stamps)/python-test: requirements-test.lock $(stamps)/python
	@$(began)
	@echo "installing what the tests need into .venv"
	@$(pip) --no-compile --require-hashes -r requirements-test.lock
	@$(ended)

# Only `make lint` and `make format` need it: clang-tidy alone is 150 MB.
$(stamps)/python-lint: requirements-lint.lock $(stamps)/python-test
	@$(began)
	@echo "installing the linters into .venv"
	@$(pip) --no-compile --require-hashes -r requirements-lint.lock
	@$(ended)

lock: ## Write the lock files anew from pyproject.toml
	@$(PYTHON) -m venv build/lock && build/lock/bin/python -m pip install --quiet uv==0.13.9
	@compile() { build/lock/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-annotate --custom-compile-command "make lock" "$$@"; } ; \
	run="--extra charts --extra hdrhistogram pyproject.toml" ; \
	compile $$run --group build --output-file requirements.lock ; \
	compile $$run --group test --constraint requirements.lock --output-file requirements-test.lock ; \
	compile --group lint --constraint requirements-test.lock --output-file requirements-lint.lock ; \
	compile --group wheel --output-file requirements-wheel.lock ; \
	compile --group docs --output-file requirements-docs.lock

# --- what is built ----------------------------------------------------------------------------------------------------
# What the Rust probe depends on needs nothing of C++, and is compiled next to it. Only our crate fails, which wants the engine.
$(stamps)/crates: $(wildcard probes/rust/Cargo.* probes/rust/.cargo/*) | $(stamps)/packages-run
	@$(began)
	@echo "building what the Rust probe depends on"
	@cd probes/rust && PATH="$$PATH:$$HOME/.cargo/bin" THREADPING_LIB=none cargo build --quiet --release --locked --features probe \
	  --keep-going --target-dir $(CURDIR)/build/probes/rust > $(CURDIR)/build/crates.log 2>&1 || true
	@$(ended)

# All probes at once: Maven and cargo are at work while g++ is. What cannot be built is tried again below, on its own, and its
# log says why. Warnings are errors as in `make test`, which then finds its objects compiled; where a newer compiler warns, all
# is compiled again without.
$(stamps)/probes: $(cmake_inputs) contract/words.json $(cpp_sources) $(java_sources) $(rust_sources) | $(stamps)/packages-run
	@$(began)
	@echo "building the C++, Java and Rust probes"
	@build_all() { cmake -S . -B build/probes -DTHREADPING_NATIVE=ON $$@ && $(build) probes ; } ; \
	build_all $(if $(wildcard build/probes/CMakeCache.txt),,$(strict)ON) > build/probes.log 2>&1 || \
	  ! grep -qF "[-Werror" build/probes.log || build_all $(strict)OFF >> build/probes.log 2>&1 || true
	@$(ended)

$(stamps)/probe-cpp: $(cmake_inputs) contract/words.json $(cpp_sources) | $(stamps)/probes
	@$(began)
	@$(call quietly,build/probe-cpp.log,cmake -S . -B build/probes -DTHREADPING_NATIVE=ON && \
	  $(build) threadping-probe && \
	  for part in cpp dev ; do cmake --install build/probes --component $$part --prefix src || exit ; done)
	@$(ended)

# A compiler that does not know -march=native (some architectures' do not) leaves the default build alone.
$(stamps)/probe-native: $(stamps)/probe-cpp
	@$(began)
	@echo "building the C++ probe for this CPU (-march=native)"
	@rm -f $(probes)/threadping-probe-native*
	@if { $(build) threadping-probe-native && \
	  cmake --install build/probes --component native --prefix src ; } > build/probe-native.log 2>&1 ; \
	then $(ended) ; else echo "going on without it; build/probe-native.log says why" >&2 ; fi

# Without Java the C++ probe measures alone. No stamp is left then, so the next `make run` tries again.
$(stamps)/probe-java: $(cmake_inputs) $(java_sources) $(jni_sources) | $(stamps)/probes
	@$(began)
	@rm -f $(probes)/threadping-probe.jar* $(probes)/threadping-probe-jni.so
	@if { cmake -S . -B build/probes && \
	  $(build) threadping-jar threadping-probe-jni && \
	  cmake --install build/probes --component java --prefix src ; } > build/probe-java.log 2>&1 ; \
	then $(ended) ; else echo "going on without the Java probe; build/probe-java.log says why" >&2 ; fi

# Without cargo all else works. No stamp is left then, as without Java.
$(stamps)/probe-rust: $(cmake_inputs) $(rust_sources) $(stamps)/probe-cpp | $(stamps)/probes
	@$(began)
	@rm -f $(probes)/threadping-probe-rust*
	@if { cmake -S . -B build/probes && \
	  $(build) threadping-probe-rust && \
	  cmake --install build/probes --component rust --prefix src ; } > build/probe-rust.log 2>&1 ; \
	then $(ended) ; else echo "going on without the Rust probe: $$(grep -oEm1 'no cargo of at least [0-9.]+' build/probe-rust.log || \
	  echo build/probe-rust.log says why)" >&2 ; fi

# In the probes' folder, which remembers the options: the probe that was tested and the one that is installed are the same
# objects, compiled once.
$(stamps)/tests: $(cmake_inputs) $(cpp_sources) $(cpp_tests) | $(stamps)/packages-test
	@$(began)
	@echo "building the C++ tests"
	@$(call quietly,build/tests.log,cmake -S . -B build/probes -DTHREADPING_NATIVE=ON -DTHREADPING_TESTS=ON \
	  $(strict)ON && $(build) threadping-probe-tests)
	@$(ended)

# They find the native library where CMake built it (pom.xml). The benchmarks' Java is only formatted.
$(stamps)/java-tests: $(cmake_inputs) $(java_sources) $(jni_sources) $(bench_java) | $(stamps)/packages-test
	@$(began)
	@echo "building the Java tests"
	@$(call quietly,build/java-tests.log,cmake -S . -B build/probes && $(build) threadping-probe-jni && \
	  cd probes/java && $(mvn) $(java_format):check test-compile)
	@$(ended)

# --- lint -------------------------------------------------------------------------------------------------------------
lint: lint-python lint-cpp lint-java lint-rust ## Check formatting, lint rules and types of every language

lint-python: $(stamps)/python-lint
	@$(bin)/ruff check --quiet .
	@$(bin)/ruff format --check --quiet .
	@$(call quietly,build/types.log,$(patient) $(bin)/mypy --strict src tests benchmarks)
	@$(call quietly,build/imports.log,$(bin)/lint-imports --no-cache)
	@$(call quietly,build/budgets.log,$(bin)/python -m pytest -q tests/unit/test_house.py)

# clang-tidy reads the units that changed since it passed (probes/cpp/tidied.json).
lint-cpp: $(stamps)/cpp-format $(stamps)/compile-commands $(stamps)/python-lint
	@$(call quietly,build/tidied.log,tools/tidy $(CURDIR)/build/tidy $(bin)/clang-tidy $(JOBS))

$(stamps)/cpp-format: .clang-format $(cpp_files) $(jni_files) $(bench_cpp) $(stamps)/python-lint
	@$(began)
	@$(bin)/clang-format --dry-run -Werror $(cpp_files) $(jni_files) $(bench_cpp)
	@$(ended)

$(stamps)/compile-commands: $(cmake_inputs) $(filter-out %.cpp %.hpp,$(cpp_sources) $(cpp_tests)) | $(stamps)/packages-test
	@$(began)
	@$(call quietly,build/tidy.log,cmake -S . -B build/tidy -DTHREADPING_JAR=OFF -DTHREADPING_TESTS=ON)
	@$(ended)

lint-java: $(stamps)/java-tests

# Where there is no cargo there is no Rust probe either.
cargo = if [ -x $(probes)/threadping-probe-rust ] ; then cd probes/rust && PATH="$$PATH:$$HOME/.cargo/bin" \
  THREADPING_LIB=$(CURDIR)/build/probes CARGO_TARGET_DIR=$(CURDIR)/build/cargo cargo $(1) ; fi

# $(call where_cargo_has,PART,COMMAND): a distribution's cargo comes without.
where_cargo_has = if PATH="$$PATH:$$HOME/.cargo/bin" cargo $(1) --version > /dev/null 2>&1 ; then $(2) ; \
  elif [ -x $(probes)/threadping-probe-rust ] ; then echo "cargo $(1) is missing: going on without it" >&2 ; fi

lint-rust: $(stamps)/probe-rust
	@$(call where_cargo_has,fmt,$(call cargo,fmt --check))
	@$(call where_cargo_has,fmt,$(call cargo,fmt --check --manifest-path $(bench_rust)))
	@$(call where_cargo_has,clippy,$(call quietly,build/clippy.log,$(call cargo,clippy --locked --features probe --all-targets -- -D warnings)))
	@$(call where_cargo_has,clippy,$(call quietly,build/clippy-bench.log,$(call cargo,clippy --locked --manifest-path $(bench_rust) -- -D warnings)))

format: $(stamps)/python-lint | $(stamps)/packages-test ## Format every language
	@$(bin)/ruff check --fix-only --quiet .
	@$(bin)/ruff format --quiet .
	@$(bin)/clang-format -i $(cpp_files) $(jni_files) $(bench_cpp)
	@$(mvn) -f probes/java/pom.xml $(java_format):format
	@$(call where_cargo_has,fmt,$(call cargo,fmt))
	@$(call where_cargo_has,fmt,$(call cargo,fmt --manifest-path $(bench_rust)))

# What spins pinned to CPUs that it needs for itself: one trial of every mechanism after the other.
spinning := tests/contract/test_probes.py

# What any other program would spoil: there is to be but one thief of CPU time.
alone := tests/contract/test_planted_outliers.py

# All else of pytest's needs no clock, not even where a real probe is started. The command's tests mostly wait for processes.
still := tests/unit tests/fuzz tests/golden tests/end_to_end $(filter-out $(spinning) $(alone),$(wildcard tests/contract/test_*.py))

# --- test -------------------------------------------------------------------------------------------------------------
# Each suite leaves its results there as JUnit's XML, and each step its seconds; where CI is set the slowest are printed.
results := $(CURDIR)/build/results
took = mkdir -p $(results) && echo "$$SECONDS $@" >> $(results)/steps
slowest = if [ -n "$${CI:-}" ] ; then $(bin)/python tools/slowest-tests $(results) probes/java/target/surefire-reports ; fi

# $(call pytest,ARGUMENTS): a name that no test of these has is no failure, since another language may have it.
pytest = $(bin)/pytest --junitxml=$(results)/$@.xml $(1) $(if $(TESTS),-k "$(TESTS)" || test $$? -eq 5)

test-cpp: $(stamps)/tests
	@GTEST_OUTPUT=xml:$(results)/$@.xml $(if $(TESTS),GTEST_FILTER="*$(TESTS)*") $(call ctest,build/probes) ; $(took)

test-java: $(stamps)/java-tests
	@cd probes/java && $(mvn) surefire:test $(if $(TESTS),"-Dtest=*$(TESTS)*$(comma)*Test#*$(TESTS)*" -Dsurefire.failIfNoSpecifiedTests=false) ; $(took)

# Without the feature `probe` cargo compiles no mechanism and no library of one: test-probes tests those.
test-rust: $(stamps)/probe-rust
	@$(call cargo,test --quiet --locked --test '*' -- $(TESTS)) ; $(took)

test-python: test-still test-probes test-alone

# Otherwise each of pytest's workers would compile what all of them import, rewrite every assertion, and make the archives
# from which Java probes start.
$(stamps)/compiled: $(stamps)/python-test | $(built)
	@$(began)
	@$(call quietly,build/compiled.log,$(bin)/pytest --collect-only --quiet --quiet $(still))
	@$(ended)

test-still: $(built) $(stamps)/compiled
	@$(call pytest,--numprocesses=$$(( $(JOBS) + 1 )) --dist=worksteal $(still)) ; $(took)

test-probes: $(built) $(stamps)/python-test
	@$(call pytest,$(spinning)) ; $(took)

test-alone: $(built) $(stamps)/python-test
	@$(call pytest,$(alone)) ; $(took)

test-quick: $(stamps)/python-test ## Run the Python tests that neither start a process nor simulate a machine; builds nothing
	@$(bin)/pytest --numprocesses=$(JOBS) --dist=worksteal -m "not process and not simulation" $(if $(TESTS),-k "$(TESTS)") tests/unit tests/golden

# With much of the address space laid out at random, as recent kernels do, ThreadSanitizer stops with "unexpected memory
# mapping"; setarch -R lays it out in the usual way, where that is allowed.
fixed_layout = $(shell setarch -R true 2>/dev/null && echo setarch -R)

sanitize: analyze sanitize-thread sanitize-address ## Analyse the C++ probe with clang; run its tests under ThreadSanitizer, AddressSanitizer and UBSan

sanitize-thread sanitize-address: sanitize-%: | $(stamps)/packages-test
	@echo "building the C++ tests with the $* sanitizer"
	@$(call quietly,build/$@.log,cmake -S . -B build/$@ -DCMAKE_BUILD_TYPE=Debug -DTHREADPING_JAR=OFF \
	  -DTHREADPING_TESTS=ON -DTHREADPING_SANITIZE=$(if $(filter address,$*),address$(comma)undefined,$*) && \
	  cmake --build build/$@ --parallel $(JOBS) --target threadping-probe-tests)
	@TSAN_OPTIONS=suppressions=$(CURDIR)/probes/cpp/tests/thread_sanitizer.supp \
	  LSAN_OPTIONS=suppressions=$(CURDIR)/probes/cpp/tests/leak_sanitizer.supp \
	  $(fixed_layout) $(call ctest,build/$@)

# The fuzzer leaves each failing input in build/fuzz; `build/fuzz/threadping-fuzz FILE` reads it again.
SECONDS ?= 600
clangxx = $(firstword $(shell command -v clang++ || ls -r /usr/bin/clang++-[0-9]* 2> /dev/null))
fuzz: | $(stamps)/packages-test ## Feed the C++ probe's parsers damaged bytes for SECONDS=600; needs clang
	@test -n "$(clangxx)" || { echo "make fuzz needs clang and its libFuzzer (clang, libclang-rt-dev)." >&2; exit 1; }
	@$(call quietly,build/fuzz.log,cmake -S . -B build/fuzz -DCMAKE_CXX_COMPILER=$(clangxx) -DCMAKE_BUILD_TYPE=Debug -DTHREADPING_JAR=OFF \
	  -DTHREADPING_FUZZ=ON -DTHREADPING_SANITIZE=address$(comma)undefined && \
	  cmake --build build/fuzz --parallel $(JOBS) --target threadping-fuzz)
	@cd build/fuzz && mkdir -p corpus && ./threadping-fuzz -max_total_time=$(SECONDS) -max_len=8192 -timeout=5 \
	  -malloc_limit_mb=64 -print_final_stats=1 corpus

# Path by path: it takes as long as clang-tidy's other checks together, and skips files that another includes.
analyze: $(stamps)/python-lint | $(stamps)/packages-test
	@echo "analysing the C++ probe"
	@$(call quietly,build/analyze.log,cmake -S . -B build/analyze -DTHREADPING_JAR=OFF -DCMAKE_UNITY_BUILD=OFF && \
	  printf '%s\n' $(filter %.cpp,$(cpp_sources)) | xargs --max-procs=$(JOBS) --max-args=1 $(bin)/clang-tidy --quiet -p build/analyze \
	  "--checks=-*$(comma)clang-analyzer-*$(comma)-clang-analyzer-optin.performance.Padding$(comma)-clang-analyzer-security.ArrayBound")

# --- benchmark --------------------------------------------------------------------------------------------------------
bench-agreement: setup ## Compare our probes with peers; ARGS="..." as docs/internals/benchmarks.md says
	@$(bin)/python -m benchmarks.agreement $(ARGS)

bench-rust: setup ## Compare Rust with hand-written baselines and with C++; ARGS="..." as for bench-agreement and bench-lock
	@$(bin)/python -m benchmarks.agreement --runtime cpp --runtime rust --about "rust " --only bare --only locks --only barriers --only languages $(ARGS)
	@$(bin)/python -m benchmarks.lock --runtime rust --only bare $(ARGS)

bench-channels: setup ## Measure Rust's channels as their published benchmarks use them, and compare the figures
	@$(bin)/python -m benchmarks.channels $(ARGS)

bench-reproduce: setup ## Alternate other tools with our cases that repeat their numbers; ARGS="TOOL=PATH ..." for those not on the search path
	@$(bin)/python -m benchmarks.reproduce $(ARGS)

bench-lock: setup ## Compare one thread's lock with hand-written baselines and JMH; ARGS="..." as docs/internals/benchmarks.md says
	@$(bin)/python -m benchmarks.lock $(ARGS)

bench-queue: setup ## Compare streams through our probes with hand-written baselines; ARGS="..." as docs/internals/benchmarks.md says
	@$(bin)/python -m benchmarks.queue $(ARGS)

bench-steady: setup ## Compare the drift of trials with that of hand-written baselines; ARGS="..." as docs/internals/benchmarks.md says
	@$(bin)/python -m benchmarks.steady $(ARGS)

bench-states: setup ## Check that runs agree, alternating with a peer; ARGS="..." as docs/internals/benchmarks.md says
	@$(bin)/python -m benchmarks.states $(ARGS)

bench-compare: setup ## Measure false alarms, power and time of `compare` here; ARGS="..." as docs/internals/benchmarks.md says
	@$(bin)/python -m benchmarks.compare $(ARGS)

bench-fleet: setup ## Measure time and memory of a fleet of fake hosts; ARGS="..." as docs/internals/benchmarks.md says
	@$(bin)/python -m benchmarks.fleet $(ARGS)

bench-page: setup ## Measure time, memory, size and first paint of an HTML report; ARGS="..." as docs/internals/benchmarks.md says
	@$(bin)/python -m benchmarks.page $(ARGS)

gate: export COMMENT = build/gate-comment.md
gate: setup ## See the gate (docs/explanation/how-compare-decides.md) pass the same build, and stop a slower one; ARGS as tools/gate takes them
	@slower=$$($(bin)/python -m benchmarks.compare.slower 40) ; same=0 ; slow=0 ; \
	tools/gate $(probes)/threadping-probe $(probes)/threadping-probe $(ARGS) || same=$$? ; \
	tools/gate $(probes)/threadping-probe "$$slower" $(ARGS) || slow=$$? ; \
	echo "the same build: $$same; slower by 40 steps: $$slow" ; test "$$same-$$slow" = 0-3

bench-recommend-wait: setup ## Confirm what `recommend wait` names; ARGS="..." as docs/internals/benchmarks.md says
	@$(bin)/python -m benchmarks.recommend_wait $(ARGS)

bench-resume: setup ## Compare killed and resumed runs with uninterrupted ones; ARGS="..." as docs/internals/benchmarks.md says
	@$(bin)/python -m benchmarks.resume $(ARGS)

bench-looking: setup ## Check that the search for causes of outliers changes no figure; ARGS="..." as docs/internals/benchmarks.md says
	@$(bin)/python -m benchmarks.looking $(ARGS)

bench-wheel: native ## Compare the probe of dist/'s wheel with those built here; ARGS="..." as docs/internals/benchmarks.md says
	@$(bin)/python -m benchmarks.wheel $(ARGS)

bench-recording: setup ## Measure the cost of recording a duration
	@mkdir -p build/recording
	@$(CXX) -std=c++20 -O3 -Iprobes/cpp/src -o build/recording/recording benchmarks/recording/recording.cpp \
	  probes/cpp/src/platform/memory.cpp probes/cpp/src/failure.cpp
	@build/recording/recording

# --- show ---------------------------------------------------------------------------------------------------------------
gallery_store := --store build/gallery/runs.sqlite3

chromium := $(firstword $(shell command -v chromium chromium-browser google-chrome))

# With RUNS="3 13" it measures nothing, and takes these runs from the user's store, or from STORE="--store PATH".
gallery: setup ## Write HTML reports into build/gallery: measure twice, or take RUNS="3 13" of the store
	@rm -rf build/gallery && mkdir -p build/gallery
ifdef RUNS
	@for run in $(RUNS) ; do $(bin)/threadping report $$run $(STORE) -o build/gallery/run-$$run.html || exit ; done
	@$(bin)/threadping report $(RUNS) $(STORE) -o build/gallery/side-by-side.html
else
	@$(bin)/threadping run $(gallery_store) -o build/gallery/first-run.html
	@$(bin)/threadping run $(gallery_store) --budget 3m -o build/gallery/three-minutes.html
	@$(bin)/threadping report 1 2 $(gallery_store) -o build/gallery/side-by-side.html
endif
	@cd build/gallery && page=$$(ls -t *.html | tail -1) && if [ -n "$(chromium)" ] ; then $(call quietly,../gallery.log,timeout 60 $(chromium) \
	  --headless=new --no-sandbox --hide-scrollbars --window-size=1120$(comma)1180 --screenshot=report.png file://$$PWD/$$page) ; fi
	@ls -l build/gallery/*.*

picture: setup ## The picture of the README: a minute of `threadping run` on a quiet machine
	@rm -f build/picture.sqlite3
	@THREADPING_STORE=build/picture.sqlite3 $(bin)/python tools/screen_svg.py --title "threadping run" \
	  docs/images/first-screen.svg $(bin)/threadping run

# --- document -----------------------------------------------------------------------------------------------------------
$(stamps)/docs-environment: requirements-docs.lock | $(stamps)/packages-run
	@$(began)
	@$(PYTHON) -m venv --clear build/docs
	@build/docs/bin/python -m pip install --quiet --require-hashes -r requirements-docs.lock
	@$(ended)

docs: $(stamps)/python $(stamps)/docs-environment ## Build the site of docs/ into build/site; a dead link fails
	@$(bin)/python tools/docs.py
	@$(call quietly,build/docs.log,NO_MKDOCS_2_WARNING=1 build/docs/bin/mkdocs build --strict)
	@echo "build/site/index.html"

# About three minutes in all, on a quiet machine. $(call result,NAME,BUDGET,ARGUMENTS): a stored run, from which tools/docs.py
# makes a table of the machine's page.
result = $(bin)/threadping $(3) --quiet --budget $(2) --store build/results.sqlite3 -o docs/results/runs/$(1).run

results: setup ## Measure this machine for docs/results, and write its page
	@mkdir -p docs/results/runs && rm -f build/results.sqlite3
	@$(call result,overview,60s,run)
	@$(call result,lock,90s,run lock --threads 1,2)
	@$(call result,network,20s,run network)
	@$(call result,jitter,10s,run jitter)
	@$(bin)/python tools/docs.py

# --- publish ----------------------------------------------------------------------------------------------------------
wheel: $(stamps)/wheel-environment ## Build and audit the wheels of each architecture, into dist/
	@JOBS=$(JOBS) tools/wheel

$(stamps)/wheel-environment: requirements-wheel.lock | $(stamps)/packages-wheel
	@$(began)
	@$(PYTHON) -m venv --clear build/wheel/environment
	@build/wheel/environment/bin/python -m pip install --quiet --require-hashes -r requirements-wheel.lock
	@$(ended)

test-wheel: | $(stamps)/packages-wheel ## Install dist/'s wheels on bare Debians, on musl and under qemu, and measure; needs root
	@tools/test-wheel

# ----------------------------------------------------------------------------------------------------------------------
clean: ## Remove everything that was built or installed here
	@rm -rf build dist .venv $(probes) probes/java/target probes/rust/target .mypy_cache .pytest_cache .ruff_cache .hypothesis
