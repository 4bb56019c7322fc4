package testapp;

import jakarta.enterprise.context.RequestScoped;
import jakarta.faces.component.UIComponent;
import jakarta.faces.component.html.HtmlOutputText;
import jakarta.faces.context.FacesContext;
import jakarta.inject.Inject;
import jakarta.inject.Named;

/** What the form's buttons do. */
@Named
@RequestScoped
public class OnRequest {
    @Inject
    private OnView view;

    @Inject
    private InSession session;

    @Inject
    private Announcer announcer;

    private String text;

    public String getText() {
        return text;
    }

    public void setText(String text) {
        this.text = text;
    }

    /** To a bean of the page, to one of the session, and to the page's own panel. */
    public void add() {
        view.getTexts().add(text);
        session.getTexts().add(text);
        announcer.announce(text);
        view.shareOnce(session.getTexts());
        UIComponent panel =
                FacesContext.getCurrentInstance().getViewRoot().findComponent("form:panel");
        HtmlOutputText output = new HtmlOutputText();
        output.setId("text" + panel.getChildCount());
        output.setValue(text + ";");
        panel.getChildren().add(output);
    }
}
