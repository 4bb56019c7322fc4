package dev.sojourn.agent.it;

/** As {@code server.ssl} and {@code server.http2} have it: how responses leave is a matter of that, and little else. */
class Boot4TlsIT extends TwoNodes implements SharingCases, ResponseCases, ServletCases {
    Boot4TlsIT() {
        super("boot-4.1.0-tls", new BootJar("4.1.0", true).secure());
    }
}
