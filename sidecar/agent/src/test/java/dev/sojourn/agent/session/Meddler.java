package dev.sojourn.agent.session;

import java.io.ObjectOutputStream;
import java.io.Serializable;

/** Something happens while it is written, the first time. */
final class Meddler implements Serializable {
    private static final long serialVersionUID = 1L;

    transient Runnable what;

    Meddler(Runnable what) {
        this.what = what;
    }

    private void writeObject(ObjectOutputStream out) {
        Runnable now = what;
        what = () -> {};
        now.run();
    }
}
