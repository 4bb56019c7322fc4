#!/usr/bin/env bash
# Fuzzes every target for its share of SECONDS (600), with the compiler's coverage but no sanitizer: stable Rust is enough,
# and the daemon has no unsafe code of its own. What breaks is left in fuzz/artifacts; run that file to see it again.
set -euo pipefail
cd "$(dirname "$0")"
targets=(decoder command record snapshot delta message answer)
each=$((${SECONDS_IN_ALL:-600} / ${#targets[@]}))
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/fuzz"
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
  -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1"
# A target of its own, so that build scripts and macros are built without the instrumentation.
host=$(rustc -vV | sed -n 's/^host: //p')
cargo build -q --release --target "$host"
for target in "${targets[@]}"; do
  mkdir -p "corpus/$target" "artifacts/$target"
  echo "fuzz: $target for $each s"
  SOJOURN_FUZZ=$target SOJOURN_FUZZ_CORPUS=corpus/$target "$CARGO_TARGET_DIR/$host/release/any" "corpus/$target" -max_total_time="$each" \
    -max_len=65536 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 -verbosity=0 -artifact_prefix="artifacts/$target/"
done
