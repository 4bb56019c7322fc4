package dev.sojourn.e2e;

import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.opentest4j.TestAbortedException;

/**
 * What the scenarios share: the cluster with Sojourn installed, and one session-aware shop that is brought up once, for whoever
 * asks for it. Collects evidence when a scenario fails. Everything is taken away at the end.
 */
final class World
        implements BeforeAllCallback,
                AfterTestExecutionCallback,
                LifecycleMethodExecutionExceptionHandler,
                ParameterResolver {
    /** Whoever uses the shared shop has it alone; scenarios with a namespace of their own run beside it. */
    static final String SHOP = "shop";

    private static final Namespace KEPT = Namespace.create(World.class);

    @Override
    public void beforeAll(ExtensionContext context) {
        cluster(context);
        System.out.printf("%n=== %s%n", context.getDisplayName());
    }

    @Override
    public void afterTestExecution(ExtensionContext context) {
        context.getExecutionException().ifPresent(failure -> collect(context, failure));
    }

    /** What a class sets up fails before any of its scenarios is executed. */
    @Override
    public void handleBeforeAllMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        collect(context, failure);
        throw failure;
    }

    @Override
    public void handleBeforeEachMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        collect(context, failure);
        throw failure;
    }

    private static void collect(ExtensionContext context, Throwable failure) {
        if (failure instanceof TestAbortedException) {
            return;
        }
        try {
            new Evidence(cluster(context).get()).collect(context);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Cluster.class || type == Shop.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        KeptCluster cluster = cluster(context);
        return parameter.getParameter().getType() == Cluster.class
                ? cluster.get()
                : keep(context, KeptShop.class, () -> new KeptShop(cluster.get())).shop;
    }

    private static KeptCluster cluster(ExtensionContext context) {
        return keep(context, KeptCluster.class, KeptCluster::new);
    }

    private static <T> T keep(ExtensionContext context, Class<T> type, Supplier<T> maker) {
        return context.getRoot().getStore(KEPT).getOrComputeIfAbsent(type, t -> maker.get(), type);
    }

    private static final class KeptCluster implements AutoCloseable {
        private final Cluster cluster = new Cluster();

        KeptCluster() {
            cluster.install();
        }

        Cluster get() {
            return cluster;
        }

        @Override
        public void close() {
            cluster.close();
        }
    }

    private static final class KeptShop implements AutoCloseable {
        private final Shop shop;

        KeptShop(Cluster cluster) {
            shop = new Shop(cluster, "e2e-shop");
            shop.deployApplication();
            shop.makeSessionAware();
        }

        @Override
        public void close() {
            shop.close();
        }
    }
}
