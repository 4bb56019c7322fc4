package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProxyTest {
    /** Only a class of its own package and loader may implement it. */
    interface Hidden {}

    static final class Silent implements InvocationHandler, Serializable {
        private static final long serialVersionUID = 1L;

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object[] arguments) {
            return null;
        }
    }

    /** As in an executable jar, where it is the launcher's loader that has the application's classes, and not the context's. */
    @Test
    void ofAnInterfaceThatIsNotPublicIsReadInItsLoader() throws Exception {
        ClassLoader webapp = new ClassLoader(getClass().getClassLoader()) {};
        Serializer serializer = new Serializer(() -> webapp, StreamFilter.of(""), name -> true);
        Object proxy = Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Comparable.class, Hidden.class}, new Silent());
        byte[] bytes = serializer.write(proxy, null).bytes;
        assertTrue(serializer.read(bytes, false).value instanceof Hidden);
    }
}
