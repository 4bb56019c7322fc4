/** What the sidecars say when they are asked. */
@NullMarked
package dev.sojourn.operator.sidecar;

import org.jspecify.annotations.NullMarked;
