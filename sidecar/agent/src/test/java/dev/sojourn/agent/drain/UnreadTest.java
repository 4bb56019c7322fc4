package dev.sojourn.agent.drain;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UnreadTest {
    private static final String HEAD =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";
    private static final String LISTENING =
            "   0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 7 1 0";

    /** Of the sidecar, or of a tool in the same pod. */
    private static final String OTHERS =
            "   2: 00000000:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 9 1 0";

    private static final Unread UNREAD = Unread.of(List.of(HEAD, OTHERS, LISTENING), Set.of("7"));

    private static String connection(String local, String state, String queues) {
        return "   1: 0100007F:" + local + " 0100007F:D2F0 " + state + " " + queues
                + " 00:00000000 00000000     0        0 8 1 0";
    }

    @Test
    void bytesThatNobodyHasReadCount() {
        assertFalse(UNREAD.any(List.of(HEAD, LISTENING, connection("1F90", "01", "00000000:00000000"))));
        assertTrue(UNREAD.any(List.of(HEAD, LISTENING, connection("1F90", "01", "00000000:00000040"))));
    }

    @Test
    void connectionsThatNobodyHasAcceptedCount() {
        assertTrue(UNREAD.any(List.of(HEAD, LISTENING.replace(":00000000 00:", ":00000001 00:"))));
    }

    @Test
    void whatIsNotThisJvmsDoesNot() {
        assertFalse(UNREAD.any(List.of(HEAD, connection("1F91", "01", "00000000:00000040"))), "the sidecar's");
        assertFalse(
                UNREAD.any(List.of(HEAD, connection("C001", "01", "00000000:00000040"))), "what it asked for itself");
        assertFalse(UNREAD.any(List.of(HEAD, connection("1F90", "01", "00000040:00000000"))), "to be sent");
        assertFalse(UNREAD.any(List.of(HEAD, connection("1F90", "08", "00000000:00000040"))), "given up");
        assertFalse(UNREAD.any(List.of()));
    }

    @Test
    void theKernelShowsIt() throws Exception {
        try (var server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                var client = new Socket(server.getInetAddress(), server.getLocalPort());
                var accepted = server.accept()) {
            assertFalse(Unread.any());
            client.getOutputStream().write(1);
            while (!Unread.any()) {
                Thread.onSpinWait();
            }
            assertTrue(accepted.getInputStream().read() == 1);
            assertFalse(Unread.any());
        }
    }
}
