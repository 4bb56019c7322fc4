package dev.sojourn.agent.core;

import dev.sojourn.agent.hook.Containers;
import dev.sojourn.agent.hook.HookTransformer;
import java.io.File;
import java.lang.instrument.Instrumentation;
import org.jspecify.annotations.Nullable;

/** The start, in the agent's own class loader. Light: it runs before the application's first line. */
public final class Agent {
    private Agent() {}

    /** Called by the premain class by reflection; returns the hooks for its bridge, or null if switched off. */
    public static Object @Nullable [] start(@Nullable String argument, Instrumentation instrumentation, File jar) {
        Config config =
                Config.load(argument, System.getenv(), new File(jar.getParentFile(), "sojourn-agent.properties"));
        Log.level(config.logLevel);
        for (String problem : config.problems()) {
            Log.warn(problem);
        }
        if (!config.enabled) {
            Log.info("agent is switched off, sessions stay in this JVM");
            return null;
        }
        String version = Agent.class.getPackage().getImplementationVersion();
        Containers containers = new Containers(config);
        Log.info("agent " + version + ", sidecar at " + containers.sidecar());
        instrumentation.addTransformer(new HookTransformer(), false);
        return containers.hooks();
    }
}
