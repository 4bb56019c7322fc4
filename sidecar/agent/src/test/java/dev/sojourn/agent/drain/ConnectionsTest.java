package dev.sojourn.agent.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.drain.Connections.Look;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ConnectionsTest {
    private static final String HEAD =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";
    private static final String LISTENING =
            "   0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 7 1 0";

    /** Of the sidecar, or of a tool in the same pod. */
    private static final String OTHERS =
            "   2: 00000000:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 9 1 0";

    private static String connection(String local, String state, String queues) {
        return "   1: 0100007F:" + local + " 0100007F:D2F0 " + state + " " + queues
                + " 00:00000000 00000000     0        0 8 1 0";
    }

    @Test
    void bytesThatNobodyHasReadCount() {
        assertEquals(Look.OPEN, look(LISTENING, connection("1F90", "01", "00000000:00000000")));
        assertEquals(Look.UNREAD, look(LISTENING, connection("1F90", "01", "00000000:00000040")));
    }

    @Test
    void connectionsThatNobodyHasAcceptedCount() {
        assertEquals(Look.UNREAD, look(LISTENING.replace(":00000000 00:", ":00000001 00:")));
    }

    @Test
    void whatIsNotThisJvmsDoesNot() {
        assertEquals(Look.NONE, look(LISTENING));
        assertEquals(Look.NONE, look(LISTENING, connection("1F91", "01", "00000000:00000040")), "the sidecar's");
        assertEquals(
                Look.NONE, look(LISTENING, connection("C001", "01", "00000000:00000040")), "what it asked for itself");
        assertEquals(Look.OPEN, look(LISTENING, connection("1F90", "01", "00000040:00000000")), "to be sent");
        assertEquals(Look.NONE, look(LISTENING, connection("1F90", "08", "00000000:00000040")), "given up");
        assertEquals(Look.NONE, look());
    }

    private static Look look(String... lines) {
        List<String> table = new ArrayList<>(List.of(HEAD, OTHERS));
        table.addAll(List.of(lines));
        return Connections.look(table, Set.of("7"));
    }

    @Test
    void theKernelShowsIt() throws Exception {
        try (var server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                var client = new Socket(server.getInetAddress(), server.getLocalPort());
                var accepted = server.accept()) {
            assertEquals(Look.OPEN, Connections.look());
            client.getOutputStream().write(1);
            while (Connections.look() != Look.UNREAD) {
                Thread.onSpinWait();
            }
            assertTrue(accepted.getInputStream().read() == 1);
            assertEquals(Look.OPEN, Connections.look());
        }
    }
}
