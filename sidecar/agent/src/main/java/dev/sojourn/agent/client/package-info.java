/** The conversation with the sidecar: connections, outages, answers. */
@NullMarked
package dev.sojourn.agent.client;

import org.jspecify.annotations.NullMarked;
