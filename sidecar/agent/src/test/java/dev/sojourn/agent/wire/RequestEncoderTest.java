package dev.sojourn.agent.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RequestEncoderTest {
    @Test
    void numbersAreWrittenAsTheyAreRead() {
        long[] numbers = {0, 1, -1, 9, 10, -10, 99, 100, 1_234_567_890_123L, Long.MAX_VALUE, Long.MIN_VALUE};
        for (long number : numbers) {
            String text = Long.toString(number);
            RequestEncoder encoder = new RequestEncoder().begin(1).bulk(number);
            String wire = text(encoder);
            assertEquals("*1\r\n$" + text.length() + "\r\n" + text + "\r\n", wire);
        }
    }

    @Test
    void whatOneLargeRequestNeededIsNotKept() {
        RequestEncoder encoder = new RequestEncoder().begin(1).bulk(new byte[600 << 10]);
        encoder.clear();
        assertTrue(encoder.buffer().length <= 256 << 10, encoder.buffer().length + " bytes are kept");
    }

    /** It has been sent by then. */
    @Test
    void toForgetOneTakesNoMemory() {
        RequestEncoder encoder = new RequestEncoder().begin(1).bulk(new byte[600 << 10]);
        encoder.clear();
        assertEquals(0, encoder.buffer().length);
        assertEquals("*1\r\n$1\r\n7\r\n", text(encoder.begin(1).bulk(7)));
    }

    private static String text(RequestEncoder encoder) {
        return new String(encoder.buffer(), 0, encoder.length(), StandardCharsets.US_ASCII);
    }
}
