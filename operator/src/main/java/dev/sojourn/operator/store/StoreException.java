package dev.sojourn.operator.store;

/** A server of the store did not do what it was asked. */
public class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1;

    StoreException(String message) {
        super(message);
    }
}
