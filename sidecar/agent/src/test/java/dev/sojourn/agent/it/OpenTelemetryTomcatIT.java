package dev.sojourn.agent.it;

class OpenTelemetryTomcatIT extends OpenTelemetryConformance {
    OpenTelemetryTomcatIT() {
        super("opentelemetry-tomcat", new StockTomcat("10.1.54", true));
    }
}
