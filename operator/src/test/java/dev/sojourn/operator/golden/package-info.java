@NullMarked
package dev.sojourn.operator.golden;

import org.jspecify.annotations.NullMarked;
