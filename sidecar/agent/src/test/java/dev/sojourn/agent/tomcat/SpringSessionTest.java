package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.catalina.core.StandardContext;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.junit.jupiter.api.Test;

/** Left on the class path it keeps the sessions, and Sojourn has none. */
class SpringSessionTest {
    @Test
    void isKnownByItsFilter() {
        var context = new StandardContext();
        assertFalse(SpringSession.isIn(context));
        var filter = new FilterDef();
        filter.setFilterName("springSessionRepositoryFilter");
        filter.setFilterClass("any");
        context.addFilterDef(filter);
        assertTrue(SpringSession.isIn(context));
    }

    @Test
    void isNamedWithItsContextAndWhatToDo() {
        String complaint = SpringSession.complaint("/shop");
        assertTrue(complaint.contains("not by Sojourn: context=/shop;"), complaint);
        assertTrue(
                complaint.endsWith("spring.autoconfigure.exclude="
                        + "org.springframework.boot.autoconfigure.session.SessionAutoConfiguration"),
                complaint);
    }
}
