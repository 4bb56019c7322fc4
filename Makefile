# Sojourn's front door: `make help` names everything; CI runs the same targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help
export CLUSTER ?= sojourn
CACHE := $(or $(SOJOURN_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/sojourn)
export SOJOURN_CACHE := $(CACHE)
export PATH := $(CACHE)/bin:$(PATH)
export CARGO_TARGET_DIR ?= $(CURDIR)/sidecar/daemon/target
export SOJOURN_DAEMON := $(CARGO_TARGET_DIR)/debug/sojournd
ifneq ($(CLUSTER),existing)
export KUBECONFIG := $(CACHE)/$(CLUSTER).kubeconfig
endif
MVN := ./mvnw -B -q -ntp
DAEMON := sidecar/daemon
MACHINE := $(patsubst aarch64,arm64,$(patsubst x86_64,amd64,$(shell uname -m)))
# What `images` and `build-daemon` make: `ARCHITECTURES="amd64 arm64"` for a cluster that has both.
export ARCHITECTURES ?= $(MACHINE)
TARGET_amd64 := x86_64-unknown-linux-gnu
TARGET_arm64 := aarch64-unknown-linux-gnu
RELEASE := $(CARGO_TARGET_DIR)/$(TARGET_$(MACHINE))/release/sojournd
# Linkers of the other one, as Debian names them.
ifeq ($(MACHINE),amd64)
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER ?= aarch64-linux-gnu-gcc
else
export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER ?= x86_64-linux-gnu-gcc
endif

##@ Try it
.PHONY: demo demo-down
demo: cluster-up images ## A cluster, Sojourn on it, 20 users clicking through two rolling restarts, and a table of what came of it
	@java -cp 'e2e/target/classes:e2e/target/lib/*' dev.sojourn.e2e.Demo

demo-down: ## Take down what `make demo` brought up
	@if [ "$(CLUSTER)" = existing ]; then \
	  kubectl -n demo delete --ignore-not-found sessioncluster tomcat-login && kubectl delete --ignore-not-found namespace demo && helm uninstall --ignore-not-found -n sojourn-system sojourn; \
	else e2e/cluster/down.sh; fi

##@ Build
.PHONY: build build-daemon build-java images prerequisites test-prerequisites
prerequisites: ## What building needs: installed where we are root on Debian, else one clear line
	@e2e/prerequisites.sh

test-prerequisites: ## What testing needs besides: a store, a clock that can be wrong, Tomcat's native library
	@e2e/prerequisites.sh test

build: build-daemon build-java ## Everything: the daemon (static, release), the agent, the operator, the example, the scenarios

build-daemon: prerequisites ## sojournd, one static binary for each of ARCHITECTURES (amd64, arm64; this machine's)
	cd $(DAEMON) && RUSTFLAGS="-C target-feature=+crt-static" cargo build -q --locked --release $(foreach arch,$(ARCHITECTURES),--target $(TARGET_$(arch)))

build-java: prerequisites ## All Java, without its tests
	$(MVN) -Dmaven.test.skip=true package

images: build ## Container images, and what they are based on where nothing can be pulled. For a cluster of yours with nodes of both: ARCHITECTURES="amd64 arm64"
	@e2e/images/make.sh build
	@e2e/images/make.sh load

##@ Test
SECONDS := $(if $(filter command line environment,$(origin SECONDS)),$(SECONDS))
.PHONY: test test-daemon model fuzz soak test-java e2e e2e-faults e2e-thirdparty cluster-up cluster-down
test: lint verify test-daemon test-java e2e ## Every test there is, the scenarios on a real cluster included; `make e2e-faults` breaks the cluster itself

test-daemon: test-prerequisites ## The daemon: unit tests, and against a real store
	cd $(DAEMON) && cargo test -q --locked

model: test-prerequisites ## Daemons and a store against a model, at random: SEED=7 for the steps of one run again (when they meet is up to the machine), SECONDS=60 for a longer one, EARLIER=v1.0.0 with half of the daemons as they were then
	earlier=$(if $(EARLIER),$$(tools/daemon-of.sh $(EARLIER))) && cd $(DAEMON) && \
	  SOJOURN_MODEL_EARLIER=$$earlier SOJOURN_MODEL_SEED=$(SEED) SOJOURN_MODEL_SECONDS=$(SECONDS) cargo test -q --locked --test model -- --nocapture

fuzz: test-prerequisites ## Any bytes at all against the daemon's decoders, led by coverage: SECONDS=600 in all
	SECONDS_IN_ALL=$(SECONDS) $(DAEMON)/fuzz/run.sh

soak: test-prerequisites ## Daemons, then a Tomcat with the agent, under a mixed load: memory, threads and open files must not grow. SECONDS=600 in all
	cd $(DAEMON) && SOJOURN_SOAK_SECONDS=$$(($(or $(SECONDS),600) / 2)) cargo test -q --locked --test soak -- --nocapture
	cd $(DAEMON) && cargo build -q --locked
	$(MVN) -pl sidecar/agent verify -Dtest=NoUnitTest -Dsurefire.failIfNoSpecifiedTests=false -Dit.test=SoakIT -Dsoak.seconds=$$(($(or $(SECONDS),600) / 2))

test-java: test-prerequisites ## All Java: unit tests, the agent on Tomcat 9, 10.1 and 11, and on Java 11, 17 and 25, Envoy's check of what the operator renders
	cd $(DAEMON) && cargo build -q --locked
	JAVA_11_HOME=$$(tools/jdk-11.sh) SOJOURN_ENVOY=$$(e2e/images/envoy-binary.sh) $(MVN) verify

.PHONY: fuzz-agent
fuzz-agent: ## Ten minutes of bytes that no sidecar would send, at the agent's decoder; starts from the protocol's vectors
	JAZZER_FUZZ=1 $(MVN) -pl sidecar/agent test -Dtest=ReplyFuzzTest

e2e: cluster-up images test-prerequisites ## The scenarios on a real cluster; the cluster stays (`make cluster-down`). ONLY=Name* runs some
	$(MVN) -pl e2e verify -DskipE2e=false $(if $(ONLY),-Dit.test='$(ONLY)' -Dfailsafe.failIfNoSpecifiedTests=true)

e2e-faults: cluster-up images test-prerequisites ## Nodes drained, killed and cut off, no API server, no operator, a store wiped, shards moved: three quarters of an hour, and not part of `make test`
	$(MVN) -pl e2e verify -DskipE2e=false -Dgroups=faults -DexcludedGroups= $(if $(ONLY),-Dit.test='$(ONLY)' -Dfailsafe.failIfNoSpecifiedTests=true)

e2e-thirdparty: cluster-up images test-prerequisites ## Beside what others make: cert-manager, Prometheus and its operator, the Gateway API, in a cluster of ours; not part of `make test`
	@e2e/images/make.sh third-party
	$(MVN) -pl e2e verify -DskipE2e=false -Dgroups=thirdparty -DexcludedGroups= $(if $(ONLY),-Dit.test='$(ONLY)' -Dfailsafe.failIfNoSpecifiedTests=true)

cluster-up: prerequisites ## A cluster: kind, its node image made here where none can be pulled. CLUSTER=existing takes yours
	@e2e/cluster/up.sh

cluster-down: ## Take down the cluster that `cluster-up` made, and nothing else
	@e2e/cluster/down.sh

.PHONY: bench bench-peers
bench: build test-prerequisites ## What it costs: sizes, memory, start-up, store commands and bytes per operation
	@java -cp 'bench/target/classes:bench/target/lib/*' dev.sojourn.bench.Bench $(RELEASE)

bench-peers: build-daemon test-prerequisites ## Sojourn beside other ways of keeping sessions. QUICK=1, ALL=1, ONLY=terracotta VARIANTS=.. CELLS=..: bench/README.md
	$(MVN) -f bench/peers/pom.xml package
	$(MVN) -Dmaven.test.skip=true -pl sidecar/agent,bench -am package
	@SOJOURN_ENVOY=$$(e2e/images/envoy-binary.sh) java -cp 'bench/target/classes:bench/target/lib/*' dev.sojourn.bench.PeersBench $(RELEASE)

##@ Keep it in shape
.PHONY: lint fmt generate verify
lint: prerequisites ## Formatters and linters for Java, Rust, shell, YAML, Dockerfiles, spelling and the chart; reports every failure
	@tools/lint.sh

fmt: ## Format Java, Rust and shell
	$(MVN) spotless:apply
	cd $(DAEMON) && cargo fmt
	@tools/lint.sh fmt

generate: ## Rewrite what is generated: the CRD, its copy in the chart, the chart's table of values, golden files
	$(MVN) -pl operator test -Dcrds.update=true -Dgolden.update=true
	cp crds/*.yaml charts/sojourn/files/
	@tools/lint.sh generate

verify: ## Fail if the chart's CRD is not that of crds/
	@diff -r crds charts/sojourn/files && echo "crds: up to date" || { echo "charts/sojourn/files is not crds: run 'make generate'" >&2; exit 1; }

##@ Everything
.PHONY: ci release-check clean help
ci: test cluster-down ## What CI runs

release-check: ## Before a release: also every fault, 10 minutes of fuzzing for each decoder, of the model and of each soak, a minute of each outage, 1,000,000 alternating requests in each mode; some 4 hours. EARLIER=v1.0.0: the release that will be upgraded
	$(MAKE) test
	$(MAKE) e2e-faults
	$(MAKE) e2e-thirdparty
	$(MAKE) cluster-down
	$(MAKE) fuzz SECONDS=4200
	$(MAKE) fuzz-agent
	$(MAKE) model SECONDS=600
	$(if $(EARLIER),$(MAKE) model SECONDS=600 EARLIER=$(EARLIER))
	$(MAKE) soak SECONDS=1200
	$(MVN) -pl sidecar/agent verify -Dtest=NoUnitTest -Dsurefire.failIfNoSpecifiedTests=false -Dit.test=StoreOutageIT -Doutage.seconds=60
	$(MAKE) bench-peers ONLY=alternating VARIANTS=sojourn-sync,sojourn-async

clean: ## Remove what was built; caches and clusters stay
	$(MVN) clean
	cd $(DAEMON) && cargo clean -q
	rm -rf build .tools

help: ## This list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
