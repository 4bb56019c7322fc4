package dev.sojourn.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SocketBytesTest {
    @Test
    void allConnectionsTogether() {
        String sockets = """
                0 0 127.0.0.1:23832 127.0.0.1:58758
                \t bbr bytes_sent:1443 bytes_acked:1443 bytes_received:13185 segs_out:51
                0 0 127.0.0.1:23832 127.0.0.1:58784
                \t bbr bytes_sent:1599 bytes_acked:1599 bytes_received:15 segs_out:58
                """;
        assertEquals(13_200, SocketBytes.sum(sockets));
    }
}
