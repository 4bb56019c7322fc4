package dev.sojourn.operator.proxy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.util.StringQuotingChecker;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Envoy's configuration as ordered maps and lists: the field names are Envoy's own, and its validator is their compiler. */
final class EnvoyYaml {

    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder()
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .stringQuotingChecker(new Quoting())
            .disable(YAMLGenerator.Feature.SPLIT_LINES)
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .build());

    private static final String TYPE_URL = "type.googleapis.com/";

    private EnvoyYaml() {}

    /** What Envoy takes for a number, and no feature above does: a user's text, which may be a key or a version, stays text. */
    private static final class Quoting extends StringQuotingChecker.Default {

        private static final long serialVersionUID = 1L;
        private static final Pattern HEXADECIMAL = Pattern.compile("[+-]?0[xX][0-9a-fA-F]+");

        @Override
        public boolean needToQuoteValue(String value) {
            return super.needToQuoteValue(value) || HEXADECIMAL.matcher(value).matches();
        }
    }

    /** Fields in the order given: name, value, name, value. */
    static Map<String, Object> fields(Object... namesAndValues) {
        var fields = new LinkedHashMap<String, Object>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            fields.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return fields;
    }

    /** A {@code google.protobuf.Any}. */
    static Map<String, Object> typed(String message, Object... namesAndValues) {
        var fields = fields("@type", TYPE_URL + message);
        fields.putAll(fields(namesAndValues));
        return fields;
    }

    /** An extension: its name and its configuration. */
    static Map<String, Object> extension(String name, Map<String, Object> typedConfig) {
        return fields("name", name, "typed_config", typedConfig);
    }

    static Map<String, Object> address(String host, int port) {
        return fields("socket_address", fields("address", host, "port_value", port));
    }

    /** A discovery service that is a file. Envoy watches the directory: whoever writes the file renames another one onto it. */
    static Map<String, Object> file(String directory, String name) {
        return fields(
                "resource_api_version",
                "V3",
                "path_config_source",
                fields("path", directory + "/" + name, "watched_directory", fields("path", directory)));
    }

    /** What stands in such a file. */
    static String resources(Map<String, Object> resource) {
        return render(fields("resources", List.of(resource)));
    }

    static String render(Map<String, Object> bootstrap) {
        try {
            return YAML.writeValueAsString(bootstrap);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("maps of strings and numbers can always be written", e);
        }
    }
}
