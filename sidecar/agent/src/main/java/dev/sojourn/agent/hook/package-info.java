/** Where the container is hooked: bytecode and class loaders. */
@NullMarked
package dev.sojourn.agent.hook;

import org.jspecify.annotations.NullMarked;
