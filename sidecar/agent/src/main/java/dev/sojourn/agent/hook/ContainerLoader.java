package dev.sojourn.agent.hook;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * A child of the container's loader in which the agent's container side is defined, so that it can extend the container's
 * classes; the rest of the agent is the one copy of this class's own loader.
 */
final class ContainerLoader extends ClassLoader {
    private static final String AGENT = "dev.sojourn.agent.";
    private static final String CONTAINER_SIDE = AGENT + "tomcat.";

    private final ClassLoader agent = ContainerLoader.class.getClassLoader();

    ContainerLoader(ClassLoader container) {
        super(container);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(AGENT)) {
            return super.loadClass(name, resolve);
        }
        if (!name.startsWith(CONTAINER_SIDE)) {
            return agent.loadClass(name);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known != null ? known : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream in = agent.getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(8_192);
            byte[] chunk = new byte[8_192];
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                bytes.write(chunk, 0, read);
            }
            return defineClass(name, bytes.toByteArray(), 0, bytes.size());
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
