/** What the application's class loader sees of the agent: its entry and the door that hooked classes go through. */
@NullMarked
package dev.sojourn.agent;

import org.jspecify.annotations.NullMarked;
