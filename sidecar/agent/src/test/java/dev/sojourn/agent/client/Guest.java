package dev.sojourn.agent.client;

import java.io.IOException;
import java.security.ProtectionDomain;

/** An application's request that is the first to ask for a session, and leaves to its thread what threads inherit. */
final class Guest implements Runnable {
    private final InheritableThreadLocal<Object> own = new InheritableThreadLocal<>();
    private final SidecarClient client;

    Guest(SidecarClient client) {
        this.client = client;
    }

    @Override
    public void run() {
        own.set(this);
        try {
            client.open("s", 0, false);
        } catch (Refusal e) {
            throw new IllegalStateException(e);
        } finally {
            own.remove();
        }
    }

    /** A class loader with an application in it: this class. */
    static final class Loader extends ClassLoader {
        Loader() {
            super(Guest.class.getClassLoader());
        }

        void run(SidecarClient client) throws Exception {
            var create = loadClass(Guest.class.getName()).getDeclaredConstructor(SidecarClient.class);
            create.setAccessible(true);
            ((Runnable) create.newInstance(client)).run();
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(Guest.class.getName())) {
                return super.loadClass(name, resolve);
            }
            try (var in = Guest.class.getResourceAsStream("Guest.class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = in.readAllBytes();
                var domain = new ProtectionDomain(null, null, this, null);
                return defineClass(name, bytes, 0, bytes.length, domain);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
