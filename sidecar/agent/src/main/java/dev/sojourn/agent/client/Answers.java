package dev.sojourn.agent.client;

import dev.sojourn.agent.wire.BrokenReply;
import dev.sojourn.agent.wire.Reply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the replies mean. */
public final class Answers {
    /** No attribute: the mark that what follows is not what changed, but all there is. */
    private static final String WHOLE = "\0";

    interface Tickets {
        /** Null: it says nothing here. */
        @Nullable
        Ticket of(long number);
    }

    private Answers() {}

    /** Of {@code SJ.OPEN} and {@code SJ.REAP}; {@code tickets}: the page that a ticket is of. */
    public static @Nullable Opened opened(Reply reply, Tickets tickets) throws BrokenReply {
        return opened(reply, (last, fields) -> open(fields, Opened.NO_LOCK, tickets.of(last)));
    }

    /** Of nothing that was asked for: {@link News}; null: of a newer sidecar, for newer agents. */
    static @Nullable News news(List<Reply> message, Tickets tickets) throws BrokenReply {
        if (message.size() != 3 || !message.get(0).text().equals("news")) {
            return null;
        }
        Opened opened = opened(message.get(2), tickets);
        return opened == null ? null : new News(message.get(1).integer(), opened);
    }

    /** Of {@code SJ.OPEN ... EXCLUSIVE}. */
    public static @Nullable Opened locked(Reply reply) throws BrokenReply {
        return opened(reply, (last, fields) -> open(fields, last, null));
    }

    private interface Last {
        Opened with(long last, List<Reply> fields) throws BrokenReply;
    }

    private static @Nullable Opened opened(Reply reply, Last how) throws BrokenReply {
        if (reply.isNull()) {
            return null;
        }
        List<Reply> fields = fields(reply, 5);
        return how.with(fields.size() > 5 ? fields.get(5).integer() : 0, fields);
    }

    private static Opened open(List<Reply> fields, long lock, @Nullable Ticket ticket) throws BrokenReply {
        return new Opened(
                fields.get(0).integer(),
                fields.get(1).integer(),
                fields.get(2).integer(),
                (int) fields.get(3).integer(),
                changes(fields.get(4)),
                lock,
                ticket);
    }

    public static Committed committed(Reply reply) throws BrokenReply {
        List<Reply> fields = fields(reply, 2);
        return new Committed(fields.get(0).integer(), changes(fields.get(1)));
    }

    public static Refusal refusal(Reply reply) {
        String text;
        try {
            text = reply.text();
        } catch (BrokenReply e) {
            text = String.valueOf(e.getMessage());
        }
        int space = text.indexOf(' ');
        String code = space < 0 ? text : text.substring(0, space);
        switch (code) {
            case "GONE":
                return new Refusal(Refusal.Why.GONE, text);
            case "UNAVAILABLE":
                return new Refusal(Refusal.Why.UNAVAILABLE, text);
            case "TOOLARGE":
                return new Refusal(Refusal.Why.TOO_LARGE, text);
            case "MISSING":
                return new Refusal(Refusal.Why.MISSING, text);
            case "BUSY":
                return new Refusal(Refusal.Why.BUSY, text);
            default:
                return new Refusal(Refusal.Why.WRONG, text);
        }
    }

    private static Change change(String name, Reply value) throws BrokenReply {
        if (value.kind != Reply.Kind.ARRAY) {
            return new Change(name, value.bytes());
        }
        List<byte[]> deltas = new ArrayList<>();
        for (Reply delta : value.elements()) {
            byte[] bytes = delta.bytes();
            if (bytes == null) {
                throw new BrokenReply("a delta without bytes");
            }
            deltas.add(bytes);
        }
        return Change.by(name, deltas);
    }

    private static List<Reply> fields(Reply reply, int count) throws BrokenReply {
        List<Reply> fields = reply.elements();
        if (fields.size() < count) {
            throw new BrokenReply(fields.size() + " fields instead of " + count);
        }
        return fields;
    }

    private static Changes changes(Reply reply) throws BrokenReply {
        List<Reply> flat = reply.elements();
        if (flat.size() % 2 != 0) {
            throw new BrokenReply("an attribute without a value");
        }
        List<Change> changes = new ArrayList<>(flat.size() / 2);
        boolean whole = false;
        for (int i = 0; i < flat.size(); i += 2) {
            String name = flat.get(i).text();
            if (name.equals(WHOLE)) {
                whole = true;
            } else {
                changes.add(change(name, flat.get(i + 1)));
            }
        }
        return new Changes(whole, changes);
    }
}
