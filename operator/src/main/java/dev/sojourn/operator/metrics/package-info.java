/** What Prometheus sees. */
@NullMarked
package dev.sojourn.operator.metrics;

import org.jspecify.annotations.NullMarked;
