@NullMarked
package dev.sojourn.e2e.load;

import org.jspecify.annotations.NullMarked;
