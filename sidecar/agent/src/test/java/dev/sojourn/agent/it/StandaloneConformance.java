package dev.sojourn.agent.it;

/** On a Tomcat of its own. */
abstract class StandaloneConformance extends Conformance implements StandaloneCases {
    StandaloneConformance(String version, boolean jakarta) {
        this(version, jakarta, Connector.NIO);
    }

    StandaloneConformance(String version, boolean jakarta, Connector connector) {
        super(version + "-" + connector, new StockTomcat(version, jakarta, connector));
    }
}
