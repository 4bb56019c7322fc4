package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** JSF and Wicket themselves: what goes on without any setting, and what the settings are for that docs/frameworks.md names. */
@SuppressWarnings("NullAway.Init")
class MojarraIT extends TwoNodes implements JsfCases, WicketCases {
    private static final String SET =
            "patience=5s,concurrency=exclusive,group=com.sun.faces.*,WELD_S#*;wicket:*,Wicket:*";

    private TomcatNode c;
    private TomcatNode d;

    MojarraIT() {
        super("mojarra", new FrameworksTomcat("org.glassfish:jakarta.faces:4.0.11"));
    }

    @Override
    String settings() {
        return "patience=1s";
    }

    /** For so long a request may have a session for itself, and another one waits for it. */
    @Override
    Map<String, String> daemonSettings() {
        return Map.of("SOJOURN_STORE_PATIENCE", "15s");
    }

    @BeforeAll
    void startWithSettings() throws Exception {
        c = pods().tomcat("c", daemonA().socket, Release.THIS, SET);
        d = pods().tomcat("d", pods().daemon("d").socket, Release.THIS, SET);
        c.awaitStarted();
        d.awaitStarted();
    }

    @Test
    void aBeanOfTheViewSharesAnObjectWithOneOfTheSessionInAGroup() throws Exception {
        Page page = new Page(user().path(c, JsfCases.FORM));
        for (TomcatNode node : List.of(d, c, d, c)) {
            page = JsfCases.clicked(user(), node, page, "x");
            assertEquals("true", page.text("same"));
        }
    }

    @Test
    void wicketHearsOfTheEndOfTheSessionThatThereIsInAGroup() throws Exception {
        WicketUser wicket = new WicketUser(user(), d, c);
        wicket.get(WicketCases.HOME);
        wicket.send("y");
        wicket.send("z");
        user().get(d, "op=invalidate");
        assertTrue(d.logged().contains("invalidated [y, z]"), d.logged());
    }

    @Test
    void oneRequestAtATimeLosesNoPageOfTwoTabs() throws Exception {
        Page left = new Page(user().path(c, JsfCases.FORM));
        Page right = new Page(user().path(d, JsfCases.FORM));
        WicketUser first = new WicketUser(user(), c);
        WicketUser second = new WicketUser(user(), d);
        first.get(WicketCases.HOME);
        second.get(WicketCases.HOME);
        for (int i = 1; i <= 10; i++) {
            Page before = left;
            CompletableFuture<Page> meanwhile = later(() -> JsfCases.clicked(user(), c, before, "l"));
            right = JsfCases.clicked(user(), d, right, "r");
            left = meanwhile.get(60, TimeUnit.SECONDS);
            assertEquals("l;".repeat(i), left.text("components"));
            assertEquals("r;".repeat(i), right.text("components"));

            CompletableFuture<Page> other = later(() -> first.send("l"));
            assertEquals(i, second.send("r").text("page").split("r", -1).length - 1);
            assertEquals(i, other.get(60, TimeUnit.SECONDS).text("page").split("l", -1).length - 1);
        }
    }

    private interface Click {
        Page page() throws Exception;
    }

    private static CompletableFuture<Page> later(Click click) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return click.page();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
