package dev.sojourn.agent.it;

import java.io.IOException;

/** One for each connector of a node. */
record Ports(int nio, int nio2, int apr) {
    static Ports free() throws IOException {
        return new Ports(Child.freePort(), Child.freePort(), Child.freePort());
    }
}
