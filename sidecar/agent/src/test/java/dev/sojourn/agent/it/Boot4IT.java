package dev.sojourn.agent.it;

class Boot4IT extends BootConformance {
    Boot4IT() {
        super("4.1.0", true);
    }
}
