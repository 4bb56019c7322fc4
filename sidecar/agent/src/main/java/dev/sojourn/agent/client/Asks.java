package dev.sojourn.agent.client;

import dev.sojourn.agent.wire.RequestEncoder;
import java.util.List;

/** The requests, one method each, in the order of the protocol's table. */
public final class Asks {
    private static final String PASSIVE = "PASSIVE";

    private Asks() {}

    /** {@code passive}: it is no access. */
    public static void open(RequestEncoder to, String session, long held, boolean passive) {
        // Of a session that is not held there is nothing that a delta could be applied to.
        boolean patch = held > 0;
        to.begin(4 + (patch ? 1 : 0) + (passive ? 1 : 0))
                .bulk("SJ.OPEN")
                .bulk(session)
                .bulk(held);
        if (patch) {
            to.bulk("PATCH");
        }
        to.bulk("TICKET");
        if (passive) {
            to.bulk(PASSIVE);
        }
    }

    /** {@code passive}: it is no access. */
    public static void openExclusive(RequestEncoder to, String session, long held, boolean passive) {
        to.begin(passive ? 5 : 4).bulk("SJ.OPEN").bulk(session).bulk(held).bulk("EXCLUSIVE");
        if (passive) {
            to.bulk(PASSIVE);
        }
    }

    public static void commit(RequestEncoder to, String session, CommitTerms terms, List<Change> changes) {
        boolean locked = terms.lock != Opened.NO_LOCK;
        int elements = 5 + (locked ? 2 : 0) + (terms.passive ? 1 : 0);
        for (Change change : changes) {
            elements += change.value == null && change.deltas == null ? 2 : 3;
        }
        to.begin(elements)
                .bulk("SJ.COMMIT")
                .bulk(session)
                .bulk(terms.base)
                .bulk(terms.idle)
                .bulk(terms.created);
        if (locked) {
            to.bulk("LOCK").bulk(terms.lock);
        }
        if (terms.passive) {
            to.bulk(PASSIVE);
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

    /** {@code follow}: it ends under whatever name it goes on. */
    public static void end(RequestEncoder to, String session, boolean follow) {
        to.begin(follow ? 3 : 2).bulk("SJ.END").bulk(session);
        if (follow) {
            to.bulk("FOLLOW");
        }
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
