/** The webhook that gives pods their sidecar and agent. */
@NullMarked
package dev.sojourn.operator.inject;

import org.jspecify.annotations.NullMarked;
