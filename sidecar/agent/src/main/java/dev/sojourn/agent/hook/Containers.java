package dev.sojourn.agent.hook;

import dev.sojourn.agent.core.Config;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Finds the container side that belongs to a hooked object. One JVM may hold several Tomcats, each with its own loader. */
public final class Containers {
    private static final String CONTEXT = "org.apache.catalina.core.StandardContext";

    private final Services services;
    private final ConcurrentHashMap<ClassLoader, ContainerHooks> byLoader = new ConcurrentHashMap<>();
    /** The usual case, without a lookup. */
    private volatile @Nullable ContainerHooks first;

    private volatile boolean isSeveral;

    public Containers(Config config) {
        this.services = new Services(config);
    }

    /** For the log. */
    public String sidecar() {
        return services.address.toString();
    }

    /** In the order in which the bridge takes them. No lambdas: this runs while the JVM starts, and they would slow it. */
    public Object[] hooks() {
        return new Object[] {
            new ManagerHook(),
            new EnterHook(),
            new ExitHook(),
            new RecyclingHook(),
            new ActionHook(),
            new WritingHook(),
            new PausingHook(),
            new SkippingHook()
        };
    }

    private @Nullable ContainerHooks of(Object object) {
        if (!isSeveral) {
            return first;
        }
        ContainerHooks hooks = byLoader.get(object.getClass().getClassLoader());
        return hooks == null ? first : hooks;
    }

    private ContainerHooks create(ClassLoader container) {
        try {
            ContainerHooks hooks = (ContainerHooks) new ContainerLoader(container)
                    .loadClass("dev.sojourn.agent.tomcat.TomcatHooks")
                    .getConstructor(Services.class)
                    .newInstance(services);
            if (first == null) {
                first = hooks;
            } else {
                isSeveral = true;
            }
            return hooks;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the container side cannot be loaded", e);
        }
    }

    private final class ManagerHook implements BiFunction<Object, @Nullable Object, @Nullable Object> {
        @Override
        public @Nullable Object apply(Object context, @Nullable Object given) {
            return byLoader.computeIfAbsent(loaderOf(context), Containers.this::create)
                    .manager(context, given);
        }

        /** Embedders subclass the context, in loaders of their own. */
        private ClassLoader loaderOf(Object context) {
            Class<?> type = context.getClass();
            while (type != null && !type.getName().equals(CONTEXT)) {
                type = type.getSuperclass();
            }
            return (type == null ? context.getClass() : type).getClassLoader();
        }
    }

    private final class EnterHook implements BiConsumer<Object, Boolean> {
        @Override
        public void accept(Object request, Boolean fresh) {
            services.requests.enter(request, fresh);
        }
    }

    private final class ExitHook implements BiConsumer<Object, Boolean> {
        @Override
        public void accept(Object request, Boolean failed) {
            ContainerHooks hooks = of(request);
            boolean isAsync = !failed && hooks != null && hooks.isAsync(request);
            services.requests.exit(request, !isAsync);
        }
    }

    private final class RecyclingHook implements Consumer<Object> {
        @Override
        public void accept(Object request) {
            services.requests.dropped(request);
        }
    }

    private final class ActionHook implements BiConsumer<Object, Object> {
        @Override
        public void accept(Object processor, Object code) {
            ContainerHooks hooks = of(processor);
            if (hooks != null) {
                hooks.action(processor, code);
            }
        }
    }

    private final class WritingHook implements BiConsumer<Object, Object> {
        @Override
        public void accept(Object socket, Object bytes) {
            ContainerHooks hooks = of(socket);
            if (hooks != null) {
                hooks.writing(socket, bytes instanceof ByteBuffer ? (ByteBuffer) bytes : null);
            }
        }
    }

    private final class SkippingHook implements Consumer<Object> {
        @Override
        public void accept(Object processor) {
            ContainerHooks hooks = of(processor);
            Object request = hooks == null ? null : hooks.skipped(processor);
            if (request != null) {
                services.requests.dropped(request);
            }
        }
    }

    private final class PausingHook implements Predicate<Object> {
        @Override
        public boolean test(Object connector) {
            ContainerHooks hooks = of(connector);
            return hooks != null && hooks.pausing(connector);
        }
    }
}
