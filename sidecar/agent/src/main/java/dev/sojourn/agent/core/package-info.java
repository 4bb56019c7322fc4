/** The agent's start, its settings and its log, in a class loader of its own. */
@NullMarked
package dev.sojourn.agent.core;

import org.jspecify.annotations.NullMarked;
