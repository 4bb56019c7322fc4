package dev.sojourn.e2e.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;

/** Users who logged in, clicked once, and went for a coffee: their sessions are what a pod holds while it is drained. */
public final class Residents {
    // As many as keep an application of three pods busy without making a queue before it.
    private static final int AT_ONCE = 16;

    private final List<Browser> browsers;

    private Residents(List<Browser> browsers) {
        this.browsers = browsers;
    }

    /**
     * Logs {@code count} users in, and has each click once.
     *
     * @throws IOException if one of them could not
     */
    public static Residents login(URI base, int count) throws IOException, InterruptedException {
        var http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(10))
                .build();
        var browsers = new ArrayList<Browser>();
        for (int i = 0; i < count; i++) {
            browsers.add(new Browser(http, base, "resident-" + i));
        }
        var residents = new Residents(browsers);
        residents.each(browser -> {
            browser.login();
            browser.click();
            return true;
        });
        return residents;
    }

    /** Has each click again, and counts those whose second click this is: who was logged out, or lost the first, is not. */
    public long stillThere() throws IOException, InterruptedException {
        return each(browser -> browser.click().clicks() == 2);
    }

    private interface Step {
        boolean take(Browser browser) throws IOException, InterruptedException, LoggedOut;
    }

    private long each(Step step) throws IOException, InterruptedException {
        var threads = Executors.newFixedThreadPool(AT_ONCE);
        try {
            var steps = browsers.stream()
                    .map(browser -> (Callable<Boolean>) () -> taken(step, browser))
                    .toList();
            long count = 0;
            for (var taken : threads.invokeAll(steps)) {
                count += taken.get() ? 1 : 0;
            }
            return count;
        } catch (ExecutionException e) {
            throw new IOException("a resident's request failed: " + e.getCause(), e);
        } finally {
            threads.shutdown();
        }
    }

    private static boolean taken(Step step, Browser browser) throws IOException, InterruptedException {
        try {
            return step.take(browser);
        } catch (LoggedOut e) {
            return false;
        }
    }
}
