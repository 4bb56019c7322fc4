package dev.sojourn.agent.session;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The attributes that live in groups. An attribute of the same name outside of any group was set by a pod that knows of no
 * group, later than the group's: it counts, until it is set here and moves in.
 */
final class Members {
    private final Home home;
    private final SessionState.Host host;
    private final Attributes attributes;

    Members(Home home, SessionState.Host host, Attributes attributes) {
        this.home = home;
        this.host = host;
        this.attributes = attributes;
    }

    /** The group that holds it now, whatever this pod's settings say. */
    @Nullable
    Attribute groupOf(String name) {
        for (Attribute group : attributes.groups()) {
            Object value = group.read(home, host);
            if (value != null && Groups.members(value).containsKey(name)) {
                return group;
            }
        }
        return null;
    }

    @Nullable
    Object get(Attribute group, String name) {
        Object value = group.read(home, host);
        return value == null ? null : Groups.members(value).get(name);
    }

    /** Where it is to live; null: alone. */
    @Nullable
    String placeOf(String name, Object value) {
        String group = home.groups.nameFor(name);
        return group != null && host.mayLeave(name, value) && !isSetAside(group) ? group : null;
    }

    /** To change it here would be to lose the members that this JVM cannot read. */
    private boolean isSetAside(String group) {
        Attribute known = attributes.find(group);
        return known != null && known.read(home, host) == null && known.isSetAside();
    }

    /** The group, changed. {@code compared}: the next commit compares what is in it already. */
    Attribute put(String group, String name, Object value, boolean compared) {
        Attribute known = attributes.find(group);
        // Outside of the monitor: it may run code of the application.
        Object read = known == null ? null : known.read(home, host);
        synchronized (this) {
            Attribute now = attributes.find(group);
            Object current = now == null || now == known ? read : now.read(home, host);
            Map<String, Object> members = current == null ? Groups.create() : Groups.members(current);
            boolean same = members.put(name, value) == value;
            return attributes.set(group, members, compared && same);
        }
    }

    synchronized void remove(Attribute group, String name) {
        Object value = group.read(home, host);
        if (value == null) {
            return;
        }
        Map<String, Object> members = Groups.members(value);
        members.remove(name);
        if (members.isEmpty()) {
            attributes.remove(group);
        } else {
            attributes.set(group.name, members, false);
        }
    }

    void addNames(Set<String> to) {
        for (Attribute group : attributes.groups()) {
            Object value = group.read(home, host);
            if (value != null) {
                to.addAll(Groups.members(value).keySet());
            }
        }
    }
}
