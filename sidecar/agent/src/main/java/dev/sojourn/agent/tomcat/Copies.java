package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.Config;
import dev.sojourn.agent.core.Log;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.apache.catalina.Container;
import org.apache.catalina.Context;
import org.apache.catalina.Host;
import org.apache.catalina.Session;
import org.jspecify.annotations.Nullable;

/** Which copies of sessions this JVM keeps. It ends only what the store never knew. */
final class Copies {
    /** How long a copy outlives its idle time: its end will be announced, and the listeners then find it here. */
    private static final long GRACE_MILLIS = 60_000;

    private Copies() {}

    /** Forgets those that are not needed any more, and of too many those that were not used for the longest. */
    static void tidy(Session[] sessions, Context context, Config config) {
        long idleSince =
                isUndeployedWithout(context) ? Long.MIN_VALUE : System.currentTimeMillis() - config.memoryIdleMillis;
        boolean isTooMany = sessions.length > config.memorySessions;
        List<SojournSession> spare = new ArrayList<>();
        for (Session session : sessions) {
            attempt((SojournSession) session, context, held -> {
                held.state().giveBackLeft();
                if (!leaves(held)
                        && (isTooMany || held.lastUsed() < idleSince)
                        && held.state().isEvictable()) {
                    spare.add(held);
                }
            });
        }
        long oldest = Math.max(idleSince, lastOf(spare, spare.size() - config.memorySessions));
        for (SojournSession held : spare) {
            if (held.lastUsed() < oldest) {
                attempt(held, context, SojournSession::forget);
            }
        }
    }

    /** Whether it is no spare one, because it is over, which this sees to, or in use. */
    private static boolean leaves(SojournSession held) {
        if (held.naming().leaveIfOver() || held.state().isInUse()) {
            return true;
        }
        if (held.state().version() == 0) {
            judge(held);
            return true;
        }
        if (!held.isIdleTooLong(GRACE_MILLIS)) {
            return false;
        }
        // Asking would count as a use. What cannot leave this JVM goes too: nobody came for it in time.
        if (held.state().isIdle()) {
            try {
                held.forget();
            } finally {
                // Also where it was not told in order that it leaves: it is not looked at again.
                if (!held.isWanted()) {
                    held.unbindLocal();
                }
            }
        }
        return true;
    }

    /** One that needs more memory than there is must not take it from all others, nor from what Tomcat does after this. */
    static void attempt(SojournSession held, Context context, Consumer<SojournSession> step) {
        try {
            step.accept(held);
        } catch (Throwable e) {
            // Its turn comes every few seconds, and so may that of many.
            Log.warnOnce("a session could not leave this JVM in order, the others go on", context.getName(), e);
        }
    }

    /** The container undeploys an old version of an application once it finds none of its sessions in memory. */
    private static boolean isUndeployedWithout(Context context) {
        String version = context.getWebappVersion();
        Container host = context.getParent();
        return version != null && !version.isEmpty() && host instanceof Host && ((Host) host).getUndeployOldVersions();
    }

    /** When the one after the {@code many} that were not used for the longest was used. */
    private static long lastOf(List<SojournSession> spare, int many) {
        if (many <= 0) {
            return Long.MIN_VALUE;
        }
        long[] used = new long[spare.size()];
        for (int i = 0; i < used.length; i++) {
            used[i] = spare.get(i).lastUsed();
        }
        Arrays.sort(used);
        return many < used.length ? used[many] : Long.MAX_VALUE;
    }

    /** The store does not know it yet: this JVM is the judge, as in an ordinary Tomcat. */
    static @Nullable SojournSession judge(SojournSession held) {
        if (held.isIdleTooLong(0)) {
            held.expire(true);
            return null;
        }
        return held;
    }

    /** The store does not have it any more: whoever ended it has told the listeners, or is about to. Or it has it under a name that nobody tells. */
    static void vanished(@Nullable SojournSession held, String name) {
        SojournSession gone = named(held, name);
        if (gone == null) {
            return;
        }
        if (!gone.naming().goesOnElsewhere()) {
            gone.discard();
        } else if (named(gone, name) != null) {
            gone.naming().leave();
        }
    }

    /**
     * Null where it was given another name meanwhile: it goes on under that one, and the request that gave it is at work on it. Who came with the old
     * id must not have it a second time in one request after the store said that it is not there.
     */
    static @Nullable SojournSession named(@Nullable SojournSession held, String name) {
        return held != null && held.state().name().equals(name) ? held : null;
    }

    /** Nobody else can judge now. It is not ended in the store: it may be in use on another pod. */
    static @Nullable SojournSession unanswered(@Nullable SojournSession held) {
        if (held != null && held.isIdleTooLong(0)) {
            held.discard();
            return null;
        }
        return held;
    }
}
