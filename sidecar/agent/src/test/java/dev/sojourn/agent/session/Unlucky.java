package dev.sojourn.agent.session;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;

/** Fails as nothing of the JDK's does when it is written, or else when it is read. */
final class Unlucky implements Serializable {
    private static final long serialVersionUID = 1L;

    private transient boolean whenWritten;

    Unlucky(boolean whenWritten) {
        this.whenWritten = whenWritten;
    }

    private void writeObject(ObjectOutputStream out) throws IOException {
        if (whenWritten) {
            throw new AssertionError("a bug of the application's");
        }
        out.defaultWriteObject();
    }

    private void readObject(ObjectInputStream in) {
        throw new AssertionError("a bug of the application's");
    }
}
