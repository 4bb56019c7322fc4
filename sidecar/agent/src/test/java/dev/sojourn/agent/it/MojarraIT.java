package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** JSF and Wicket themselves: pages go on without any setting, and a group keeps what the framework or an application shares. */
class MojarraIT extends TwoNodes implements JsfCases, WicketCases {
    /** As docs/using.md has them. */
    private static final String GROUPS = "group=com.sun.faces.*,WELD_S#*;wicket:*,Wicket:*";

    MojarraIT() {
        super("mojarra", new FrameworksTomcat("org.glassfish:jakarta.faces:4.0.11"));
    }

    @Override
    String settings() {
        return "patience=1s";
    }

    @Test
    void withGroupsWhatIsOneObjectStaysOne() throws Exception {
        TomcatNode c = pods().tomcat("c", daemonA().socket, Release.THIS, GROUPS);
        TomcatNode d = pods().tomcat("d", daemonA().socket, Release.THIS, GROUPS);
        List<TomcatNode> nodes = List.of(c.awaitStarted(), d.awaitStarted(), c, d);
        Page page = new Page(user().path(c, JsfCases.FORM));
        for (TomcatNode node : nodes) {
            page = JsfCases.clicked(user(), node, page, "x");
            assertEquals("true", page.text("same"), "the view's bean holds an object of the session's");
        }
        Browser other = new Browser();
        WicketCases.WicketUser wicket = new WicketCases.WicketUser(other, d, c);
        wicket.get(WicketCases.HOME);
        wicket.send("y");
        wicket.send("z");
        other.get(d, "op=invalidate");
        assertTrue(d.logged().contains("invalidated [y, z]"), "Wicket's session was told as it was at first");
    }
}
