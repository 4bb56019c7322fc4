package dev.sojourn.agent.session;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.core.OwnThread;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** What the thread that reads for all must not do itself: send again, wait, run the application's code. */
final class LateCommits {
    // Of an outage every commit that was under way comes here, and waits with the others.
    private static final int THREADS = 4;

    private final ExecutorService threads;

    LateCommits() {
        ThreadFactory factory = work -> OwnThread.of("sojourn-late", work);
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        pool.allowCoreThreadTimeOut(true);
        threads = pool;
    }

    void run(Runnable work) {
        threads.execute(() -> {
            try {
                work.run();
            } catch (Throwable e) {
                Log.warnOnce("a commit could not be ended, this is a bug: " + e);
            }
        });
    }
}
