package testapp;

import java.io.Serializable;

/** As the next version has them. */
final class Versioned {
    private Versioned() {}

    /** Has lost a constant. */
    enum Colour {
        RED
    }

    static final class Numbered implements Serializable {
        private static final long serialVersionUID = 2L;

        @Override
        public String toString() {
            return "numbered 2";
        }
    }

    static final class Typed implements Serializable {
        private static final long serialVersionUID = 1L;
        private final Integer amount = 2;

        @Override
        public String toString() {
            return "typed " + amount;
        }
    }

    static Object of(String kind) {
        switch (kind) {
            case "colour":
                return Colour.RED;
            case "numbered":
                return new Numbered();
            default:
                return new Typed();
        }
    }
}
