# The entry point for developers. CMakeLists.txt describes the build. tests/tools/ contains the scripts that
# the targets run.

BUILD := build
PREFIX ?= /usr
# The path is relative to PREFIX unless it begins with /.
UNIT_DIR ?= lib/systemd/system
# Debian installs the servers in a folder that is only in root's path.
export PATH := $(PATH):/usr/sbin
# Seconds that "make fuzz" spends on each target.
RATINGD_FUZZ_SECONDS ?= 60
# The tests that "make e2e" runs.
RATINGD_E2E ?= .
# The programs that "make asan" and "make tsan" build, and the tests that they run.
RATINGD_ASAN_PROGRAMS ?= all
RATINGD_ASAN ?= .
RATINGD_TSAN_PROGRAMS ?= all
RATINGD_TSAN ?= .
# The checks that "make lint" runs. If the list is empty, all checks in tests/tools/lint.sh run.
RATINGD_LINT ?=

tools := tests/tools
sandbox := tests/sandbox/sandbox.py
jobs := $(shell nproc)
# Sanitizers and fuzzers also check assertions. Optimizing AddressSanitizer's code takes twice as long as
# compiling it.
clang := -DCMAKE_CXX_COMPILER=clang++
address := $(clang) -DRATINGD_SANITIZER=address -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O0 -g1"
thread := $(clang) -DRATINGD_SANITIZER=thread -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1"
# Targets that run in parallel build one after the other.
build = flock $(BUILD)/$1 cmake --build $(BUILD)/$1
ctest := ctest --output-on-failure --no-tests=error --test-dir

# $(call configure,FOLDER,OPTIONS): Configures a folder once. When a CMakeLists.txt changes, Ninja configures
# again by itself.
configure = test -e $(BUILD)/$1/build.ninja || cmake -S . -B $(BUILD)/$1 -G Ninja $2
# Also configures the tests, even in a folder that was configured without them. The programs stay as they are.
configure_tests = grep -qs '^subdirs("tests")' $(BUILD)/$1/CTestTestfile.cmake || \
  cmake -S . -B $(BUILD)/$1 -G Ninja -DRATINGD_TESTS=ON $2

.PHONY: all run stop test e2e galera words lint asan tsan fuzz soak bench bench-analytics bench-bulk bench-sizing bench-galera install smoke deb release package-test matrix clean help

all:  ## the programs, in build/release; 2 min from nothing
	@$(tools)/install_packages.sh build $(filter run,$(MAKECMDGOALS))
	@$(call configure,release)
	$(call build,release) --target ratingd ratingctl web man

run: all  ## start the sandbox: MariaDB, two workers, nginx on 127.0.0.1:8080; 3 min from nothing
	@$(tools)/install_packages.sh run
	@RATINGD_BUILD_DIR=$(BUILD)/release $(sandbox) run

stop:  ## end what "make run" started
	@$(sandbox) stop

# Prometheus checks the alerts. Its package is not installed, because it would start a server.
test:  ## all tests: unit, db, cases through nginx, faults; 6 min
	@$(tools)/install_packages.sh build run test
	@$(tools)/unpack_package.sh prometheus $(BUILD)/prometheus || \
	  echo "without an archive of packages, the alerts for Prometheus are not tested" >&2
	@$(call configure_tests,release)
	$(call build,release)
	$(ctest) $(BUILD)/release -j $$(($(jobs) + 4)) -LE e2e  # tests wait for other tests of the same service

e2e: all web/node_modules $(BUILD)/apache2  ## beside a real WordPress: logins, rights, pages, widgets, the plugin, TLS; several hosts; 6 min
	@$(tools)/install_packages.sh run test wordpress browser
	@$(call configure_tests,release)
	$(ctest) $(BUILD)/release -j $$(($(jobs) + 2)) -L e2e -R '$(RATINGD_E2E)'  # browsers spend half of the time waiting

# Apache's configuration and its programs. Their package is not installed, because it would start a server.
$(BUILD)/apache2:
	@$(tools)/unpack_package.sh apache2 $@

galera: all $(BUILD)/galera-server  ## three Galera nodes and two hosts: failures during votes; needs root, takes minutes
	RATINGD_BUILD_DIR=$(BUILD)/release RATINGD_RUN_DIR=$(BUILD)/galera \
	  RATINGD_GALERA_SCRIPTS=$(abspath $(BUILD)/galera-server/usr/bin) tests/e2e/galera_test.py -v

# The scripts that copy data to a new node. Their package is not installed, because it would set up a server.
$(BUILD)/galera-server:
	@$(tools)/install_packages.sh run galera
	@$(tools)/unpack_package.sh mariadb-server $@

# The packages from npm. They check Python and openapi.json, check and test the widgets' script, and
# make the npm package. Nothing else comes from npm. The packages run no scripts when they are installed,
# because such a script could report the installation to its author.
web/node_modules: web/package-lock.json
	@$(tools)/install_packages.sh node
	npm ci --prefix web --ignore-scripts --no-audit --no-fund
	@touch $@

words:  ## texts of plugin, page and settings for translation, into web/languages
	@$(tools)/install_packages.sh build
	web/languages/words.sh

lint: web/node_modules  ## layout, layers, SQL, clang-tidy, cppcheck, ruff, phpcs, shellcheck, eslint, OpenAPI, translations; over 20 min
	@$(tools)/install_packages.sh build test clang lint
	@$(call configure_tests,lint,-DCMAKE_UNITY_BUILD=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON)
	@$(call configure_tests,release)
	$(call build,release) --target print_openapi
	$(BUILD)/release/tests/print_openapi >$(BUILD)/lint/openapi.json
	$(tools)/lint.sh $(BUILD)/lint $(RATINGD_LINT)

asan:  ## all tests, the workers' too, under AddressSanitizer and UBSan; over 20 min
	@$(tools)/install_packages.sh build run test clang
	@$(call configure_tests,asan,$(address))
	$(call build,asan) --target $(RATINGD_ASAN_PROGRAMS)
	$(ctest) $(BUILD)/asan -j $(jobs) -LE e2e -R '$(RATINGD_ASAN)'

tsan:  ## all tests, the workers' too, under ThreadSanitizer; over 20 min
	@$(tools)/install_packages.sh build run test clang
	@$(call configure_tests,tsan,$(thread))
	$(call build,tsan) --target $(RATINGD_TSAN_PROGRAMS)
	$(tools)/fixed_addresses.sh $(ctest) $(BUILD)/tsan -j $(jobs) -LE e2e -R '$(RATINGD_TSAN)'

fuzz:  ## each fuzz target for RATINGD_FUZZ_SECONDS (60)
	@$(tools)/install_packages.sh build test clang
	@$(call configure_tests,asan,$(address))
	$(call build,asan) --target fuzzers
	$(tools)/fuzz.sh $(BUILD)/asan $(RATINGD_FUZZ_SECONDS)

soak: all  ## overload, and hours of work in minutes: RATINGD_SOAK_SECONDS (600), RATINGD_SOAK_REQUESTS (2000000)
	@$(tools)/install_packages.sh run test bench
	@$(call configure_tests,release)
	$(call build,release) --target fault_injection
	RATINGD_BUILD_DIR=$(BUILD)/release RATINGD_RUN_DIR=$(BUILD)/soak tests/e2e/soak_test.py -v

bench: all  ## ratios against an empty FastCGI program and more, into build/bench; HISTORY=1 keeps them in tests/bench
	@$(tools)/install_packages.sh run test wordpress bench
	@$(call configure_tests,release)
	$(call build,release) --target ceiling part_benchmarks
	tests/bench/bench.py $(if $(HISTORY),--history)

bench-analytics: all  ## analytics of few and of many votes, into build/bench-analytics/
	@$(tools)/install_packages.sh run
	tests/bench/bench_analytics.py

bench-bulk: all  ## import, deletion, verify and more of all votes, while votes arrive, into build/bench-bulk/
	@$(tools)/install_packages.sh run
	tests/bench/bench_bulk.py

bench-sizing: all  ## bytes per vote, commands and votes per second at 1 and 10 million votes, into build/bench-sizing/
	@$(tools)/install_packages.sh run bench
	tests/bench/bench_sizing.py

bench-galera: all $(BUILD)/galera-server  ## votes per second with 1 and 2 hosts, 1 server and 3 Galera nodes; needs root
	@$(tools)/install_packages.sh bench
	RATINGD_BUILD_DIR=$(BUILD)/release RATINGD_RUN_DIR=$(BUILD)/bench-galera \
	  RATINGD_GALERA_SCRIPTS=$(abspath $(BUILD)/galera-server/usr/bin) tests/bench/bench_galera.py

install: all  ## programs, manual, units, nginx files; PREFIX (/usr), UNIT_DIR, DESTDIR
	@cmake -DRATINGD_UNIT_DIR=$(UNIT_DIR) $(BUILD)/release >/dev/null
	DESTDIR=$(abspath $(DESTDIR)) cmake --install $(BUILD)/release --prefix $(PREFIX)

# lintian's complaints about a maintainer without a mail address.
no_address := bogus-mail-host,bogus-mail-host-in-debian-changelog,root-in-contact

smoke: all  ## run, stop, words, soak, bench, bench-analytics, bench-bulk, bench-sizing, install, release, clean and help with tiny sizes
	@$(tools)/install_packages.sh run test wordpress bench package
	$(tools)/smoke.sh $(BUILD)

deb: all  ## the Debian package, in build/deb
	@$(tools)/install_packages.sh package
	rm -rf debian/.debhelper debian/debhelper-build-stamp debian/ratingd  # of an earlier build; dh_clean reads build/
	DEB_RULES_REQUIRES_ROOT=no nice debian/rules binary
	lintian --fail-on error,warning --suppress-tags $(no_address) $(BUILD)/deb/*.deb

release: deb web/node_modules  ## sources, packages, plugin, npm package, SBOM and check sums, in build/dist; TWICE=1 compares
	@$(call configure_tests,release)
	$(call build,release) --target print_openapi
	$(BUILD)/release/tests/print_openapi >$(BUILD)/release/openapi.json
	$(tools)/release.py $(BUILD) $(if $(TWICE),twice)

package-test: $(if $(SUITE),,deb)  ## the package in a Debian that boots, and in containers; takes minutes; SUITE=trixie: that of "make matrix"
	RATINGD_SUITE=$(SUITE) tests/e2e/package_test.py
	$(if $(SUITE),,$(tools)/install_packages.sh run wordpress package matrix)
	$(if $(SUITE),,tests/e2e/container_test.py)

matrix: web/node_modules  ## tests with other database servers, WordPresses and Debians; MATRIX='mysql debian-13' selects
	@$(tools)/install_packages.sh build run test wordpress browser package matrix
	@$(call configure_tests,release)
	$(call build,release)
	$(tools)/matrix.py $(BUILD) $(MATRIX)

clean: stop  ## stop the sandbox and remove what was built
	rm -rf $(BUILD)

help:  ## this list; times are those of two cores
	@sed -nE 's/^([a-z0-9-]+):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 17
