package dev.sojourn.agent.session;

import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ConcurrentModificationException;

/** As if another thread changed it while it is written. */
final class Restless implements Serializable {
    private static final long serialVersionUID = 1L;

    transient int writesLeftToFail;
    transient RuntimeException failure = new ConcurrentModificationException();

    private void writeObject(ObjectOutputStream out) {
        if (writesLeftToFail-- > 0) {
            throw failure;
        }
    }
}
