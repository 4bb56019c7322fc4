package dev.sojourn.agent.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WildcardTest {
    @ParameterizedTest
    @CsvSource({
        "/shop/events, /shop/events, true",
        "/shop/events, /shop/events/, false",
        "/shop/events, /other/shop/events, false",
        "/shop/poll/*, /shop/poll/a/b, true",
        "/shop/poll/*, /shop/poll, false",
        "*/heartbeat, /a/b/heartbeat, true",
        "*.sse, /shop/news.sse, true",
        "*.sse, /shop/newsXsse, false",
        "*, anything, true",
        "a\\E*, a\\E.b, true",
    })
    void onlyTheAsteriskIsMoreThanItself(String pattern, String text, boolean matches) {
        assertEquals(matches, Wildcard.compiled(pattern).matcher(text).matches());
    }
}
