@NullMarked
package dev.sojourn.operator.owner;

import org.jspecify.annotations.NullMarked;
