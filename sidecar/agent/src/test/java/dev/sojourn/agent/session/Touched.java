package dev.sojourn.agent.session;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/** Something happens each time that it has been written, and too late for that. */
final class Touched implements Serializable {
    private static final long serialVersionUID = 1L;

    transient @Nullable Runnable then;
    int count;

    Touched(int count) {
        this.count = count;
    }

    private void writeObject(ObjectOutputStream out) throws IOException {
        out.defaultWriteObject();
        if (then != null) {
            then.run();
        }
    }
}
