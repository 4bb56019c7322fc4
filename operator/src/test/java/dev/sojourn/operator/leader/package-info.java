@NullMarked
package dev.sojourn.operator.leader;

import org.jspecify.annotations.NullMarked;
