/** What all objects made for a SessionCluster have in common. */
@NullMarked
package dev.sojourn.operator.dependent;

import org.jspecify.annotations.NullMarked;
