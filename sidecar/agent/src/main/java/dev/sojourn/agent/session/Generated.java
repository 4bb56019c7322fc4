package dev.sojourn.agent.session;

import java.io.ObjectStreamClass;
import org.jspecify.annotations.Nullable;

/**
 * Classes that Spring generates with CGLIB anew in each JVM. They say no {@code serialVersionUID}, and the one that is computed depends on the order in which
 * their methods came: of one image, some pods have another one than others.
 */
final class Generated {
    private Generated() {}

    static boolean isOne(String className) {
        return className.contains("$$SpringCGLIB$$") || className.contains("$$EnhancerBySpringCGLIB$$");
    }

    /** What this JVM describes {@code type} as, if that is with the same fields and another {@code serialVersionUID}; null if not. */
    static @Nullable ObjectStreamClass local(ObjectStreamClass read, Class<?> type) {
        ObjectStreamClass local = ObjectStreamClass.lookup(type);
        boolean isAnother = local != null
                && local.getSerialVersionUID() != read.getSerialVersionUID()
                && Verbatim.areSame(local.getFields(), read.getFields());
        return isAnother ? local : null;
    }
}
