/** Tomcat's side: defined in a child of Tomcat's class loader, compiled against the oldest supported line. */
@NullMarked
package dev.sojourn.agent.tomcat;

import org.jspecify.annotations.NullMarked;
