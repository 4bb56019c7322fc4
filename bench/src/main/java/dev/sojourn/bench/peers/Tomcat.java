package dev.sojourn.bench.peers;

/** The ones that variants run on. */
public enum Tomcat {
    /** {@code javax.servlet}; the last one with a native connector. */
    NINE("9.0.100"),
    TEN("10.1.54");

    final String version;

    Tomcat(String version) {
        this.version = version;
    }

    boolean javax() {
        return this == NINE;
    }
}
