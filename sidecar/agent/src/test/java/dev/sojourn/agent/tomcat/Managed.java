package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.client.Change;
import dev.sojourn.agent.client.Changes;
import dev.sojourn.agent.client.Committed;
import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.client.Sidecar;
import dev.sojourn.agent.core.Config;
import dev.sojourn.agent.hook.Services;
import dev.sojourn.agent.session.Backlog;
import dev.sojourn.agent.session.Generation;
import dev.sojourn.agent.session.Groups;
import dev.sojourn.agent.session.Home;
import dev.sojourn.agent.session.Requests;
import dev.sojourn.agent.session.Serializer;
import dev.sojourn.agent.session.StreamFilter;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.ObjectOutputStream;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.servlet.http.HttpSessionEvent;
import javax.servlet.http.HttpSessionListener;
import org.apache.catalina.Loader;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.core.StandardEngine;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.session.StandardManager;
import org.jspecify.annotations.Nullable;

/** A session with its manager, and what its listeners are told and the store is asked. */
final class Managed {
    final List<Object> told = new ArrayList<>();
    final List<String> asked = new ArrayList<>();
    Runnable whileItEnds = () -> {};
    Runnable whileItIsRenamed = () -> {};
    /** Whether the store says that it was this JVM that ended it. */
    boolean isFirst = true;

    /** What a commit or a rename is answered; null: it is done. */
    Refusal.@Nullable Why refuses;

    final Services services;
    final SojournManager manager;
    final Backlog backlog;
    final SojournSession session;

    Managed() throws Exception {
        services = services("");
        manager = new SojournManager(services, new StandardManager());
        var context = new StandardContext();
        context.setName("/test");
        context.setPath("/test");
        context.setApplicationLifecycleListeners(new Object[] {
            new HttpSessionListener() {
                @Override
                public void sessionDestroyed(HttpSessionEvent event) {
                    told.add(event.getSession().getAttribute("user"));
                }
            }
        });
        var engine = new StandardEngine();
        var host = new StandardHost();
        engine.setName("engine");
        host.setName("localhost");
        engine.addChild(host);
        context.setParent(host);
        context.setLoader(loader());
        manager.setContext(context);
        Sidecar sidecar = (Sidecar) Proxy.newProxyInstance(
                Sidecar.class.getClassLoader(), new Class<?>[] {Sidecar.class}, (proxy, method, arguments) -> {
                    asked.add(method.getName());
                    if (refuses != null && List.of("commit", "rename").contains(method.getName())) {
                        throw new Refusal(refuses, "as told");
                    }
                    if (method.getName().equals("commit")) {
                        return new Committed(2, new Changes(false, List.of()));
                    }
                    if (method.getName().equals("open")) {
                        return new Opened(1, 0, 0, 1_800, new Changes(false, List.of()));
                    }
                    if (method.getName().equals("rename")) {
                        whileItIsRenamed.run();
                        return 1L;
                    }
                    whileItEnds.run();
                    return isFirst;
                });
        var serializer = new Serializer(getClass()::getClassLoader, StreamFilter.of(""), name -> true);
        backlog = new Backlog(sidecar, Runnable::run);
        session = new SojournSession(
                manager, new Home(() -> "/test", sidecar, serializer, new Requests(), backlog, Groups.NONE));
        session.restore(
                "id",
                Generation.FIRST,
                new Opened(
                        1,
                        0,
                        0,
                        1_800,
                        new Changes(
                                false,
                                List.of(
                                        new Change("user", serialized("Ann")),
                                        new Change("list", serialized(new ArrayList<>())),
                                        new Change("passivated", serialized(new Passivated()))))));
    }

    /** As the agent makes them, in a class loader of its own. */
    static Services services(String more) throws Exception {
        var load = Config.class.getDeclaredMethod("load", String.class, Map.class, File.class);
        var create = Services.class.getDeclaredConstructor(Config.class);
        load.setAccessible(true);
        create.setAccessible(true);
        return create.newInstance(
                load.invoke(null, "socket=/nowhere,patience=100ms," + more, Map.of(), new File("/nowhere")));
    }

    static Loader loader() {
        return (Loader) Proxy.newProxyInstance(
                Loader.class.getClassLoader(),
                new Class<?>[] {Loader.class},
                (proxy, method, arguments) ->
                        method.getName().equals("getClassLoader") ? Managed.class.getClassLoader() : null);
    }

    static byte[] serialized(Object value) throws Exception {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        }
        return bytes.toByteArray();
    }
}
