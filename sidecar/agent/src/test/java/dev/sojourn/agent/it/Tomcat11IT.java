package dev.sojourn.agent.it;

class Tomcat11IT extends StandaloneConformance {
    Tomcat11IT() {
        super("11.0.24", true);
    }
}
