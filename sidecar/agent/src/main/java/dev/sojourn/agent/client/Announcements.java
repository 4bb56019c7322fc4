package dev.sojourn.agent.client;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.wire.Reply;
import java.io.IOException;
import java.util.List;

/** Listens on the sidecar's channel until the connection breaks; to be run again then. */
public final class Announcements implements Runnable {
    private final Address address;
    private final Runnable onDrain;

    public Announcements(Address address, Runnable onDrain) {
        this.address = address;
        this.onDrain = onDrain;
    }

    @Override
    public void run() {
        try (Connection connection = new Connection(address)) {
            Asks.subscribe(connection.encoder);
            connection.exchange();
            while (true) {
                List<Reply> message = connection.await().elements();
                if (message.size() == 3 && message.get(2).text().equals("drain")) {
                    onDrain.run();
                }
            }
        } catch (IOException e) {
            Log.debug("not subscribed to the sidecar: " + e);
        }
    }
}
