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
        var index = indexOf(env);
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
        return Optional.empty();
    }

    private int indexOf(ArrayNode env) {
        // The last one wins, as it does in the container.
        for (int i = env.size() - 1; i >= 0; i--) {
            if (env.path(i).path("name").asText().equals(variable)) {
                return i;
            }
        }
        return -1;
    }

    private Optional<String> hidden(JsonNode container) {
        return container.path("envFrom").isEmpty()
                ? Optional.empty()
                : Optional.of("container " + container.path("name").asText() + " takes variables from envFrom; if "
                        + variable + " is among them, sojourn.dev hides it: set it under env instead, or choose another"
                        + " variable with spec.injection.javaOptionsEnv");
    }
}
