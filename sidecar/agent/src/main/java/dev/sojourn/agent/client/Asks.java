package dev.sojourn.agent.client;

import dev.sojourn.agent.wire.RequestEncoder;
import java.util.List;

/** The requests, one method each, in the order of the protocol's table. */
public final class Asks {
    private Asks() {}

    public static void open(RequestEncoder to, String session, long held) {
        // Of a session that is not held there is nothing that a delta could be applied to.
        to.begin(held == 0 ? 4 : 5).bulk("SJ.OPEN").bulk(session).bulk(held);
        if (held > 0) {
            to.bulk("PATCH");
        }
        to.bulk("TICKET");
    }

    public static void openExclusive(RequestEncoder to, String session, long held) {
        to.begin(4).bulk("SJ.OPEN").bulk(session).bulk(held).bulk("EXCLUSIVE");
    }

    /** {@code lock}: {@link Opened#NO_LOCK}, or the one that this session was opened with. */
    public static void commit(
            RequestEncoder to, String session, long base, int idle, long created, long lock, List<Change> changes) {
        int elements = lock == Opened.NO_LOCK ? 5 : 7;
        for (Change change : changes) {
            elements += change.value == null && change.deltas == null ? 2 : 3;
        }
        to.begin(elements).bulk("SJ.COMMIT").bulk(session).bulk(base).bulk(idle).bulk(created);
        if (lock != Opened.NO_LOCK) {
            to.bulk("LOCK").bulk(lock);
        }
        for (Change change : changes) {
            byte[] value = change.value;
            if (change.deltas != null) {
                to.bulk("PATCH").bulk(change.name).bulk(change.deltas.get(0));
            } else if (value == null) {
                to.bulk("DEL").bulk(change.name);
            } else {
                to.bulk("SET").bulk(change.name).bulk(value);
            }
        }
    }

    public static void unlock(RequestEncoder to, String session, long lock) {
        to.begin(3).bulk("SJ.UNLOCK").bulk(session).bulk(lock);
    }

    public static void touch(RequestEncoder to, String session) {
        to.begin(2).bulk("SJ.TOUCH").bulk(session);
    }

    public static void end(RequestEncoder to, String session) {
        to.begin(2).bulk("SJ.END").bulk(session);
    }

    public static void rename(RequestEncoder to, String session, String renamed, long base) {
        to.begin(4).bulk("SJ.RENAME").bulk(session).bulk(renamed).bulk(base);
    }

    public static void reap(RequestEncoder to, String session) {
        to.begin(2).bulk("SJ.REAP").bulk(session);
    }

    public static void note(RequestEncoder to, String kind, String context, String attribute, String className) {
        to.begin(5).bulk("SJ.NOTE").bulk(kind).bulk(context).bulk(attribute).bulk(className);
    }

    public static void hello(RequestEncoder to) {
        to.begin(1).bulk("HELLO");
    }

    public static void ping(RequestEncoder to) {
        to.begin(1).bulk("PING");
    }

    public static void subscribe(RequestEncoder to) {
        to.begin(2).bulk("SUBSCRIBE").bulk("sojourn");
    }
}
