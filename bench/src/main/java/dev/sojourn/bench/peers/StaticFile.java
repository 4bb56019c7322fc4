package dev.sojourn.bench.peers;

import java.util.Locale;

/** Files of the application that the container serves by itself. The large one leaves by sendfile where there is no TLS. */
public enum StaticFile {
    SMALL(1024),
    LARGE(256 * 1024);

    private final int length;

    StaticFile(int length) {
        this.length = length;
    }

    public int length() {
        return length;
    }

    public String fileName() {
        return name().toLowerCase(Locale.ROOT) + ".bin";
    }

    public String size() {
        return length / 1024 + " KiB";
    }
}
