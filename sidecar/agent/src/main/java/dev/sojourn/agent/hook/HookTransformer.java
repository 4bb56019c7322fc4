package dev.sojourn.agent.hook;

import dev.sojourn.agent.core.Log;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rewrites a handful of classes by their exact names. Whatever goes wrong, the class stays as it was. */
public final class HookTransformer implements ClassFileTransformer {
    private static final String BRIDGE = "dev.sojourn.agent.Bridge";

    /** Servers whose sessions stay local; there is one line about it when their main class shows. */
    private static final String[] UNSUPPORTED = {
        "org/eclipse/jetty/server/Server",
        "io/undertow/Undertow",
        "org/wildfly/extension/undertow/Server",
        // Not HttpServer: Spring Boot loads that beside any Tomcat to see whether it is there.
        "reactor/netty/http/server/HttpServerBind",
        "io/vertx/core/http/impl/HttpServerImpl",
        "io/vertx/core/http/impl/tcp/TcpHttpServer",
        "com/ibm/ws/kernel/boot/Launcher",
        "weblogic/Server"
    };

    /** What Spring's reactive stack is served by on a servlet container. Spring MVC loads it never, also with WebFlux beside it for its client. */
    private static final String WEB_FLUX = "org/springframework/http/server/reactive/ServletHttpHandlerAdapter";

    private static final String SOCKET = "org/apache/tomcat/util/net/NioEndpoint$NioSocketWrapper";
    private static final String STREAM = "org/apache/coyote/http2/StreamProcessor";
    private static final String CONNECTOR = "org/apache/catalina/connector/Connector";

    private final Map<String, HookPoint[]> points = new HashMap<>();
    /** Those without which sessions are kept all the same, and what is not. */
    private final Map<String, String> dispensable = new HashMap<>();

    public HookTransformer() {
        points.put("org/apache/catalina/core/StandardContext", new HookPoint[] {HookPoint.SET_MANAGER});
        points.put("org/apache/coyote/AbstractProcessor", new HookPoint[] {HookPoint.ACTION});
        points.put(
                "org/apache/catalina/connector/CoyoteAdapter",
                new HookPoint[] {HookPoint.SERVICE, HookPoint.ASYNC_DISPATCH});
        points.put("org/apache/coyote/Request", new HookPoint[] {HookPoint.RECYCLE});
        points.put(SOCKET, new HookPoint[] {HookPoint.WRITE, HookPoint.CLOSE});
        dispensable.put(SOCKET, "responses are not held back, threads wait instead");
        points.put(STREAM, new HookPoint[] {HookPoint.STREAM});
        dispensable.put(STREAM, "async requests whose HTTP/2 streams have failed are waited for as the pod ends");
        points.put(CONNECTOR, new HookPoint[] {HookPoint.PAUSE});
        dispensable.put(CONNECTOR, "who comes as the container stops is not refused but cut off");
        for (String server : UNSUPPORTED) {
            points.put(server, new HookPoint[0]);
        }
        points.put(WEB_FLUX, new HookPoint[0]);
    }

    @Override
    public byte @Nullable [] transform(
            @Nullable ClassLoader loader,
            @Nullable String name,
            @Nullable Class<?> redefined,
            @Nullable ProtectionDomain domain,
            byte[] bytes) {
        HookPoint[] wanted = name == null ? null : points.get(name);
        if (wanted == null || name == null || redefined != null) {
            return null;
        }
        try {
            if (wanted.length == 0) {
                Log.warnOnce(notKept(name));
                return null;
            }
            return rewrite(loader, name, wanted, bytes);
        } catch (Throwable problem) {
            Log.warnOnce("class not hooked, sessions stay in this JVM: class=" + name + " cause=" + problem);
            return null;
        }
    }

    private static String notKept(String name) {
        return name.equals(WEB_FLUX)
                ? "Spring WebFlux serves here, its WebSessions are not the container's and stay in this JVM:"
                        + " give it Spring Session with a store that all pods share"
                : "this server is not supported yet, its sessions stay in this JVM: " + name.replace('/', '.');
    }

    private byte @Nullable [] rewrite(@Nullable ClassLoader loader, String name, HookPoint[] wanted, byte[] bytes) {
        if (!seesBridge(loader)) {
            Log.warnOnce("class not hooked, its loader hides the class path: class=" + name + " loader=" + loader
                    + "; let it delegate " + BRIDGE + " to the system class loader");
            return null;
        }
        HookWriter writer = new HookWriter(wanted);
        byte[] rewritten = writer.rewrite(bytes);
        if (dispensable.containsKey(name) && !writer.missing().isEmpty()) {
            Log.debug(dispensable.get(name) + ", this Tomcat is another one: server=" + ServerVersion.of(loader));
            return null;
        }
        for (HookPoint missing : writer.missing()) {
            Log.warnOnce("class not hooked, sessions stay in this JVM: class=" + name + " has no method "
                    + missing.method + missing.descriptor + " server=" + ServerVersion.of(loader)
                    + "; use a supported Tomcat (9.0, 10.1 or 11.0) or a newer agent");
        }
        return writer.missing().isEmpty() ? rewritten : null;
    }

    private static boolean seesBridge(@Nullable ClassLoader loader) {
        try {
            return Class.forName(BRIDGE, false, loader)
                    == Class.forName(BRIDGE, false, ClassLoader.getSystemClassLoader());
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
