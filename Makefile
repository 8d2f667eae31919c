# make demo    install what is missing, build, run the main job
# make check   install what is missing, build, run all tests but those of times (ctest -L perf)
# make bench   build and run the benchmarks (not part of check)
# make docs    the manual as HTML, in build/manual/site
# make format  clang-format over the sources      make tidy  clang-tidy over them
# make sanitize  the tests under address and undefined-behaviour sanitizers

PRESET ?= release
BUILD := build/$(PRESET)
CTEST_ARGS ?= --output-on-failure -LE perf -j $(shell nproc)

.PHONY: demo check bench sanitize docs format tidy clean

demo:
	@scripts/install-packages demo
	@scripts/build $(PRESET)
	@scripts/demo $(CURDIR)/$(BUILD)/src/cli/redblue

check:
	@scripts/install-packages check
	@scripts/build $(PRESET) -DREDBLUE_TESTS=ON
	@. scripts/mpi-environment && cd $(BUILD) && ctest $(CTEST_ARGS)

bench:
	@scripts/install-packages check
	@scripts/build $(PRESET) -DREDBLUE_BENCH=ON
	@bench/run $(CURDIR)/$(BUILD)

sanitize:
	@ASAN_OPTIONS=detect_leaks=0 $(MAKE) check PRESET=sanitize CTEST_ARGS="--output-on-failure -LE \"slow|perf\" -E scalapack/"

docs:
	@scripts/install-packages docs
	@rm -rf build/manual && mkdir -p build/manual/source
	@cp -r *.md REFERENCES.bib docs build/manual/source
	@mkdocs build --quiet
	@echo build/manual/site/index.html

format:
	git ls-files '*.cpp' '*.hpp' '*.h' | xargs clang-format -i

tidy:
	@scripts/build $(PRESET)
	git ls-files 'src/*.cpp' | xargs -P 2 -n 4 clang-tidy -p $(BUILD) --quiet --extra-arg=-Wno-unknown-warning-option

clean:
	rm -rf build
