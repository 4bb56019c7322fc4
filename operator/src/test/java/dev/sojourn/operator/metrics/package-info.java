/** What Prometheus is told, and what is asked of it. */
@NullMarked
package dev.sojourn.operator.metrics;

import org.jspecify.annotations.NullMarked;
