@NullMarked
package dev.sojourn.operator.proxy;

import org.jspecify.annotations.NullMarked;
