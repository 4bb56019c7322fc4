package testapp;

import java.io.Serializable;

/** Objects whose classes the next version has changed. */
final class Versioned {
    private Versioned() {}

    enum Colour {
        RED,
        GREEN
    }

    static final class Numbered implements Serializable {
        private static final long serialVersionUID = 1L;

        @Override
        public String toString() {
            return "numbered 1";
        }
    }

    static final class Typed implements Serializable {
        private static final long serialVersionUID = 1L;
        private final String amount = "1";

        @Override
        public String toString() {
            return "typed " + amount;
        }
    }

    static Object of(String kind) {
        switch (kind) {
            case "colour":
                return Colour.GREEN;
            case "numbered":
                return new Numbered();
            default:
                return new Typed();
        }
    }
}
