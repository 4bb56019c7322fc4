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
    /** What happens when it has been, and nobody has the monitor for it any more. */
    transient Runnable whenWritten = () -> {};

    private void writeObject(ObjectOutputStream out) throws IOException {
        written.countDown();
        if (torn) {
            throw new ConcurrentModificationException();
        }
        synchronized (this) {
            out.writeInt(count);
        }
        whenWritten.run();
    }

    private void readObject(ObjectInputStream in) throws IOException {
        written = new CountDownLatch(1);
        whenWritten = () -> {};
        count = in.readInt();
    }
}
