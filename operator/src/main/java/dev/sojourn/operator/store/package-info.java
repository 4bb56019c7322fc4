/** The managed store, and the probe of one brought along. */
@NullMarked
package dev.sojourn.operator.store;

import org.jspecify.annotations.NullMarked;
