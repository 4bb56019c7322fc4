@NullMarked
package dev.sojourn.operator.inject;

import org.jspecify.annotations.NullMarked;
