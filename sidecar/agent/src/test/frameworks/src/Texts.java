package testapp;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/** Grows in place. */
public class Texts implements Serializable {
    private static final long serialVersionUID = 1L;

    private final List<String> texts = new ArrayList<>();

    public void add(String text) {
        texts.add(text);
    }

    @Override
    public String toString() {
        return texts.toString();
    }
}
