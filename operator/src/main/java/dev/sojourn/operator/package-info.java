/** Where it starts. */
@NullMarked
package dev.sojourn.operator;

import org.jspecify.annotations.NullMarked;
