package dev.sojourn.operator.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import io.fabric8.crdv2.generator.CRDGenerator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/** The CRD as the classes say it, with what the generator's annotations cannot express. */
final class GeneratedCrd {

    /** Bounds keep the CEL rules within the API server's cost budget, and a status within etcd. */
    private static final int DEFAULT_MAX_LENGTH = 253;

    private static final Map<String, Integer> MAX_LENGTH = Map.of(
            "message",
            4096,
            "url",
            1024,
            "storeUrl",
            1024,
            "healthCheckPath",
            1024,
            "image",
            1024,
            "deserializationFilter",
            4096,
            "agentSettings",
            20_000);

    /** Shown in full even when left out. Not the store: a default would stay beside an external one that is set later. */
    private static final Set<String> DEFAULTED = Set.of("session", "replication", "proxy", "service", "drain", "agent");

    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder()
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .disable(YAMLGenerator.Feature.SPLIT_LINES)
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .build());

    private GeneratedCrd() {}

    static String yaml(Path scratch) throws IOException {
        new CRDGenerator()
                .customResourceClasses(SessionCluster.class)
                .forCRDVersions("v1")
                .inOutputDir(scratch.toFile())
                .detailedGenerate();
        var crd = (ObjectNode)
                YAML.readTree(Files.readString(scratch.resolve("sessionclusters." + SessionCluster.GROUP + "-v1.yml")));
        var schema = (ObjectNode) crd.at("/spec/versions/0/schema/openAPIV3Schema");
        schema.put("description", "Keeps the HTTP sessions of one workload through the end of any of its pods.");
        schema.putArray("required").add("spec");
        columnsInReadingOrder((ObjectNode) crd.at("/spec/versions/0"));
        eachProperty(schema, GeneratedCrd::bound);
        conditionsAreAMap(schema);
        return "# Generated from operator/src/main/java/dev/sojourn/operator/api by `make generate`. Do not edit.\n"
                + YAML.writeValueAsString(crd);
    }

    /** The generator sorts by type and path; people read from left to right. */
    private static void columnsInReadingOrder(ObjectNode version) {
        var byName = new HashMap<String, JsonNode>();
        version.path("additionalPrinterColumns")
                .forEach(column -> byName.put(column.path("name").asText(), column));
        var ordered = version.putArray("additionalPrinterColumns");
        for (var name : List.of("Workload", "Mode", "Ready", "Injected", "Reason", "Message", "Age")) {
            ordered.add(byName.get(name));
        }
    }

    private static void bound(String name, ObjectNode property) {
        if (property.path("type").asText().equals("string") && !property.has("enum") && !property.has("maxLength")) {
            property.put("maxLength", MAX_LENGTH.getOrDefault(name, DEFAULT_MAX_LENGTH));
        }
        if (DEFAULTED.contains(name)) {
            property.putObject("default");
        }
        for (var limit : List.of("minimum", "maximum")) {
            if (property.has(limit)) {
                property.put(limit, property.get(limit).asLong());
            }
        }
        if (property.has("x-kubernetes-validations")) {
            // A record's annotation is found on its field and again on its accessor.
            var rules = new LinkedHashSet<JsonNode>();
            property.get("x-kubernetes-validations").forEach(rules::add);
            property.putArray("x-kubernetes-validations").addAll(rules);
        }
        if (name.equals("resources")) {
            // Device claims make no sense for these containers, and would need more bounds.
            ((ObjectNode) property.path("properties")).remove("claims");
        }
        if (property.path("type").asText().equals("array")) {
            // A pod that is not there any more in the spec answers until it goes: more than the 360 of the largest
            // store.
            property.put("maxItems", name.equals("storePods") ? 512 : 16);
        }
        if (property.path("additionalProperties").isObject()) {
            property.put("maxProperties", 16);
        }
    }

    private static void conditionsAreAMap(ObjectNode schema) {
        var conditions = (ObjectNode) schema.at("/properties/status/properties/conditions");
        conditions.put("x-kubernetes-list-type", "map");
        conditions.putArray("x-kubernetes-list-map-keys").add("type");
        var items = (ObjectNode) conditions.get("items");
        ((ObjectNode) items.at("/properties/lastTransitionTime")).put("format", "date-time");
        var required = items.putArray("required");
        for (var name : new String[] {"lastTransitionTime", "message", "reason", "status", "type"}) {
            required.add(name);
        }
    }

    private static void eachProperty(JsonNode schema, BiConsumer<String, ObjectNode> visitor) {
        schema.path("properties").properties().forEach(property -> {
            visitor.accept(property.getKey(), (ObjectNode) property.getValue());
            eachProperty(property.getValue(), visitor);
        });
        if (schema.path("items").isObject()) {
            eachProperty(schema.path("items"), visitor);
        }
    }
}
