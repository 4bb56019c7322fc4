/** Kubernetes events about SessionClusters. */
@NullMarked
package dev.sojourn.operator.event;

import org.jspecify.annotations.NullMarked;
