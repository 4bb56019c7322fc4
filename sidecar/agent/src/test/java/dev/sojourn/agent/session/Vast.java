package dev.sojourn.agent.session;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;

/** An object with far more bytes than any value may have. */
final class Vast implements Serializable {
    private static final long serialVersionUID = 1L;

    /** MiB. */
    transient int written;

    private void writeObject(ObjectOutputStream out) throws IOException {
        byte[] chunk = new byte[1 << 20];
        while (written < 64) {
            out.write(chunk);
            written++;
        }
    }
}
