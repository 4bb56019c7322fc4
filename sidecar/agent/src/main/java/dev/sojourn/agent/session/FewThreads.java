package dev.sojourn.agent.session;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.core.OwnThread;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** For what a thread that works for all must not do itself: send again, wait, run the application's code. */
final class FewThreads implements Executor {
    // Of an outage every commit that was under way comes to the late ones, and waits with the others.
    private static final int THREADS = 4;

    private final ExecutorService threads;

    FewThreads(String name) {
        ThreadFactory factory = work -> OwnThread.of(name, work);
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        pool.allowCoreThreadTimeOut(true);
        threads = pool;
    }

    @Override
    public void execute(Runnable work) {
        threads.execute(() -> {
            try {
                work.run();
            } catch (Throwable e) {
                Log.warnOnce("a commit could not be ended, this is a bug: " + e);
            }
        });
    }
}
