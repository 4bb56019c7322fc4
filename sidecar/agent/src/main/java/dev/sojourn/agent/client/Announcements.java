package dev.sojourn.agent.client;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.wire.Reply;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/** Listens on the sidecar's channel until the connection breaks; to be run again then. */
public final class Announcements implements Runnable {
    private static final int SLICE = 1 << 10;
    private static final String EXPIRED = "expired ";
    private static final String ENDED = "ended ";
    private static final String MISSED = "missed";

    private final Address address;
    private final Runnable onDrain;
    private final Consumer<String> onExpired;
    private final Consumer<String> onEnded;
    private final Runnable onMissed;
    private final NextLook nextLook = new NextLook();

    /**
     * {@code onExpired} takes a session's name, {@code onEnded} its digest, and that of the name under which it goes on, if it does. {@code onMissed}: of some
     * ends nobody may have told. All must return at once: the next message may be more urgent.
     */
    public Announcements(
            Address address,
            Runnable onDrain,
            Consumer<String> onExpired,
            Consumer<String> onEnded,
            Runnable onMissed) {
        this.address = address;
        this.onDrain = onDrain;
        this.onExpired = onExpired;
        this.onEnded = onEnded;
        this.onMissed = onMissed;
    }

    @Override
    public void run() {
        run(System.nanoTime());
    }

    void run(long now) {
        if (!nextLook.isDue(now)) {
            return;
        }
        try (Connection connection = new Connection(address, SLICE)) {
            connection.greet();
            Asks.subscribe(connection.encoder);
            connection.exchange();
            onMissed.run();
            while (true) {
                List<Reply> message = connection.await().elements();
                if (message.size() == 3) {
                    heard(message.get(2).text());
                }
            }
        } catch (IOException e) {
            nextLook.failed(now, e);
            Log.debug("not subscribed to the sidecar: " + e);
        }
    }

    void heard(String payload) {
        if (payload.equals("drain")) {
            onDrain.run();
        } else if (payload.startsWith(EXPIRED)) {
            onExpired.accept(payload.substring(EXPIRED.length()));
        } else if (payload.startsWith(ENDED)) {
            onEnded.accept(payload.substring(ENDED.length()));
        } else if (payload.equals(MISSED)) {
            onMissed.run();
        }
        // Anything else is of a newer sidecar, for newer agents.
    }
}
