package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Change;
import dev.sojourn.agent.client.CommitTerms;
import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.client.Sidecar;
import java.nio.charset.StandardCharsets;
import java.util.Collections;

/**
 * Where applications share a cookie, one id may have one session after another in one of them. A name that has ended stays ended, so that nothing of the old
 * session comes back: each later one has a name of its own, by its number, and which was the last is told beside them, in a note: a session that nobody uses
 * and nobody hears of. Almost always there is but the first, whose number is 0.
 */
public final class Generations {
    /** What each session is called after its first name. No id of Tomcat's has this in it. */
    private static final char MARK = '\n';

    /** In bytes; more than any number needs. */
    public static final int ROOM = 20;

    /** Of what tells which was the last. */
    private static final String LAST = "\0generation";

    /** More are tried only where a store has lost which was the last. */
    private static final int TRIES = 16;

    private static final long MINUTE = 60_000;
    /** So many have numbers of one minute. */
    private static final long EACH_MINUTE = 1_024;

    private final Sidecar sidecar;
    private final Backlog backlog;

    public Generations(Sidecar sidecar, Backlog backlog) {
        this.sidecar = sidecar;
        this.backlog = backlog;
    }

    /** {@code first}: the name of the first one. */
    public static String name(String first, long generation) {
        return generation == 0 ? first : first + MARK + generation;
    }

    static boolean isOneOf(String first, String name) {
        return name.startsWith(first) && (name.length() == first.length() || name.charAt(first.length()) == MARK);
    }

    /** Whether an announced id is that of a note, and of no session. */
    public static boolean isNote(String told) {
        return told.length() > 0 && told.charAt(told.length() - 1) == MARK;
    }

    /** Of an announced id: that without its number. */
    public static String idOf(String told) {
        int mark = told.indexOf(MARK);
        return mark < 0 ? told : told.substring(0, mark);
    }

    /** Of an announced id. */
    public static long numberOf(String told) {
        int mark = told.indexOf(MARK);
        return mark < 0 ? 0 : number(told.substring(mark + 1));
    }

    /** The last that there was, whether it is over or not. */
    public long last(String first) throws Refusal {
        Opened note = sidecar.open(first + MARK, 0, false);
        return note == null ? 0 : last(note);
    }

    private static long last(Opened note) {
        for (Change change : note.changes.list) {
            if (change.name.equals(LAST) && change.value != null) {
                return number(new String(change.value, StandardCharsets.US_ASCII));
            }
        }
        return 0;
    }

    /**
     * Creates the next session, without attributes, or finds one that lives. Where nobody answers, and the end of one is still to be told, it is one that is
     * created and told of later: what is called as that one would end with it.
     */
    public Generation begin(String first, int idle, long created) throws Refusal {
        try {
            return beginNext(first, idle, created);
        } catch (Refusal e) {
            if (e.why == Refusal.Why.GONE || !backlog.isEndingAnyOf(first)) {
                throw e;
            }
            Generation next = after(Generation.FIRST, created);
            while (backlog.isEnding(name(first, next.number))) {
                next = after(next, created);
            }
            return next;
        }
    }

    private Generation beginNext(String first, int idle, long created) throws Refusal {
        Generation generation = Generation.of(last(first));
        CommitTerms terms = new CommitTerms(0, idle, created, Opened.NO_LOCK, false);
        for (int i = 1; ; i++) {
            String name = name(first, generation.number);
            // Its user has logged out, and the store may not know: it is as good as gone.
            if (!backlog.isEnding(name)) {
                try {
                    sidecar.commit(name, terms, Collections.emptyList());
                    return generation;
                } catch (Refusal e) {
                    if (e.why != Refusal.Why.GONE || i >= TRIES) {
                        throw e;
                    }
                }
            }
            generation = after(generation, created);
            tell(first, generation, idle, created);
        }
    }

    /** Of a session that is in use: what tells of it goes on for as long. */
    public void keep(String first, Generation generation, int idle, long created) throws Refusal {
        long now = System.currentTimeMillis();
        if (!generation.isDue(idle, now)) {
            return;
        }
        int seconds = Generation.keptFor(idle);
        Opened note = sidecar.open(first + MARK, 0, false);
        long last = note == null ? 0 : last(note);
        if (last < generation.number
                || last == generation.number && note != null && Generation.isShorter(note.idle, seconds)) {
            tell(first, generation, idle, created);
        } else {
            // To ask for it was a use of it. A later one than this takes its user away from here anyhow.
            generation.told(seconds, now);
        }
    }

    /**
     * The next one, begun then. The second is the same for all who begin it at once, and another one than any that was begun before a store lost which was
     * the last: that one may live, and whoever has logged out since must not be given it.
     */
    private static Generation after(Generation generation, long created) {
        return new Generation(generation.number == 0 ? created / MINUTE * EACH_MINUTE + 1 : generation.number + 1);
    }

    /** Before the session is there: who finds it needs to know where to look. */
    private void tell(String first, Generation generation, int idle, long created) throws Refusal {
        byte[] number = Long.toString(generation.number).getBytes(StandardCharsets.US_ASCII);
        int seconds = Generation.keptFor(idle);
        CommitTerms terms = new CommitTerms(0, seconds, created, Opened.NO_LOCK, false);
        sidecar.commit(first + MARK, terms, Collections.singletonList(new Change(LAST, number)));
        generation.told(seconds, System.currentTimeMillis());
    }

    private static long number(String text) {
        try {
            return Math.max(0, Long.parseLong(text));
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
