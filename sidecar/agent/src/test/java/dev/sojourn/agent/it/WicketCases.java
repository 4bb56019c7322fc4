package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pages of Wicket that the application keeps in the session, each request on another node than the one before. */
interface WicketCases extends Nodes {
    String HOME = "/app/wicket/";

    @Test
    default void everyRequestFindsThePageThatWasChangedOnTheOtherNode() throws Exception {
        WicketUser user = new WicketUser(user(), a(), b());
        user.get(HOME);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < 14; i++) {
            user.send("w" + i);
            texts.add("w" + i);
            assertEquals(texts.toString(), user.page().text("page"));
            assertEquals(texts.toString(), user.page().text("session"));
        }
    }

    @Test
    default void anEarlierVersionOfAPageIsFoundOnBothNodes() throws Exception {
        WicketUser user = new WicketUser(user(), a(), b());
        user.get(HOME);
        user.send("early");
        String early = user.at();
        user.send("late");
        user.send("later");
        // Three requests each, so the second time it is on the other node.
        for (int i = 0; i < 2; i++) {
            user.get(early);
            user.send("back");
            assertEquals("[early, back]", user.page().text("page"));
        }
    }

    /** A browser that goes to the nodes in turn with every request, and follows redirects. */
    final class WicketUser {
        private final Browser browser;
        private final TomcatNode[] nodes;
        private int requests;
        private String at = "/";
        private HttpResponse<String> answer;

        WicketUser(Browser browser, TomcatNode... nodes) throws Exception {
            this.browser = browser;
            this.nodes = nodes;
            answer = browser.path(nodes[0], "/app/do?op=stateless");
        }

        private TomcatNode next() {
            return nodes[requests++ % nodes.length];
        }

        void get(String path) throws Exception {
            at = path;
            follow(browser.path(next(), at));
        }

        Page send(String text) throws Exception {
            at = resolved(page().action());
            follow(browser.post(next(), at, page().filled("text=" + text)));
            return page();
        }

        private void follow(HttpResponse<String> response) throws Exception {
            answer = response;
            for (int i = 0; i < 5 && answer.statusCode() == 302; i++) {
                at = resolved(answer.headers().firstValue("Location").orElse(""));
                answer = browser.path(next(), at);
            }
        }

        Page page() {
            return new Page(answer);
        }

        String at() {
            return at;
        }

        private String resolved(String reference) {
            return URI.create(at).resolve(reference).toString();
        }
    }
}
