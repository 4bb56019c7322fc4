package testapp;

import org.apache.wicket.markup.html.WebPage;
import org.apache.wicket.markup.html.basic.Label;
import org.apache.wicket.markup.html.form.Form;
import org.apache.wicket.markup.html.form.TextField;
import org.apache.wicket.model.LambdaModel;
import org.apache.wicket.model.Model;

/** Keeps in its components what was typed. */
public class WicketPage extends WebPage {
    private static final long serialVersionUID = 1L;

    private final Texts texts = new Texts();

    public WicketPage() {
        TextField<String> text = new TextField<>("text", Model.of(""));
        Form<Void> form = new Form<>("form") {
            private static final long serialVersionUID = 1L;

            @Override
            protected void onSubmit() {
                typed(text.getModelObject());
            }
        };
        add(form.add(text));
        add(new Label("page", LambdaModel.of(() -> texts.toString())));
        add(new Label("session", LambdaModel.of(() -> session().texts.toString())));
    }

    private void typed(String text) {
        texts.add(text);
        session().texts.add(text);
    }

    private WicketSession session() {
        return (WicketSession) getSession();
    }
}
