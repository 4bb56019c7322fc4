package dev.sojourn.e2e.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;

/**
 * A closed-loop load: every user clicks, waits for the answer, checks it against what was confirmed before, and clicks again.
 * A request whose answer was lost may or may not have counted; both are accepted, everything else is a finding.
 */
public final class Load implements AutoCloseable {
    // Between two clicks of one user. Without it 20 users take all of a small machine, and the pods that start
    // meanwhile starve.
    private static final Duration THINK = Duration.ofMillis(50);

    private final URI base;
    private final List<Thread> users = new ArrayList<>();
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong stale = new AtomicLong();
    private final AtomicLong raced = new AtomicLong();
    private final AtomicLong corrupt = new AtomicLong();
    private final AtomicLong longest = new AtomicLong();
    private final AtomicReference<String> firstFailure = new AtomicReference<>("");
    private final AtomicReference<String> firstWrong = new AtomicReference<>("");
    private final Map<String, Instant> lastRequestTo = new ConcurrentHashMap<>();
    private volatile boolean running = true;

    private Load(URI base) {
        this.base = base;
    }

    /** Logs {@code count} users in, one after the other, and has all of them click until {@link #stop}. */
    public static Load start(URI base, int count) throws IOException, InterruptedException {
        return start(HttpClient.newBuilder(), base, count);
    }

    /** The same, with a client that is for example told whom to trust. */
    public static Load start(HttpClient.Builder client, URI base, int count) throws IOException, InterruptedException {
        var load = new Load(base);
        var http = client.version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(10))
                .build();
        for (int i = 0; i < count; i++) {
            String name = "user-" + i;
            var browser = new Browser(http, base, name);
            browser.login();
            var thread = new Thread(() -> load.use(browser, name), name);
            thread.setDaemon(true);
            load.users.add(thread);
        }
        load.users.forEach(Thread::start);
        return load;
    }

    /** The figures so far. */
    public Tally tally() {
        return new Tally(
                requests.get(),
                failures.get(),
                lost.get(),
                stale.get(),
                raced.get(),
                corrupt.get(),
                longest.get(),
                firstProblem());
    }

    /** Waits until the users have got ten more clicks each, on average, answered. */
    public void awaitClicks() {
        long answered = answered();
        Awaitility.await("clicks that are answered")
                .atMost(Duration.ofSeconds(120))
                .until(() -> answered() > answered + 10L * users.size());
    }

    private long answered() {
        return requests.get() - failures.get();
    }

    /** When the last request was sent that this pod answered; by the pod's name. */
    public Map<String, Instant> lastRequestTo() {
        return lastRequestTo;
    }

    /** Has every user finish its click, and returns the final figures. */
    public Tally stop() throws InterruptedException {
        running = false;
        for (Thread user : users) {
            user.join(TimeUnit.SECONDS.toMillis(60));
        }
        return tally();
    }

    @Override
    public void close() throws InterruptedException {
        stop();
    }

    private void use(Browser browser, String name) {
        int confirmed = 0;
        int unknown = 0;
        var unanswered = Unanswered.NONE;
        while (thinks()) {
            var sent = Instant.now();
            requests.incrementAndGet();
            try {
                Browser.Click click = browser.click();
                longest.accumulateAndGet(Duration.between(sent, Instant.now()).toMillis(), Math::max);
                lastRequestTo.merge(click.pod(), sent, (a, b) -> a.isAfter(b) ? a : b);
                unanswered = check(name, click, confirmed, unknown, unanswered);
                // A request whose answer was lost may still be on its way, and count after this one.
                unknown -= Math.min(unknown, Math.max(0, click.clicks() - confirmed - 1));
                confirmed = click.clicks();
            } catch (LoggedOut e) {
                problem(lost, name + " was logged out after click " + confirmed);
                confirmed = 0;
                unknown = 0;
                unanswered = Unanswered.NONE;
                if (!loginAgain(browser)) {
                    return;
                }
            } catch (Browser.Refused e) {
                problem(failures, name + ": " + e);
            } catch (IOException e) {
                problem(failures, name + ": " + e);
                unknown++;
                unanswered = unanswered.andOne(confirmed);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Between two clicks, refused ones too; false: there is to be none. */
    private boolean thinks() {
        try {
            TimeUnit.NANOSECONDS.sleep(THINK.toNanos());
            return running;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /**
     * Requests of one user that got no answer, and may be at work still: each may set the count back once, when it ends.
     *
     * @param count so many of them
     * @param read the least count that any of them may have read
     * @param until no request works for longer
     */
    private record Unanswered(int count, int read, Instant until) {
        private static final Unanswered NONE = new Unanswered(0, Integer.MAX_VALUE, Instant.MIN);
        private static final Duration LONGEST = Duration.ofSeconds(30);

        private Unanswered andOne(int confirmed) {
            var now = Instant.now();
            var working = now.isBefore(until) ? this : NONE;
            return new Unanswered(working.count + 1, Math.min(working.read, confirmed), now.plus(LONGEST));
        }

        private Unanswered lessOne() {
            return count > 1 ? new Unanswered(count - 1, read, until) : NONE;
        }

        private boolean mayHaveWritten(int clicks) {
            return clicks > read && Instant.now().isBefore(until);
        }
    }

    /** Returns those that may be at work still after this answer. */
    private Unanswered check(String name, Browser.Click click, int confirmed, int unknown, Unanswered unanswered) {
        if (!click.user().equals(name)) {
            problem(corrupt, name + " was taken for " + click.user());
        } else if (click.clicks() <= confirmed && unanswered.mayHaveWritten(click.clicks())) {
            raced.incrementAndGet();
            return unanswered.lessOne();
        } else if (click.clicks() <= confirmed) {
            problem(stale, name + " saw click " + click.clicks() + " after " + confirmed + " on " + click.pod());
        } else if (click.clicks() > confirmed + 1 + unknown) {
            problem(corrupt, name + " saw click " + click.clicks() + " after " + confirmed + " on " + click.pod());
        }
        return unanswered;
    }

    private boolean loginAgain(Browser browser) {
        try {
            browser.login();
            return true;
        } catch (IOException e) {
            problem(failures, "login: " + e);
            return running;
        } catch (InterruptedException e) {
            return false;
        }
    }

    private void problem(AtomicLong counter, String what) {
        counter.incrementAndGet();
        var first = counter == failures ? firstFailure : firstWrong;
        first.compareAndSet("", Instant.now() + " " + what);
    }

    /** A wrong answer says more than none. */
    private String firstProblem() {
        String wrong = Objects.requireNonNull(firstWrong.get());
        return wrong.isEmpty() ? Objects.requireNonNull(firstFailure.get()) : wrong;
    }

    @Override
    public String toString() {
        return "load of " + users.size() + " users on " + base;
    }
}
