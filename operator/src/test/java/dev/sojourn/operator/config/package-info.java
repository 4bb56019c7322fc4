@NullMarked
package dev.sojourn.operator.config;

import org.jspecify.annotations.NullMarked;
