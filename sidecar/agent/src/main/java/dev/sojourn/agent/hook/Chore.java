package dev.sojourn.agent.hook;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.core.OwnThread;

/** A background thread that does one thing again and again, and never keeps the JVM alive. */
final class Chore {
    private Chore() {}

    static void start(String name, long pauseMillis, Runnable work) {
        OwnThread.of(name, () -> run(name, pauseMillis, work)).start();
    }

    private static void run(String name, long pauseMillis, Runnable work) {
        String failed = name + " failed and goes on, this is a bug: ";
        while (true) {
            try {
                Thread.sleep(pauseMillis);
                work.run();
            } catch (InterruptedException e) {
                // Nobody ends it by that: some listener of an application's that it told left it so, and others wait to
                // be told.
            } catch (Throwable e) {
                // Also what is thrown by an application whose code it runs: without it commits and ends would wait for
                // ever.
                Log.warnOnce(failed, e);
            }
        }
    }
}
