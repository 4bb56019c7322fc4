/** How Secrets hold text. */
@NullMarked
package dev.sojourn.operator.secret;

import org.jspecify.annotations.NullMarked;
