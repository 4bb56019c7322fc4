package dev.sojourn.agent.session;

import java.util.function.Supplier;

/**
 * Which classes will be found when their objects are read again. Those of loaders that the web application makes for itself will not be: of a JSP, a script, a
 * plug-in. They are written all the same, and nothing would say so before the first pod reads them.
 */
final class Reach {
    private final Supplier<ClassLoader> webapp;

    private final ClassValue<Boolean> beyond = new ClassValue<Boolean>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return type.getClassLoader() != null && !isFound(type);
        }
    };

    Reach(Supplier<ClassLoader> webapp) {
        this.webapp = webapp;
    }

    boolean excludes(Class<?> type) {
        try {
            return webapp.get() != null && beyond.get(type);
        } catch (Stopped e) {
            return false;
        }
    }

    /** Of a class that is excluded. */
    static String why(Class<?> type) {
        return "the web application's loader does not find the class, only "
                + type.getClassLoader().getClass().getName()
                + " does; have it where the application's other classes are, or keep its objects out of the session";
    }

    private boolean isFound(Class<?> type) {
        try {
            Class.forName(type.getName(), false, webapp.get());
            return true;
        } catch (ClassNotFoundException e) {
            if (e.getCause() instanceof IllegalStateException) {
                throw new Stopped();
            }
            return type.getClassLoader() == Reach.class.getClassLoader();
        } catch (LinkageError e) {
            // Reading will tell.
            return true;
        }
    }

    /** So is the web application, and its loader finds nothing any more, which is not to be remembered. */
    private static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
