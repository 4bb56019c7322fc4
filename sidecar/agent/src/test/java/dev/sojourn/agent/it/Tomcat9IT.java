package dev.sojourn.agent.it;

class Tomcat9IT extends StandaloneConformance {
    Tomcat9IT() {
        super("9.0.100", false);
    }
}
