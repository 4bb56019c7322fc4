@NullMarked
package dev.sojourn.operator.store;

import org.jspecify.annotations.NullMarked;
