package dev.sojourn.operator.inject;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.Names;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Gives a pod its sidecar and agent. Pure: a pod as JSON and settings in, a pod as JSON out. Injecting twice is injecting once,
 * also when another webhook changed the pod in between: everything is found by name, never appended blindly.
 */
public final class Injector {

    private static final List<String> IMAGE = List.of("image", "imagePullPolicy");

    private static final String DRAIN_DEADLINE = "SOJOURN_DRAIN_DEADLINE";

    private final SidecarSpec sidecar;

    public Injector(SidecarSpec sidecar) {
        this.sidecar = sidecar;
    }

    /** @param storeInUse whether a sidecar has ever reached that store */
    public Injection inject(JsonNode original, InjectionSettings settings, boolean storeInUse) {
        ObjectNode pod = original.deepCopy();
        if (RawPod.isOfJob(pod)) {
            return leave(pod, Target.JOB);
        }
        var target = Target.choose(RawPod.shape(pod), settings);
        if (target instanceof Target.None none) {
            return isInjected(pod, settings) ? keep(pod) : leave(pod, none);
        }
        var name = ((Target.Found) target).container();
        var application = named(pod.withArray("/spec/containers"), name).orElseThrow();
        var warnings = new ArrayList<String>();

        var container = sidecar.container(settings, storeInUse, user(pod, application), isMeshed(pod));
        if (hasSame(pod, settings)) {
            named(pod.at("/spec/initContainers"), Names.SIDECAR_CONTAINER)
                    .ifPresent(there -> keepImage(there, container));
        } else {
            forget(pod);
        }
        annotations(pod)
                .put(Names.INJECTED_ANNOTATION, settings.hash())
                .put(Names.INJECTED_IMAGE_ANNOTATION, sidecar.image())
                .remove(Names.NOT_INJECTED_ANNOTATION);
        SidecarSpec.volumes(settings).forEach(volume -> ensureVolume(pod, volume));
        ensureFirst(pod, container);
        pullSecrets(pod, settings);
        mount(application);
        drainDeadline(application, settings);
        GracePeriod.tooShort(pod, settings.drainDeadline()).ifPresent(warnings::add);
        ServiceQuality.lost(pod, new SidecarResources(settings.resources())).ifPresent(warnings::add);
        new JavaOptions(settings.javaOptions()).addAgent(application).ifPresent(warnings::add);
        return new Injection(pod, Optional.empty(), warnings);
    }

    /** For a pod that is nobody's to inject, whatever it looks like. */
    public static Injection leaveAlone(JsonNode original, Target.None none) {
        return leave(original.deepCopy(), none);
    }

    private static Injection leave(ObjectNode pod, Target.None none) {
        var why = none.reason() + ": " + none.message();
        var annotations = annotations(pod).put(Names.NOT_INJECTED_ANNOTATION, why);
        if (!hasSidecar(pod)) {
            // Copied from a pod that was injected: this one would count among those that are.
            annotations.remove(List.of(Names.INJECTED_ANNOTATION, Names.INJECTED_IMAGE_ANNOTATION));
        }
        return new Injection(pod, Optional.of(why), List.of());
    }

    /** It was right for the sidecar, and has it: what others have put in since, a proxy with ports of its own perhaps, undoes nothing. */
    private static Injection keep(ObjectNode pod) {
        annotations(pod).remove(Names.NOT_INJECTED_ANNOTATION);
        return new Injection(pod, Optional.empty(), List.of());
    }

    private boolean isInjected(JsonNode pod, InjectionSettings settings) {
        return hasSame(pod, settings) && hasSidecar(pod);
    }

    private static boolean hasSidecar(JsonNode pod) {
        return named(pod.at("/spec/initContainers"), Names.SIDECAR_CONTAINER).isPresent();
    }

    /** Whether it was given what it is to be given now. The copy of a running pod, restored perhaps, may be of another version's. */
    private boolean hasSame(JsonNode pod, InjectionSettings settings) {
        return RawPod.annotation(pod, Names.INJECTED_ANNOTATION).equals(settings.hash())
                && RawPod.annotation(pod, Names.INJECTED_IMAGE_ANNOTATION).equals(sidecar.image());
    }

    /**
     * Since we injected it somebody may have pinned the image, named another registry, or had it pulled always. Who did sees to it that
     * it stays so: the pod would be refused.
     */
    private static void keepImage(ObjectNode there, ObjectNode container) {
        IMAGE.stream().filter(there::has).forEach(field -> container.set(field, there.get(field)));
    }

    /** Of a pod that was copied: what is there beside what is wanted may be settings that hold no more. A volume that no sidecar mounts is the user's. */
    private static void forget(ObjectNode pod) {
        named(pod.at("/spec/initContainers"), Names.SIDECAR_CONTAINER).ifPresent(before -> {
            var ours = new HashSet<>(before.path("volumeMounts").findValuesAsText("name"));
            ours.retainAll(SidecarSpec.VOLUMES);
            drop(pod.at("/spec/volumes"), ours);
            drop(pod.at("/spec/initContainers"), Set.of(Names.SIDECAR_CONTAINER));
        });
    }

    private static void drop(JsonNode items, Set<String> names) {
        for (var all = items.elements(); all.hasNext(); ) {
            if (names.contains(all.next().path("name").asText())) {
                all.remove();
            }
        }
    }

    /** The way to the store, and to our own port, may lead through its proxy. */
    private static boolean isMeshed(ObjectNode pod) {
        return RawPod.containers(pod)
                .anyMatch(container -> Mesh.isProxy(container.path("name").asText()));
    }

    private static ObjectNode annotations(ObjectNode pod) {
        return object(object(pod, "metadata"), "annotations");
    }

    private static ObjectNode object(ObjectNode parent, String name) {
        return parent.path(name) instanceof ObjectNode there ? there : parent.putObject(name);
    }

    private static ArrayNode array(ObjectNode parent, String name) {
        return parent.path(name) instanceof ArrayNode there ? there : parent.putArray(name);
    }

    private static Optional<ObjectNode> named(JsonNode items, String name) {
        for (var item : items) {
            if (item.path("name").asText().equals(name)) {
                return Optional.of((ObjectNode) item);
            }
        }
        return Optional.empty();
    }

    /** Puts an item among those with names; one that is there and says the same, and more by default, stays. */
    private static void ensure(ArrayNode items, ObjectNode wanted, int place) {
        var name = wanted.path("name").asText();
        if (Covers.covers(items.path(place), wanted)) {
            return;
        }
        var there =
                named(items, name).filter(item -> Covers.covers(item, wanted)).orElse(wanted);
        var index = items.size();
        for (int i = items.size() - 1; i >= 0; i--) {
            if (items.path(i).path("name").asText().equals(name)) {
                items.remove(i);
                index = i;
            }
        }
        items.insert(place < 0 ? index : place, there);
    }

    private static void ensureVolume(ObjectNode pod, ObjectNode volume) {
        ensure(array(object(pod, "spec"), "volumes"), volume, -1);
    }

    /**
     * First of the native sidecars: it starts before the application and stops after it. But for the proxy of a mesh, which may have
     * containers of its own in front of it: those that lead the pod's traffic to it, or see that somebody does.
     */
    private static void ensureFirst(ObjectNode pod, ObjectNode container) {
        var initContainers = array(object(pod, "spec"), "initContainers");
        int place = 0;
        int others = 0;
        for (var there : initContainers) {
            var name = there.path("name").asText();
            if (!name.equals(Names.SIDECAR_CONTAINER)) {
                others++;
            }
            if (Mesh.isProxy(name)) {
                place = others;
            }
        }
        ensure(initContainers, container, place);
    }

    /** Beside the pod's own: those of its ServiceAccount are in it only where it names none itself. */
    private static void pullSecrets(ObjectNode pod, InjectionSettings settings) {
        for (var name : Objects.requireNonNullElse(settings.imagePullSecrets(), List.<String>of())) {
            var secret = new ObjectNode(JsonNodeFactory.instance).put("name", name);
            ensure(array(object(pod, "spec"), "imagePullSecrets"), secret, -1);
        }
    }

    /** Read-only: the application needs the socket and the agent, and must not be able to replace either. */
    private static void mount(ObjectNode application) {
        var mount = new ObjectNode(JsonNodeFactory.instance)
                .put("name", SidecarSpec.SHARED_VOLUME)
                .put("mountPath", SidecarSpec.SHARED_PATH)
                .put("readOnly", true);
        ensure(array(application, "volumeMounts"), mount, -1);
    }

    /** Read by the agent, in the application's process. The user's own value wins. */
    private static void drainDeadline(ObjectNode application, InjectionSettings settings) {
        var env = array(application, "env");
        if (named(env, DRAIN_DEADLINE).isEmpty()) {
            env.addObject().put("name", DRAIN_DEADLINE).put("value", settings.drainDeadline());
        }
    }

    /** The application's user, where the pod says one: a policy that lets one in lets the other in. */
    private static Optional<Long> user(JsonNode pod, JsonNode application) {
        for (var context : List.of(application.path("securityContext"), pod.at("/spec/securityContext"))) {
            var user = context.path("runAsUser");
            if (user.isIntegralNumber()) {
                return Optional.of(user.asLong());
            }
        }
        return Optional.empty();
    }
}
