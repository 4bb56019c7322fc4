/** The agent in stock Tomcats, with a real sidecar and a real store. */
@NullMarked
package dev.sojourn.agent.it;

import org.jspecify.annotations.NullMarked;
