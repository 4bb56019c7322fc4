@NullMarked
package dev.sojourn.e2e;

import org.jspecify.annotations.NullMarked;
