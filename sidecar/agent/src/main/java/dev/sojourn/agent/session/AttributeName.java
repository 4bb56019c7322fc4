package dev.sojourn.agent.session;

import java.nio.charset.StandardCharsets;

/** What an attribute may be called so that a commit can carry it: the sidecar refuses the whole of one with another name in it. */
final class AttributeName {
    static final String WHY = "no commit can carry its name, which is a single NUL or has half of a surrogate pair;"
            + " give it another name";

    private AttributeName() {}

    static boolean canTravel(String name) {
        if (name.equals("\0")) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (Character.isSurrogate(name.charAt(i))) {
                // Not for all: an encoder is much for a name.
                return StandardCharsets.UTF_8.newEncoder().canEncode(name);
            }
        }
        return true;
    }
}
