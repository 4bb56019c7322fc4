package dev.sojourn.agent.it;

class OpenTelemetryBootIT extends OpenTelemetryConformance {
    OpenTelemetryBootIT() {
        super("opentelemetry-boot", new BootJar("3.5.7", true));
    }
}
