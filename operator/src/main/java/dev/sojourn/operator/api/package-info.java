/** The SessionCluster resource: what users write and what we report. */
@NullMarked
package dev.sojourn.operator.api;

import org.jspecify.annotations.NullMarked;
