package dev.sojourn.agent.session;

import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.io.Serializable;

/** A class that only some versions of an application can read. */
final class Poison implements Serializable {
    private static final long serialVersionUID = 1L;

    static boolean readable = true;

    private void readObject(ObjectInputStream in) throws InvalidClassException {
        if (!readable) {
            throw new InvalidClassException("serialVersionUID differs");
        }
    }
}
