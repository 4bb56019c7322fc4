package dev.sojourn.agent.it;

import java.io.File;
import java.util.stream.Stream;

/** By what a Tomcat is reached. */
enum Connector {
    NIO("http", "org.apache.coyote.http11.Http11NioProtocol", ""),
    NIO2("http", "org.apache.coyote.http11.Http11Nio2Protocol", ""),
    /** Tomcat's native one, of Tomcat 9 only. */
    APR("http", "org.apache.coyote.http11.Http11AprProtocol", ""),
    /** Whoever can speaks HTTP/2, as browsers do. */
    TLS("https", "org.apache.coyote.http11.Http11NioProtocol", """
            <SSLHostConfig><Certificate certificateKeystoreFile="%s" certificateKeystorePassword="%s"/></SSLHostConfig>
            """),
    NIO2_TLS("https", "org.apache.coyote.http11.Http11Nio2Protocol", TLS.certificate);

    // A user's requests over HTTP/2 are on one connection, and a case may have more of them inside at once than the 20
    // of the default. None is closed because it is idle: a request that Java 17's client gives to one that closes just
    // then is never sent, nor failed.
    private static final String XML = """
            <Connector port="%d" address="127.0.0.1" protocol="%s" %s>
              <UpgradeProtocol className="org.apache.coyote.http2.Http2Protocol" maxConcurrentStreamExecution="100"
                  keepAliveTimeout="-1"/>
              %s
            </Connector>
            """;

    final String scheme;
    private final String protocol;
    private final String certificate;

    Connector(String scheme, String protocol, String certificate) {
        this.scheme = scheme;
        this.protocol = protocol;
        this.certificate = certificate;
    }

    /** For server.xml. */
    String xml(int port) {
        boolean secure = scheme.equals("https");
        return XML.formatted(
                port,
                protocol,
                secure ? "SSLEnabled=\"true\" scheme=\"https\" secure=\"true\"" : "",
                secure ? certificate.formatted(Certificate.keystore(), Certificate.PASSWORD) : "");
    }

    /** Debian: libtcnative-1. */
    static boolean hasNativeLibrary() {
        return Stream.of(System.getProperty("java.library.path", "").split(File.pathSeparator))
                .anyMatch(folder -> new File(folder, "libtcnative-1.so").exists());
    }
}
