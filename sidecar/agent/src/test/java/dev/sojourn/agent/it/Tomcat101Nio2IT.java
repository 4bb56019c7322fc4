package dev.sojourn.agent.it;

class Tomcat101Nio2IT extends StandaloneConformance {
    Tomcat101Nio2IT() {
        super("10.1.54", true, Connector.NIO2);
    }
}
