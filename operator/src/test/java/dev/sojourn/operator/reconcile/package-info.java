@NullMarked
package dev.sojourn.operator.reconcile;

import org.jspecify.annotations.NullMarked;
