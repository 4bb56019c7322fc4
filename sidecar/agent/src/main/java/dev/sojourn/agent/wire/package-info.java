/** The sidecar's protocol as bytes: no socket, no state. */
@NullMarked
package dev.sojourn.agent.wire;

import org.jspecify.annotations.NullMarked;
