package dev.sojourn.operator.config;

import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** The operator's settings as they are in a pod with this environment. */
public final class InPod {

    private InPod() {}

    public static OperatorConfig with(Map<String, String> environment) {
        try {
            return new SmallRyeConfigBuilder()
                    .addDefaultInterceptors()
                    .withSources(new PropertiesConfigSource(InPod.class.getResource("/application.properties")))
                    .withSources(new EnvConfigSource(environment, 300))
                    .withMapping(OperatorConfig.class)
                    .build()
                    .getConfigMapping(OperatorConfig.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
