package dev.sojourn.agent.session;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;

/** Is written differently each time, until it has come to rest: as a map to which another thread adds. */
final class Shifting implements Serializable {
    private static final long serialVersionUID = 1L;

    static final int AT_REST = 2;

    transient int writes;
    transient int read;

    private void writeObject(ObjectOutputStream out) throws IOException {
        out.writeInt(Math.min(writes++, AT_REST));
    }

    private void readObject(ObjectInputStream in) throws IOException {
        read = in.readInt();
    }
}
