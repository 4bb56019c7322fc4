package testapp;

import java.io.Serializable;

/** Deployed on one node only, like a class of the next version. */
public class OnlyHere implements Serializable {
    private static final long serialVersionUID = 1L;

    private final String value;

    OnlyHere(String value) {
        this.value = value;
    }

    @Override
    public String toString() {
        return value;
    }
}
