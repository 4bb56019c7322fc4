package dev.sojourn.agent.session;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ConcurrentModificationException;
import java.util.concurrent.CountDownLatch;

/** Is written under its own monitor, as a Vector is. */
final class Guarded implements Serializable {
    private static final long serialVersionUID = 1L;

    transient CountDownLatch written = new CountDownLatch(1);
    transient int count;
    /** As a map that another thread is changing. */
    transient boolean torn;

    private void writeObject(ObjectOutputStream out) throws IOException {
        written.countDown();
        if (torn) {
            throw new ConcurrentModificationException();
        }
        synchronized (this) {
            out.writeInt(count);
        }
    }

    private void readObject(ObjectInputStream in) throws IOException {
        written = new CountDownLatch(1);
        count = in.readInt();
    }
}
