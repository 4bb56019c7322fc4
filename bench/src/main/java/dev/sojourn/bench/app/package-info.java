/** The application under measurement, the same for every variant. Runs in the Tomcats, not in the benchmark. */
@NullMarked
package dev.sojourn.bench.app;

import org.jspecify.annotations.NullMarked;
