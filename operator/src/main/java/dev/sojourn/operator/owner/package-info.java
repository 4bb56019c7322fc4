/** What goes with the operator when it is uninstalled. */
@NullMarked
package dev.sojourn.operator.owner;

import org.jspecify.annotations.NullMarked;
