package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.session.SessionState;
import java.util.AbstractMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stands where Tomcat's session keeps its attributes. So all of Tomcat's own logic (listeners, bindings, checks) stays in
 * place, and no method with a servlet type in its signature needs to be overridden.
 */
final class AttributeMap extends AbstractMap<String, Object> implements ConcurrentMap<String, Object> {
    private final SessionState state;
    /** Told who has logged in, null for nobody any more, where that is said by an attribute. */
    private final Consumer<@Nullable String> login;

    AttributeMap(SessionState state, Consumer<@Nullable String> login) {
        this.state = state;
        this.login = login;
    }

    @Override
    public @Nullable Object get(@Nullable Object key) {
        return key instanceof String ? state.get((String) key) : null;
    }

    @Override
    public @Nullable Object put(String key, Object value) {
        if (key.equals(SpringLogin.ATTRIBUTE)) {
            login.accept(SpringLogin.user(value));
        }
        return state.set(key, value);
    }

    @Override
    public @Nullable Object remove(@Nullable Object key) {
        if (SpringLogin.ATTRIBUTE.equals(key)) {
            login.accept(null);
        }
        return key instanceof String ? state.remove((String) key) : null;
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return keySet().contains(key);
    }

    @Override
    public Set<String> keySet() {
        return state.names();
    }

    @Override
    public int size() {
        return keySet().size();
    }

    @Override
    public void clear() {
        for (String name : keySet()) {
            state.remove(name);
        }
    }

    @Override
    public Set<Map.Entry<String, Object>> entrySet() {
        Set<Map.Entry<String, Object>> entries = new HashSet<>();
        for (String name : keySet()) {
            Object value = state.get(name);
            if (value != null) {
                entries.add(new SimpleEntry<>(name, value));
            }
        }
        return entries;
    }

    // Tomcat uses none of the following. Each is atomic beside the others of them, and not beside put and remove.

    @Override
    public @Nullable Object putIfAbsent(String key, Object value) {
        synchronized (state) {
            Object known = get(key);
            return known != null ? known : put(key, value);
        }
    }

    @Override
    public boolean remove(@Nullable Object key, @Nullable Object value) {
        synchronized (state) {
            if (value == null || !Objects.equals(get(key), value)) {
                return false;
            }
            remove(key);
            return true;
        }
    }

    @Override
    public boolean replace(String key, Object before, Object after) {
        synchronized (state) {
            if (!Objects.equals(get(key), before)) {
                return false;
            }
            put(key, after);
            return true;
        }
    }

    @Override
    public @Nullable Object replace(String key, Object value) {
        synchronized (state) {
            return get(key) == null ? null : put(key, value);
        }
    }
}
