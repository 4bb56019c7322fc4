package dev.sojourn.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResponseTest {
    @Test
    void aBodyWithALength() {
        Response response = read(
                "HTTP/1.1 200 \r\nSet-Cookie: JSESSIONID=AB; Path=/app; HttpOnly\r\nContent-Length: 5\r\n\r\n1 2 3");
        assertEquals(200, response.status());
        assertEquals("1 2 3", response.body());
        assertEquals(Map.of("JSESSIONID", "AB"), response.cookies());
    }

    @Test
    void aBodyInChunks() {
        Response response = read("HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
        assertEquals("abcde", response.body());
        assertEquals(5, response.length());
    }

    @Test
    void noBody() {
        assertEquals(
                0,
                read("HTTP/1.1 302 \r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                        .length());
    }

    /** Byte by byte, as a slow network would have it. */
    private static Response read(String text) {
        Response response = new Response();
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < bytes.length - 1; i++) {
            assertFalse(response.read(ByteBuffer.wrap(bytes, i, 1)), "complete too early, at byte " + i);
        }
        assertTrue(response.read(ByteBuffer.wrap(bytes, bytes.length - 1, 1)));
        return response;
    }
}
