@NullMarked
package dev.sojourn.bench;

import org.jspecify.annotations.NullMarked;
