package testapp;

import jakarta.faces.view.ViewScoped;
import jakarta.inject.Named;
import java.io.Serializable;

/** Lives as long as its user stays on one page. */
@Named
@ViewScoped
public class OnView implements Serializable {
    private static final long serialVersionUID = 1L;

    private final Texts texts = new Texts();
    private Texts shared;

    public Texts getTexts() {
        return texts;
    }

    void shareOnce(Texts with) {
        if (shared == null) {
            shared = with;
        }
    }

    /** Is it one object in both? */
    public boolean sharesWith(InSession session) {
        return session.isTexts(shared);
    }
}
