package dev.sojourn.agent.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sojourn.agent.client.Refusal.Why;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RefusalTest {

    /** What nobody can say may be known on another pod, which may hold the session. */
    @ParameterizedTest
    @CsvSource({
        "BUSY, BUSY another request has had it for 15s, true",
        "BUSY, BUSY the store is away, false",
        "UNAVAILABLE, UNAVAILABLE the store is away, false"
    })
    void whoIsRefusedForAnotherRequestIsToldSo(Why why, String text, boolean withAnother) {
        assertEquals(withAnother, new Refusal(why, text).isWithAnother());
    }
}
