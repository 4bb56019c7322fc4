/** The operator's own settings. */
@NullMarked
package dev.sojourn.operator.config;

import org.jspecify.annotations.NullMarked;
