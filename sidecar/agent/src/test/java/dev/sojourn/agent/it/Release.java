package dev.sojourn.agent.it;

/** Of the test's application; during an update there are pods of both. */
enum Release {
    THIS,
    /** Lacks one class, and has changed others as {@code src/test/webapp/next} has them. */
    NEXT
}
