package dev.sojourn.agent.it;

/** How responses leave is the connector's; how sessions end, and what outages do, is no matter of it. */
class Tomcat101Nio2TlsIT extends TwoNodes implements SharingCases, ResponseCases, ServletCases {
    Tomcat101Nio2TlsIT() {
        super("10.1.54-nio2-tls", new StockTomcat("10.1.54", true, Connector.NIO2_TLS));
    }
}
