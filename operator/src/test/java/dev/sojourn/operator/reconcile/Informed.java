package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ResourceCache;
import io.javaoperatorsdk.operator.processing.event.EventSourceRetriever;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.stream.Stream;

/** What the informers know, for tests. */
final class Informed {

    private final List<? extends HasMetadata> all;
    private final List<String> named;

    private Informed(List<? extends HasMetadata> all, List<String> named) {
        this.all = all;
        this.named = named;
    }

    /**
     * @param all in the cache, of the namespace {@code shop}
     * @param named the names of those that are the SessionCluster's by its mapping, as what specs name is
     */
    static Context<SessionCluster> of(List<? extends HasMetadata> all, String... named) {
        return new Informed(all, List.of(named)).context();
    }

    private Context<SessionCluster> context() {
        return fake(
                (self, method, arguments) -> switch (method.getName()) {
                    case "getSecondaryResourcesAsStream" ->
                        all((Class<?>) arguments[0])
                                .filter(object ->
                                        named.contains(object.getMetadata().getName()));
                    case "eventSourceRetriever" -> retriever();
                    default -> throw new AssertionError(method.getName());
                },
                Context.class);
    }

    private EventSourceRetriever<SessionCluster> retriever() {
        return fake(
                (self, get, type) -> fake(
                        (cache, list, namespace) -> {
                            assertThat(namespace).containsExactly("shop");
                            return all((Class<?>) type[0]);
                        },
                        EventSource.class,
                        ResourceCache.class),
                EventSourceRetriever.class);
    }

    private Stream<? extends HasMetadata> all(Class<?> type) {
        return all.stream().filter(type::isInstance);
    }

    @SuppressWarnings("unchecked")
    private static <T> T fake(InvocationHandler answers, Class<?>... types) {
        return (T) Proxy.newProxyInstance(Informed.class.getClassLoader(), types, answers);
    }
}
