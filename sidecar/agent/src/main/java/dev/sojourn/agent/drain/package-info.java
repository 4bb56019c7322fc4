/** Leaving: what the sidecar announces and how the JVM's end is held back. */
@NullMarked
package dev.sojourn.agent.drain;

import org.jspecify.annotations.NullMarked;
