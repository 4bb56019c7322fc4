package dev.sojourn.agent.session;

/** What the application's own code may throw while it writes and reads its objects: anything. */
final class Fatal {
    private Fatal() {}

    /** If it is the JVM's own trouble. A stack that was too deep is the object's. */
    static void rethrow(Throwable thrown) {
        if (thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError)) {
            throw (VirtualMachineError) thrown;
        }
    }
}
