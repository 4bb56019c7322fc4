package testapp;

import jakarta.enterprise.context.SessionScoped;
import jakarta.inject.Named;
import jakarta.interceptor.Interceptors;
import java.io.Serializable;

@Named
@SessionScoped
public class InSession implements Serializable {
    private static final long serialVersionUID = 1L;

    private final Texts texts = new Texts();

    @Interceptors(PassingOn.class)
    public Texts getTexts() {
        return texts;
    }

    public boolean isTexts(Texts other) {
        return texts == other;
    }
}
