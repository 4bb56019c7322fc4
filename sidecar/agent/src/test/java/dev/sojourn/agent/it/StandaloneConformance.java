package dev.sojourn.agent.it;

/** On a Tomcat of its own. */
abstract class StandaloneConformance extends Conformance implements StandaloneCases {
    StandaloneConformance(String version, boolean jakarta) {
        super(version, new StockTomcat(version, jakarta));
    }
}
