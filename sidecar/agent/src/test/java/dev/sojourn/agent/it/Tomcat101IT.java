package dev.sojourn.agent.it;

class Tomcat101IT extends StandaloneConformance {
    Tomcat101IT() {
        super("10.1.54", true);
    }
}
