package dev.sojourn.bench.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * So many users, each sending its next request when the last one is answered: a closed loop on one thread. A run begins and ends with nothing
 * outstanding, so what the servers used meanwhile belongs to the requests that were counted.
 */
public final class Load implements AutoCloseable {
    private static final long TIMEOUT = Duration.ofSeconds(20).toNanos();
    private static final String END = "/app/state?end=1";

    private final Selector selector = Selector.open();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 18);
    private final List<User> users = new ArrayList<>();
    private final Random random;
    private final int nodes;
    private final Routing routing;
    private final Script script;
    private final List<Outcome> outcomes = new ArrayList<>();
    private Outcome outcome = new Outcome();
    private boolean ending;
    private int outstanding;

    /** @param seed the same one for each variant: the same users go the same ways */
    public Load(List<InetSocketAddress> nodes, int users, Routing routing, Script script, long seed)
            throws IOException {
        this.nodes = nodes.size();
        this.routing = routing;
        this.script = script;
        random = new Random(seed);
        for (int i = 0; i < users; i++) {
            this.users.add(new User(i, nodes));
        }
    }

    public Outcome run(Duration period) throws IOException {
        begin();
        long end = System.nanoTime() + period.toNanos();
        return run(end, Long.MAX_VALUE);
    }

    public Outcome run(long requests) throws IOException {
        begin();
        return run(Long.MAX_VALUE, requests);
    }

    /** Of all runs so far, measured or not, and of the sessions' end: a session that is wrong only when it begins is wrong. */
    public List<Outcome> outcomes() {
        return outcomes;
    }

    private void begin() {
        outcome = new Outcome();
        outcomes.add(outcome);
    }

    private Outcome run(long end, long requests) throws IOException {
        long began = System.nanoTime();
        long checked = began;
        long sent = 0;
        while (true) {
            long now = System.nanoTime();
            if (now < end && !hopeless()) {
                for (User user : users) {
                    if (!user.waiting && sent < requests) {
                        send(user);
                        sent++;
                    }
                }
            }
            if (outstanding == 0 && !expectsMore()) {
                break;
            }
            selector.select(key -> proceed(key), 100);
            if (now - checked > 1_000_000_000L) {
                checked = now;
                expire(now);
            }
        }
        outcome.ended(System.nanoTime() - began);
        return outcome;
    }

    private boolean expectsMore() {
        return users.stream().flatMap(user -> user.connections.stream()).anyMatch(Connection::expectsMore);
    }

    /** A variant that answers nothing but errors need not be asked to the end of the period. */
    private boolean hopeless() {
        return outcome.count(Verdict.FAILED) > 500 && 2 * outcome.count(Verdict.FAILED) > outcome.requests();
    }

    /** Looks at all of the sessions once more and ends them, so that they do not lie in the servers' memory when the next cell is measured. */
    public Outcome end() throws IOException {
        ending = true;
        begin();
        for (User user : users) {
            if (user.hasSession()) {
                transmit(user, user.current, END);
            }
        }
        return run(Long.MIN_VALUE, 0);
    }

    private void send(User user) {
        int node = routing.next(user.index, user.requests, nodes, random);
        user.stamp = Expectation.stamp(user.index, ++user.requests);
        transmit(user, user.connections.get(node), script.target(user.stamp));
    }

    private void transmit(User user, Connection to, String target) {
        user.current = to;
        user.waiting = true;
        outstanding++;
        user.sentAt = System.nanoTime();
        try {
            to.send(selector, user, user.request(target));
        } catch (IOException e) {
            failed(user, e.toString());
        }
    }

    private void proceed(SelectionKey key) {
        User user = (User) key.attachment();
        if (!user.waiting || !user.current.is(key)) {
            unasked(user, key);
            return;
        }
        try {
            Response response = user.current.proceed(buffer, script.early() && !ending);
            if (response != null) {
                answered(user, response);
            }
        } catch (IOException e) {
            failed(user, e.toString());
        }
    }

    /** The rest of an answer, or the end of a connection that was idle for too long. */
    private void unasked(User user, SelectionKey key) {
        for (Connection connection : user.connections) {
            if (!connection.is(key)) {
                continue;
            }
            if (!connection.expectsMore()) {
                close(connection);
                return;
            }
            try {
                connection.proceed(buffer, false);
            } catch (IOException e) {
                torn(user, connection, e.toString());
            }
            return;
        }
        throw new IllegalStateException("no connection of user " + user.index + " has " + key);
    }

    /** An answer without its rest: what was asked since then, elsewhere, is none the worse for it. */
    private void torn(User user, Connection connection, String why) {
        outcome.explain(connection + ": the rest of an answer: " + why);
        outcome.add(Verdict.FAILED, System.nanoTime() - user.sentAt);
        close(connection);
    }

    private void answered(User user, Response response) {
        long latency = System.nanoTime() - user.sentAt;
        boolean redirect = response.status() == 302;
        if (response.status() != 200 && !redirect) {
            outcome.explain(user.current + " answered " + response.status() + ": " + firstLine(response.body()));
            outcome.add(Verdict.FAILED, latency);
            user.expectation.failed();
        } else {
            outcome.add(
                    ending
                            ? user.expectation.checkEnd(response.body())
                            : script.check(
                                    user.expectation,
                                    user.stamp,
                                    redirect ? answerIn(response.location()) : response.body(),
                                    response.length()),
                    latency);
        }
        user.keep(response.cookies());
        user.waiting = false;
        outstanding--;
    }

    private static String answerIn(String location) {
        return URLDecoder.decode(location.substring(location.indexOf('=') + 1), StandardCharsets.US_ASCII);
    }

    private static String firstLine(String body) {
        return body.replaceAll("<[^>]*>", " ").strip().lines().findFirst().orElse("");
    }

    private void failed(User user, String why) {
        outcome.explain(user.current + ": " + why);
        outcome.add(Verdict.FAILED, System.nanoTime() - user.sentAt);
        user.expectation.failed();
        user.waiting = false;
        outstanding--;
        close(user.current);
    }

    private void close(Connection connection) {
        try {
            connection.close();
        } catch (IOException e) {
            outcome.explain(e.toString());
        }
    }

    private void expire(long now) {
        for (User user : users) {
            if (now - user.sentAt <= TIMEOUT) {
                continue;
            }
            if (user.waiting) {
                failed(user, "no answer within 20 s");
            }
            user.connections.stream()
                    .filter(Connection::expectsMore)
                    .forEach(connection -> torn(user, connection, "not there within 20 s"));
        }
    }

    @Override
    public void close() throws IOException {
        for (User user : users) {
            for (Connection connection : user.connections) {
                connection.close();
            }
        }
        selector.close();
    }
}
