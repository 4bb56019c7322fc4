/** The ways of keeping sessions that are compared, and the servers each of them needs. */
@NullMarked
package dev.sojourn.bench.peers;

import org.jspecify.annotations.NullMarked;
