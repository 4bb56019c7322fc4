package dev.sojourn.bench.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.bench.peers.Variant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTest {
    @Test
    void variantsAreThoseNamed() {
        Settings settings = Settings.of(Map.of("VARIANTS", "local, sojourn-sync", "ALL", "1"));
        assertEquals(List.of(Variant.LOCAL, Variant.SOJOURN_SYNC), settings.variants());
    }

    @Test
    void allIsAll() {
        assertEquals(Variant.all(), Settings.of(Map.of("ALL", "1")).variants());
    }

    @Test
    void anUnknownVariantIsToldWithThoseThereAre() {
        var refusal = assertThrows(IllegalArgumentException.class, () -> Settings.of(Map.of("VARIANTS", "locale")));
        String message = String.valueOf(refusal.getMessage());
        assertTrue(message.contains("locale") && message.contains("spring-session"), message);
    }

    @Test
    void whatIsNoNumberIsToldWithItsName() {
        for (String wrong : new String[] {"-1", "0", "ten", "1.5"}) {
            var refusal = assertThrows(IllegalArgumentException.class, () -> Settings.of(Map.of("WARMUP", wrong)));
            assertEquals("WARMUP=" + wrong + " is not a whole number above 0", refusal.getMessage());
        }
    }
}
