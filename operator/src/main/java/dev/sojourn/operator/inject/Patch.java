package dev.sojourn.operator.inject;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What makes one JSON document of another (RFC 6902). Not the shortest: libraries look for that in memory that grows with the square of a
 * list's length, and one pod with 20,000 variables, which anybody may send who may make pods, ended the operator.
 */
final class Patch {

    private final ArrayNode operations = JsonNodeFactory.instance.arrayNode();

    private Patch() {}

    static ArrayNode between(JsonNode from, JsonNode to) {
        var patch = new Patch();
        patch.value("", from, to);
        return patch.operations;
    }

    private void value(String path, JsonNode from, JsonNode to) {
        if (from.equals(to)) {
            return;
        }
        if (from instanceof ObjectNode before && to instanceof ObjectNode after) {
            fields(path, before, after);
        } else if (from instanceof ArrayNode before && to instanceof ArrayNode after) {
            items(path, before, after);
        } else {
            add("replace", path, to);
        }
    }

    private void fields(String path, ObjectNode from, ObjectNode to) {
        for (var field : from.properties()) {
            if (!to.has(field.getKey())) {
                add("remove", path + "/" + escaped(field.getKey()), null);
            }
        }
        for (var field : to.properties()) {
            var place = path + "/" + escaped(field.getKey());
            var before = from.get(field.getKey());
            if (before == null) {
                add("add", place, field.getValue());
            } else {
                value(place, before, field.getValue());
            }
        }
    }

    /** All that lies between what both begin with and what both end with. */
    private void items(String path, ArrayNode from, ArrayNode to) {
        var shorter = Math.min(from.size(), to.size());
        var begin = 0;
        while (begin < shorter && from.get(begin).equals(to.get(begin))) {
            begin++;
        }
        var end = 0;
        while (end < shorter - begin && from.get(from.size() - 1 - end).equals(to.get(to.size() - 1 - end))) {
            end++;
        }
        var both = shorter - end;
        for (int i = begin; i < both; i++) {
            value(path + "/" + i, from.get(i), to.get(i));
        }
        for (int i = from.size() - end - 1; i >= both; i--) {
            add("remove", path + "/" + i, null);
        }
        for (int i = both; i < to.size() - end; i++) {
            add("add", path + "/" + i, to.get(i));
        }
    }

    private void add(String operation, String path, @Nullable JsonNode value) {
        var added = operations.addObject().put("op", operation).put("path", path);
        if (value != null) {
            added.set("value", value);
        }
    }

    private static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }
}
