package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.sojourn.agent.client.Changes;
import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.session.Generation;
import java.lang.ref.ReferenceQueue;
import java.util.List;
import java.util.Objects;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.session.StandardManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The collector must be able to find that nobody holds what this JVM has let go of. */
class ForgottenTest {
    private static final class Counting extends Forgotten.Left {
        int times;

        Counting(SojournSession session) {
            super(session, new ReferenceQueue<>());
        }

        @Override
        public @Nullable SojournSession get() {
            times++;
            return super.get();
        }
    }

    @Test
    void aCopyIsAskedForOnlyWhereSomebodyComesForIt() throws Exception {
        var manager = new SojournManager(Managed.services(""), new StandardManager());
        var context = new StandardContext();
        context.setName("/test");
        context.setPath("/test");
        manager.setContext(context);
        var opened = new Opened(1, 0, 0, 1_800, new Changes(false, List.of()));
        SojournSession session =
                Objects.requireNonNull(manager.adoption().adopt("id", Generation.FIRST, opened, false));
        var forgotten = new Forgotten();
        var left = new Counting(session);
        forgotten.keep(left);
        forgotten.tidy();
        assertEquals(0, left.times);
        assertSame(session, forgotten.take(session.state().name()));
        assertEquals(1, left.times);
    }
}
