package testapp;

import org.apache.wicket.protocol.http.WebSession;
import org.apache.wicket.request.Request;

public class WicketSession extends WebSession {
    private static final long serialVersionUID = 1L;

    final Texts texts = new Texts();

    WicketSession(Request request) {
        super(request);
    }

    /** Told by the container, through an attribute of its own that refers to this session. */
    @Override
    public void onInvalidate() {
        System.out.println("invalidated " + texts);
    }
}
