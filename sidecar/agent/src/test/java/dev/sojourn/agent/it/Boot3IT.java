package dev.sojourn.agent.it;

class Boot3IT extends BootConformance {
    Boot3IT() {
        super("3.5.7", true);
    }
}
