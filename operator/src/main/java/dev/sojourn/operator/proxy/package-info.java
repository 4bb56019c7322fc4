/** Envoy and the edge in front of the application. */
@NullMarked
package dev.sojourn.operator.proxy;

import org.jspecify.annotations.NullMarked;
