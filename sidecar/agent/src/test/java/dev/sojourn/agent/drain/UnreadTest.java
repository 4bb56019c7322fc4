package dev.sojourn.agent.drain;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnreadTest {
    private static final String HEAD =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";
    private static final String LISTENING =
            "   0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 7 1 0";

    private static String connection(String local, String state, String queues) {
        return "   1: 0100007F:" + local + " 0100007F:D2F0 " + state + " " + queues
                + " 00:00000000 00000000     0        0 8 1 0";
    }

    @Test
    void bytesThatNoServerHasReadCount() {
        assertFalse(Unread.any(List.of(HEAD, LISTENING, connection("1F90", "01", "00000000:00000000"))));
        assertTrue(Unread.any(List.of(HEAD, LISTENING, connection("1F90", "01", "00000000:00000040"))));
        assertTrue(
                Unread.any(List.of(HEAD, connection("1F90", "01", "00000000:00000040"), LISTENING)),
                "whatever their order");
    }

    @Test
    void connectionsThatNobodyHasAcceptedCount() {
        assertTrue(Unread.any(List.of(HEAD, LISTENING.replace(":00000000 00:", ":00000001 00:"))));
    }

    @Test
    void whatThePodItselfHasAskedForDoesNot() {
        assertFalse(Unread.any(List.of(HEAD, LISTENING, connection("C001", "01", "00000000:00000040"))));
        assertFalse(Unread.any(List.of(HEAD, LISTENING, connection("1F90", "01", "00000040:00000000"))), "to be sent");
        assertFalse(Unread.any(List.of(HEAD, LISTENING, connection("1F90", "08", "00000000:00000040"))), "given up");
        assertFalse(Unread.any(List.of()));
    }

    @Test
    void theKernelShowsIt() throws Exception {
        try (var server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                var client = new Socket(server.getInetAddress(), server.getLocalPort());
                var accepted = server.accept()) {
            client.getOutputStream().write(1);
            while (!Unread.any()) {
                Thread.onSpinWait();
            }
            assertTrue(accepted.getInputStream().read() == 1);
        }
    }
}
