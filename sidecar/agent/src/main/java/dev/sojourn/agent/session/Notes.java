package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.client.Sidecar;
import dev.sojourn.agent.core.Log;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What whoever runs the cluster should know about attributes: each thing once, in the log and through the sidecar. */
final class Notes {
    enum Kind {
        UNSERIALIZABLE("unserializable"),
        UNREADABLE("unreadable"),
        REFUSED("refused"),
        LARGE("large");

        private final String word;

        Kind(String word) {
            this.word = word;
        }
    }

    private static final class Note {
        final Kind kind;
        final String context;
        final String attribute;
        final String className;

        Note(Kind kind, String context, String attribute, String className) {
            this.kind = kind;
            this.context = context;
            this.attribute = attribute;
            this.className = className;
        }
    }

    // Applications put numbers into their attributes' names: neither the heap nor the metrics must grow with them.
    private static final int REMEMBERED = 1_000;
    /** As the sidecar calls those that it tells apart no more. */
    private static final String OTHER = "other";

    private final Sidecar sidecar;
    private final Set<String> said = ConcurrentHashMap.newKeySet();
    private final Queue<Note> unsent = new ConcurrentLinkedQueue<>();

    Notes(Sidecar sidecar) {
        this.sidecar = sidecar;
    }

    /** {@code line}: what it means for the application, and {@code cause} why. */
    void say(Kind kind, String context, String attribute, String className, String line, String cause) {
        String where = "context=" + context + " attribute=" + Attribute.printable(attribute) + " class=" + className;
        if (said.size() < REMEMBERED) {
            if (said.add(kind + where)) {
                Log.warn(line + ": " + where + " cause=" + cause);
                unsent.add(new Note(kind, context, attribute, className));
            }
        } else if (said.add(kind.word)) {
            Log.warn(line + ", as the last of " + REMEMBERED + " that are named: " + where + " cause=" + cause);
            unsent.add(new Note(kind, OTHER, OTHER, OTHER));
        }
    }

    /** To be called while the sidecar answers, and by no request: nobody waits for these. */
    void send() {
        for (Note note = unsent.peek(); note != null; note = unsent.peek()) {
            try {
                sidecar.note(note.kind.word, note.context, note.attribute, note.className);
            } catch (Refusal e) {
                if (e.later()) {
                    return;
                }
            }
            unsent.poll();
        }
    }
}
