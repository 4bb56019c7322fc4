package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Change;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** All attributes of one session, with the container's own among them. */
final class Attributes {
    private final Home home;
    private final SessionState.Host host;
    private final ConcurrentHashMap<String, Attribute> byName = new ConcurrentHashMap<>();

    /** Some attribute may be dirty. Raised after the attribute is marked, lowered before they are looked through. */
    private volatile boolean perhapsDirty;
    /** Meanwhile nothing is known of what was dirty before. */
    private volatile boolean looking;
    /** Another thread was changing one of them all the time: to be sent by the next commit. */
    private volatile boolean torn;
    /** Others' commit of one has been taken, and it has not been compared: not to be sent before that. */
    private volatile boolean behind;
    /** There may be groups: without any, nobody looks for them. */
    private volatile boolean perhapsGroups;

    Attributes(Home home, SessionState.Host host) {
        this.home = home;
        this.host = host;
    }

    @Nullable
    Attribute find(String name) {
        return byName.get(name);
    }

    /** {@code compared}: the next commit compares it, as it does what was only read. */
    Attribute set(String name, Object value, boolean compared) {
        Attribute attribute = entry(name);
        attribute.set(value, compared);
        // A removal at the same moment may have taken the entry out.
        byName.put(name, attribute);
        perhapsDirty = true;
        return attribute;
    }

    void remove(Attribute attribute) {
        attribute.remove();
        dropIfVoid(attribute);
        perhapsDirty = true;
    }

    /** What was last {@link #pending} lacks such as are to be compared first. */
    boolean isBehind() {
        return behind;
    }

    /** There are such as are to be compared. */
    boolean anyBehind() {
        for (Attribute attribute : byName.values()) {
            if (attribute.isBehind()) {
                return true;
            }
        }
        return false;
    }

    /** Those whose objects others' commits have come for: by a thread that holds nothing that the application's code may wait for. */
    void compareBehind() {
        for (Attribute attribute : byName.values()) {
            if (attribute.isBehind()) {
                compareBehind(attribute);
            }
        }
    }

    private void compareBehind(Attribute attribute) {
        Comparison.run(() -> attribute.compareBehind(home));
        if (attribute.isDirty()) {
            perhapsDirty = true;
        }
        dropIfVoid(attribute);
    }

    boolean isTorn() {
        return torn;
    }

    boolean perhapsDirty() {
        // What is being looked through may be found to be, just before it is asked for again.
        return perhapsDirty || looking || perhapsDirty;
    }

    List<Attribute> groups() {
        if (!perhapsGroups) {
            return Collections.emptyList();
        }
        List<Attribute> groups = new ArrayList<>();
        for (Attribute attribute : byName.values()) {
            if (Groups.isGroup(attribute.name)) {
                groups.add(attribute);
            }
        }
        return groups;
    }

    /** What the application sees: only what can be read here, or a loop over the names would stumble over a null. */
    Set<String> names() {
        Set<String> names = new HashSet<>();
        for (Attribute attribute : byName.values()) {
            if (!Attribute.isContainers(attribute.name) && attribute.read(home, host) != null) {
                names.add(attribute.name);
            }
        }
        return names;
    }

    /** What to send: the dirty ones and those of {@code touched} that changed, or all there are. {@code shared}: other requests in flight use them. */
    List<Pending> pending(Set<Attribute> touched, Drafts drafts, boolean everything, boolean shared) {
        Set<Attribute> candidates = touched;
        looking = true;
        if (perhapsDirty || everything) {
            perhapsDirty = false;
            candidates = withDirty(touched, everything);
        }
        boolean done = false;
        try {
            List<Pending> pending = changed(candidates, drafts, everything, shared);
            done = true;
            return pending;
        } finally {
            if (!done) {
                perhapsDirty = true;
            }
            looking = false;
        }
    }

    /** Adds what {@link #pending} needs of the application's code: only that may take for ever. */
    void draft(Drafts drafts, Set<Attribute> touched, boolean everything, boolean shared) {
        for (Attribute attribute : perhapsDirty || everything ? withDirty(touched, everything) : touched) {
            if (attribute.isBehind()) {
                compareBehind(attribute);
            }
            Picture picture =
                    byName.get(attribute.name) == attribute ? attribute.toWrite(drafts.early, everything) : null;
            if (picture != null) {
                drafts.add(picture, Draft.of(picture, home, host, shared));
            }
        }
    }

    private Set<Attribute> withDirty(Set<Attribute> touched, boolean everything) {
        Set<Attribute> candidates = new HashSet<>(touched);
        for (Attribute attribute : byName.values()) {
            if (everything || attribute.wasSet()) {
                candidates.add(attribute);
            }
        }
        return candidates;
    }

    private List<Pending> changed(Set<Attribute> candidates, Drafts drafts, boolean everything, boolean shared) {
        List<Pending> pending = new ArrayList<>();
        boolean anyTorn = false;
        boolean anyBehind = false;
        for (Attribute attribute : candidates) {
            // Removed together with its session, or by somebody else's commit.
            if (byName.get(attribute.name) != attribute) {
                continue;
            }
            Pending change = attribute.pending(home, host, drafts, everything, shared);
            if (change != null) {
                pending.add(change);
            }
            if (attribute.isDirty()) {
                perhapsDirty = true;
                anyTorn |= change == null && (!drafts.early || attribute.isBehind());
                anyBehind |= attribute.isBehind();
            } else if (attribute.wasSet() && attribute.toWrite(drafts.early, everything) != null) {
                // Set again, since it was drafted or because it waits.
                perhapsDirty = true;
            }
        }
        torn = anyTorn || drafts.areMissed() && !drafts.early;
        behind = anyBehind;
        return pending;
    }

    /** {@code overtaken}: what is known of the store is newer than this commit. {@code shared}: requests in flight use it. */
    void landed(List<Pending> sent, boolean overtaken, boolean shared) {
        for (Pending pending : sent) {
            if (overtaken) {
                pending.overtaken(shared);
            } else {
                pending.committed(shared);
                keep(pending, shared);
            }
            if (pending.attribute.isDirty()) {
                perhapsDirty = true;
            }
            dropIfVoid(pending.attribute);
        }
    }

    /** The store has it, though others had removed it while the commit began, and the entry was gone. */
    private void keep(Pending pending, boolean shared) {
        Attribute sent = pending.attribute;
        Attribute there = sent.exists() ? byName.putIfAbsent(sent.name, sent) : null;
        if (there != null && there != sent) {
            there.refresh(pending.bytes, shared);
            if (there.isDirty()) {
                perhapsDirty = true;
            }
        }
    }

    /** With their values, from those that are stored here; null if a delta was made from other bytes. */
    @Nullable
    List<Change> resolved(List<Change> changes) {
        List<Change> resolved = new ArrayList<>(changes.size());
        for (Change change : changes) {
            Attribute attribute = change.deltas == null ? null : byName.get(change.name);
            Change whole = change.resolved(attribute == null ? null : attribute.stored());
            if (whole == null) {
                return null;
            }
            resolved.add(whole);
        }
        return resolved;
    }

    /** {@code whole}: what is not among the changes is not in the store. {@code shared}: requests in flight use it. */
    void apply(List<Change> changes, boolean whole, boolean shared) {
        if (whole) {
            retain(changes, shared);
        }
        for (Change change : changes) {
            Attribute attribute = entry(change.name);
            attribute.refresh(change.value, shared);
            dropIfVoid(attribute);
            if (attribute.isDirty()) {
                perhapsDirty = true;
            }
        }
    }

    /** The store's session has only these; what is dirty or cannot leave this JVM stays. */
    private void retain(List<Change> changes, boolean shared) {
        Set<String> kept = new HashSet<>();
        for (Change change : changes) {
            kept.add(change.name);
        }
        for (Attribute attribute : byName.values()) {
            if (!kept.contains(attribute.name) && !attribute.isLocal()) {
                attribute.refresh(null, shared);
                dropIfVoid(attribute);
                if (attribute.isDirty()) {
                    perhapsDirty = true;
                }
            }
        }
    }

    /** Those whose objects threads of no request have had. Of all there are, some may write something else each time, and would undo what others commit. */
    Set<Attribute> strayed() {
        Set<Attribute> strayed = new HashSet<>();
        for (Attribute attribute : byName.values()) {
            if (attribute.hasStrayed()) {
                strayed.add(attribute);
            }
        }
        return strayed;
    }

    boolean anyChangedInPlace(Set<Attribute> among) {
        for (Attribute attribute : among) {
            if (attribute.changedInPlace(home)) {
                return true;
            }
        }
        return false;
    }

    List<Object> inMemory() {
        List<Object> values = new ArrayList<>();
        for (Attribute attribute : byName.values()) {
            values.addAll(inMemory(attribute));
        }
        return values;
    }

    private static Collection<Object> inMemory(Attribute attribute) {
        Object value = attribute.inMemory();
        return value == null ? Collections.emptyList() : Groups.objects(attribute.name, value);
    }

    /** What those that {@code hear} of it change in themselves by that is not sent; {@code shared}: but with what requests in flight, some of which may have come meanwhile, have changed. */
    void passivate(Predicate<Object> hear, BooleanSupplier shared) {
        for (Attribute attribute : byName.values()) {
            boolean heard = false;
            for (Object value : inMemory(attribute)) {
                heard |= hear.test(value);
            }
            if (heard && !shared.getAsBoolean()) {
                attribute.takeForStored(home);
            }
        }
    }

    /** What the application has in this JVM only, by its names: it is not here any more. */
    Map<String, Object> takeLocal() {
        Map<String, Object> taken = new HashMap<>();
        for (Attribute attribute : byName.values()) {
            boolean isGroup = Groups.isGroup(attribute.name);
            Object value = isGroup || !Attribute.isContainers(attribute.name) ? attribute.takeLocal() : null;
            if (value != null) {
                taken.putAll(isGroup ? Groups.members(value) : Collections.singletonMap(attribute.name, value));
                dropIfVoid(attribute);
            }
        }
        return taken;
    }

    boolean anyLocal() {
        for (Attribute attribute : byName.values()) {
            if (attribute.isLocal()) {
                return true;
            }
        }
        return false;
    }

    boolean anyDirty() {
        for (Attribute attribute : byName.values()) {
            if (attribute.isDirty()) {
                return true;
            }
        }
        return false;
    }

    /** Nothing here that could not be had from the store again. */
    boolean allStored() {
        for (Attribute attribute : byName.values()) {
            if (!attribute.isStored()) {
                return false;
            }
        }
        return true;
    }

    private Attribute entry(String name) {
        if (Groups.isGroup(name)) {
            perhapsGroups = true;
        }
        return byName.computeIfAbsent(name, n -> new Attribute(n, null));
    }

    private void dropIfVoid(Attribute attribute) {
        if (attribute.exists()) {
            return;
        }
        byName.remove(attribute.name, attribute);
        // It may have been set between the two.
        if (attribute.exists()) {
            byName.putIfAbsent(attribute.name, attribute);
        }
    }
}
