package dev.sojourn.agent.it;

class Boot2IT extends BootConformance {
    Boot2IT() {
        super("2.7.18", false);
    }
}
