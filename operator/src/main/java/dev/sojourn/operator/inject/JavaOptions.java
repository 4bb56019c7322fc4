package dev.sojourn.operator.inject;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * Adds the agent to the variable that a container's Java takes options from, whatever is there already. At the end: agents start in
 * their order, and ours is to see the classes as the others leave them.
 */
final class JavaOptions {

    static final String AGENT = "-javaagent:/sojourn/agent/sojourn-agent.jar";

    /** Before the name of the variable: holds the user's options where they come from a ConfigMap or Secret, and their text is unknown. */
    private static final String USERS = "SOJOURN_USER_";

    private final String variable;

    JavaOptions(String variable) {
        this.variable = variable;
    }

    /** @return a warning, where options that we cannot see may have been hidden */
    Optional<String> addAgent(ObjectNode container) {
        var env = container.path("env") instanceof ArrayNode there ? there : container.putArray("env");
        var index = indexOf(env, variable);
        if (index < 0) {
            env.addObject().put("name", variable).put("value", AGENT);
            return hidden(container);
        }
        var there = (ObjectNode) env.get(index);
        if (there.has("valueFrom")) {
            // $(NAME) is expanded only if NAME stands before it.
            there.put("name", USERS + variable);
            var ours = env.insertObject(index + 1);
            ours.put("name", variable).put("value", "$(" + USERS + variable + ") " + AGENT);
        } else {
            var value = there.path("value").asText("");
            if (!value.contains(AGENT)) {
                there.put("value", value.isEmpty() ? AGENT : value + " " + AGENT);
            }
        }
        nothingIfAbsent(env);
        return Optional.empty();
    }

    /**
     * The kubelet skips an optional variable whose ConfigMap, Secret or key is not there, and leaves a reference to it as it is written:
     * Java would take that for an option, and no pod would start. So the variable is there before, with nothing in it; of two with one
     * name the later one holds.
     */
    private void nothingIfAbsent(ArrayNode env) {
        var index = indexOf(env, USERS + variable);
        if (index < 0 || !isOptional(env.path(index))) {
            return;
        }
        for (int i = 0; i < index; i++) {
            if (isNamed(env.path(i), USERS + variable)) {
                return;
            }
        }
        env.insertObject(index).put("name", USERS + variable).put("value", "");
    }

    private static boolean isOptional(JsonNode variable) {
        return variable.path("valueFrom").properties().stream()
                .anyMatch(source -> source.getValue().path("optional").asBoolean());
    }

    /** The last one wins, as it does in the container. */
    private static int indexOf(ArrayNode env, String name) {
        for (int i = env.size() - 1; i >= 0; i--) {
            if (isNamed(env.path(i), name)) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isNamed(JsonNode variable, String name) {
        return variable.path("name").asText().equals(name);
    }

    private Optional<String> hidden(JsonNode container) {
        return container.path("envFrom").isEmpty()
                ? Optional.empty()
                : Optional.of("container " + container.path("name").asText() + " takes variables from envFrom; if "
                        + variable + " is among them, sojourn.dev hides it: set it under env instead, or choose another"
                        + " variable with spec.injection.javaOptionsEnv");
    }
}
