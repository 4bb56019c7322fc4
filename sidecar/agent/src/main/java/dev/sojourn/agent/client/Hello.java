package dev.sojourn.agent.client;

import dev.sojourn.agent.wire.BrokenReply;
import dev.sojourn.agent.wire.Reply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the sidecar tells of itself: names and values in turn, of which those that are not known here are left out. */
final class Hello {
    /** The file of the page of claims; null: there is none. */
    final @Nullable String page;
    /** The page's clock, in ns. */
    final long clock;
    /** Where a session cannot be asked for its requests are refused, whatever this JVM holds. */
    final boolean refuses;

    Hello(Reply reply) throws BrokenReply {
        String itsPage = null;
        long itsClock = 0;
        boolean itRefuses = false;
        List<Reply> properties = reply.elements();
        for (int i = 0; i + 1 < properties.size(); i += 2) {
            Reply value = properties.get(i + 1);
            switch (properties.get(i).text()) {
                case "page":
                    itsPage = value.text();
                    break;
                case "clock":
                    itsClock = value.integer();
                    break;
                case "outage":
                    itRefuses = value.text().equals("Refuse");
                    break;
                default:
                // For people, or for clients to come.
            }
        }
        page = itsPage;
        clock = itsClock;
        refuses = itRefuses;
    }
}
