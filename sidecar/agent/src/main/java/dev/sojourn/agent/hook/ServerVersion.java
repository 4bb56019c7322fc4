package dev.sojourn.agent.hook;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** Tomcat's version as its own ServerInfo has it, without loading a class of it in the middle of a transformation. */
final class ServerVersion {
    private ServerVersion() {}

    static String of(@Nullable ClassLoader loader) {
        if (loader == null) {
            return "unknown";
        }
        try (InputStream in = loader.getResourceAsStream("org/apache/catalina/util/ServerInfo.properties")) {
            Properties properties = new Properties();
            if (in != null) {
                properties.load(in);
            }
            return properties.getProperty("server.info", "unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }
}
