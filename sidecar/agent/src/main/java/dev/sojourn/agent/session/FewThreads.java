package dev.sojourn.agent.session;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.core.OwnThread;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** For what a thread that works for all must not do itself: send again, wait, run the application's code. */
final class FewThreads implements Executor {
    // Of an outage every commit that was under way comes to the late ones, and waits with the others.
    private static final int FEW = 4;
    private static final int MOST = 64;
    /** Longer than almost anything takes that comes to an end. */
    private static final long HELD_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final String name;
    private final ThreadPoolExecutor threads;
    /** Since when they are at what they do; {@link System#nanoTime}. */
    private final Map<Thread, Long> atWork = new ConcurrentHashMap<>();

    FewThreads(String name) {
        ThreadFactory factory = work -> OwnThread.of(name, work);
        this.name = name;
        this.threads = new ThreadPoolExecutor(FEW, FEW, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        threads.allowCoreThreadTimeOut(true);
    }

    /** So many as there is one that is not held, whatever the others wait for. */
    static int wanted(int held) {
        return Math.min(MOST, Math.max(FEW, held + 1));
    }

    /** To be called regularly, where the application's code is run, which may never come to an end. */
    void makeRoom(long now) {
        int held = 0;
        for (long since : atWork.values()) {
            held += now - since >= HELD_NANOS ? 1 : 0;
        }
        if (held >= MOST) {
            Log.warnOnce("all " + MOST + " threads " + name + " wait for objects of sessions that the application does"
                    + " not let go of: what a request could not commit, or threads of none have changed, waits; see in"
                    + " a thread dump what those threads wait for");
        }
        resize(wanted(held));
    }

    /** Never more at least than at most. */
    private void resize(int size) {
        if (size > threads.getMaximumPoolSize()) {
            threads.setMaximumPoolSize(size);
            threads.setCorePoolSize(size);
        } else if (size < threads.getMaximumPoolSize()) {
            threads.setCorePoolSize(size);
            threads.setMaximumPoolSize(size);
        }
    }

    @Override
    public void execute(Runnable work) {
        threads.execute(() -> run(work));
    }

    private void run(Runnable work) {
        try {
            begun();
            work.run();
        } catch (Throwable e) {
            Log.warnOnce("a commit could not be ended, this is a bug: ", e);
        } finally {
            atWork.remove(Thread.currentThread());
        }
    }

    private void begun() {
        try {
            atWork.put(Thread.currentThread(), System.nanoTime());
        } catch (Throwable ignored) {
            // No memory for it, nor for a word about it. What the thread is here for is done all the same: a session's
            // turn hangs on it, and a response.
        }
    }
}
