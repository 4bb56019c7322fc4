/** The webhook's own certificates. */
@NullMarked
package dev.sojourn.operator.cert;

import org.jspecify.annotations.NullMarked;
