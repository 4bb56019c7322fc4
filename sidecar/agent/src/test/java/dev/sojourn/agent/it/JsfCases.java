package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Forms of JSF whose state is on the server, each click on another node than the one before. */
interface JsfCases extends Nodes {
    String FORM = "/app/form.xhtml";

    @Test
    default void everyClickFindsWhatWasChangedOnTheOtherNode() throws Exception {
        Page page = new Page(user().path(a(), FORM));
        List<String> texts = new ArrayList<>();
        StringBuilder components = new StringBuilder();
        for (int i = 0; i < 14; i++) {
            page = clicked(user(), i % 2 == 0 ? b() : a(), page, "t" + i);
            texts.add("t" + i);
            components.append("t").append(i).append(';');
            assertEquals(texts.toString(), page.text("view"), "the view's bean");
            assertEquals(texts.toString(), page.text("session"), "the session's bean");
            assertEquals(components.toString(), page.text("components"), "the tree of components");
        }
    }

    @Test
    default void aBeanWithAQualifiedEventAndInstanceGoesOnWithThem() throws Exception {
        Page page = new Page(user().path(a(), FORM));
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            page = clicked(user(), i % 2 == 0 ? b() : a(), page, "t" + i);
            texts.add("t" + i);
            assertEquals(texts.toString(), page.text("heard"));
        }
    }

    @Test
    default void anEarlierPageIsFoundOnBothNodesAsItWas() throws Exception {
        Page early = clicked(user(), b(), new Page(user().path(a(), FORM)), "early");
        Page late = early;
        for (int i = 0; i < 3; i++) {
            late = clicked(user(), i % 2 == 0 ? a() : b(), late, "late");
        }
        for (TomcatNode node : List.of(a(), b(), a())) {
            assertEquals("early;back;", clicked(user(), node, early, "back").text("components"));
        }
        assertEquals(
                "early;late;late;late;on;", clicked(user(), b(), late, "on").text("components"));
    }

    static Page clicked(Browser user, TomcatNode node, Page page, String text) throws Exception {
        return new Page(user.post(node, FORM, page.filled("add=Add&text=" + text)));
    }
}
