package dev.sojourn.agent.it;

class Tomcat9IT extends Conformance {
    Tomcat9IT() {
        super("9.0.100", false);
    }
}
