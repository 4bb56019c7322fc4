package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.Wordless;
import java.io.ObjectOutputStream;
import java.io.Serializable;

/** Needs more memory than there is to leave this JVM. */
final class TooLarge implements Serializable {
    private static final long serialVersionUID = 1L;

    private void writeObject(ObjectOutputStream out) {
        // An OutOfMemoryError would stop all tests.
        throw new Wordless();
    }
}
