package dev.sojourn.agent.it;

class Tomcat101IT extends Conformance {
    Tomcat101IT() {
        super("10.1.54", true);
    }
}
