/** The CRD is what the classes say. */
@NullMarked
package dev.sojourn.operator.api;

import org.jspecify.annotations.NullMarked;
