package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.Randomly;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Any text is a setting: somebody has typed it, and the application starts all the same. */
class GroupSettingTest {
    @Test
    void onlyTheStarMeansAnythingInAPattern() {
        assertEquals("\0group:a\\E(", Groups.of("a\\E(").nameFor("a\\E("));
        assertNull(Groups.of("\\E.").nameFor("x"));
        assertEquals("\0group:\\Qx\\E*", Groups.of("\\Qx\\E*").nameFor("\\Qx\\Eyz"));
    }

    @Test
    void anyTextIsASettingAndMeansItself() throws Exception {
        Randomly.run(random -> {
            String setting = text(random);
            Groups groups = Groups.of(setting);
            for (String group : setting.split(";", -1)) {
                for (String item : group.split(",", -1)) {
                    if (!item.trim().isEmpty()) {
                        String attribute = item.trim().replace("*", text(random));
                        String name = groups.nameFor(attribute);
                        assertNotNull(name, setting + " has no group for " + attribute);
                        assertTrue(Groups.isGroup(name));
                    }
                }
            }
            groups.nameFor(text(random));
        });
    }

    private static String text(Random random) {
        String of = "ab.*,; \\QE()[]{}^$|?+\0\nä";
        StringBuilder text = new StringBuilder();
        for (int length = random.nextInt(12); length > 0; length--) {
            text.append(of.charAt(random.nextInt(of.length())));
        }
        return text.toString();
    }
}
