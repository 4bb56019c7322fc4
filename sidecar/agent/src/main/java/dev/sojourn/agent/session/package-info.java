/** A session's attributes, what of them changed, and the requests that use it. Knows no container. */
@NullMarked
package dev.sojourn.agent.session;

import org.jspecify.annotations.NullMarked;
