package dev.sojourn.operator.proxy;

import static dev.sojourn.operator.proxy.EnvoyYaml.extension;
import static dev.sojourn.operator.proxy.EnvoyYaml.fields;
import static dev.sojourn.operator.proxy.EnvoyYaml.typed;

import java.util.List;
import java.util.Map;

/**
 * HTTPS. The certificate comes over SDS from a file, because only then does Envoy look at the Secret's mount again: a new one is taken
 * for new connections, without a new listener and so without the end of a connection.
 */
final class EnvoyTls {

    static final String CERTIFICATE_DIRECTORY = "/sojourn/tls";
    static final String CONFIG_DIRECTORY = "/config";
    static final String SDS_FILE = "sds.yaml";

    private static final String SECRET = "server";

    private EnvoyTls() {}

    static Map<String, Object> downstream() {
        return extension(
                "envoy.transport_sockets.tls",
                typed(
                        "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
                        "common_tls_context",
                        fields(
                                "alpn_protocols",
                                List.of("h2", "http/1.1"),
                                "tls_params",
                                fields("tls_minimum_protocol_version", "TLSv1_2"),
                                "tls_certificate_sds_secret_configs",
                                List.of(fields(
                                        "name", SECRET, "sds_config", EnvoyYaml.file(CONFIG_DIRECTORY, SDS_FILE))))));
    }

    /** What the SDS file says: where the certificate lies, and which directory to watch. The kubelet renames a link in it. */
    static String secrets() {
        return EnvoyYaml.resources(typed(
                "envoy.extensions.transport_sockets.tls.v3.Secret",
                "name",
                SECRET,
                "tls_certificate",
                fields(
                        "certificate_chain",
                        fields("filename", CERTIFICATE_DIRECTORY + "/" + TlsSecret.CERTIFICATE),
                        "private_key",
                        fields("filename", CERTIFICATE_DIRECTORY + "/" + TlsSecret.KEY),
                        "watched_directory",
                        fields("path", CERTIFICATE_DIRECTORY))));
    }
}
