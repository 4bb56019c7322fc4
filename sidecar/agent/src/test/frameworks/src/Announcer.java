package testapp;

import jakarta.enterprise.context.SessionScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Named;
import java.io.Serializable;

/** What CDI gives it goes where it goes, with the annotations that it is asked for by. */
@Named
@SessionScoped
public class Announcer implements Serializable {
    private static final long serialVersionUID = 1L;

    @Inject
    @Loud
    private Event<String> event;

    @Inject
    @Any
    private Instance<InSession> sessions;

    private final Texts heard = new Texts();

    public void announce(String text) {
        if (sessions.isResolvable()) {
            event.fire(text);
        }
    }

    void hear(@Observes @Loud String text) {
        heard.add(text);
    }

    public Texts getHeard() {
        return heard;
    }
}
