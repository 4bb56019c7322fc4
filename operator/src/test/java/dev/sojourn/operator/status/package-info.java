@NullMarked
package dev.sojourn.operator.status;

import org.jspecify.annotations.NullMarked;
