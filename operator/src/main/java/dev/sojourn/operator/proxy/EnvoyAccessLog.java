package dev.sojourn.operator.proxy;

import static dev.sojourn.operator.proxy.EnvoyYaml.fields;
import static dev.sojourn.operator.proxy.EnvoyYaml.typed;

import java.util.List;
import java.util.Map;

/**
 * A line of JSON for every request. Who holds a session's id is that user, so no cookie and no query is in it, and no path that carries
 * parameters: where cookies are refused, servlet containers write {@code ;jsessionid=} there.
 */
final class EnvoyAccessLog {

    private static final String HAS_PARAMETERS = "[^?]*;.*";

    private EnvoyAccessLog() {}

    static List<Object> toStandardOutput() {
        return List.of(
                log("%PATH(NQ)%", true),
                // Its front part would do, but no formatter of Envoy's cuts a path at a semicolon.
                log("(not logged: it has path parameters)", false));
    }

    private static Object log(String path, boolean withoutParameters) {
        var header = fields("name", ":path", "string_match", fields("safe_regex", fields("regex", HAS_PARAMETERS)));
        header.put("invert_match", withoutParameters);
        var log = fields(
                "name", "envoy.access_loggers.stdout", "filter", fields("header_filter", fields("header", header)));
        log.put(
                "typed_config",
                typed(
                        "envoy.extensions.access_loggers.stream.v3.StdoutAccessLog",
                        "log_format",
                        fields("json_format", line(path))));
        return log;
    }

    private static Map<String, Object> line(String path) {
        return fields(
                "time", "%START_TIME%",
                "method", "%REQ(:METHOD)%",
                "path", path,
                "protocol", "%PROTOCOL%",
                "status", "%RESPONSE_CODE%",
                "flags", "%RESPONSE_FLAGS%",
                "details", "%RESPONSE_CODE_DETAILS%",
                "duration_ms", "%DURATION%",
                "upstream", "%UPSTREAM_HOST%",
                "attempts", "%UPSTREAM_REQUEST_ATTEMPT_COUNT%",
                "bytes_received", "%BYTES_RECEIVED%",
                "bytes_sent", "%BYTES_SENT%",
                "request_id", "%REQ(X-REQUEST-ID)%");
    }
}
