/** The users: a closed loop on one thread, that checks every answer. Runs in the benchmark's process, whose CPU is not counted. */
@NullMarked
package dev.sojourn.bench.load;

import org.jspecify.annotations.NullMarked;
