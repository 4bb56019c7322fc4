package dev.sojourn.operator.inject;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/** Adds the agent to a container's {@code JAVA_TOOL_OPTIONS}, whatever is there already. */
final class JavaToolOptions {

    static final String VARIABLE = "JAVA_TOOL_OPTIONS";

    /** Holds the user's options where they come from a ConfigMap or Secret: their text is unknown to us. */
    static final String USERS_VARIABLE = "SOJOURN_USER_JAVA_TOOL_OPTIONS";

    static final String AGENT = "-javaagent:/sojourn/agent/sojourn-agent.jar";

    private JavaToolOptions() {}

    /** @return a warning, where options that we cannot see may have been hidden */
    static Optional<String> addAgent(ObjectNode container) {
        var env = container.path("env") instanceof ArrayNode there ? there : container.putArray("env");
        var index = indexOf(env);
        if (index < 0) {
            env.addObject().put("name", VARIABLE).put("value", AGENT);
            return hidden(container);
        }
        var variable = (ObjectNode) env.get(index);
        if (variable.has("valueFrom")) {
            // $(NAME) is expanded only if NAME stands before it.
            variable.put("name", USERS_VARIABLE);
            var ours = env.insertObject(index + 1);
            ours.put("name", VARIABLE).put("value", "$(" + USERS_VARIABLE + ") " + AGENT);
        } else {
            var value = variable.path("value").asText("");
            if (!value.contains(AGENT)) {
                variable.put("value", value.isEmpty() ? AGENT : value + " " + AGENT);
            }
        }
        return Optional.empty();
    }

    private static int indexOf(ArrayNode env) {
        // The last one wins, as it does in the container.
        for (int i = env.size() - 1; i >= 0; i--) {
            if (env.path(i).path("name").asText().equals(VARIABLE)) {
                return i;
            }
        }
        return -1;
    }

    private static Optional<String> hidden(JsonNode container) {
        return container.path("envFrom").isEmpty()
                ? Optional.empty()
                : Optional.of("container " + container.path("name").asText() + " takes variables from envFrom; if "
                        + VARIABLE + " is among them, sojourn.dev hides it: set it under env instead");
    }
}
