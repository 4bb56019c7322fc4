@NullMarked
package dev.sojourn.operator.cert;

import org.jspecify.annotations.NullMarked;
