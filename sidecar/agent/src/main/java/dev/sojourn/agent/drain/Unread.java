package dev.sojourn.agent.drain;

import dev.sojourn.agent.core.Log;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Requests that have reached this pod, and that no server in it has read yet. On a node whose cores are full a request can lie there for longer than
 * any pause one would wait for.
 *
 * <p>From {@code /proc/net/tcp}, which a container shares with its pod (proc_net(5)).
 */
final class Unread {
    private static final List<Path> TABLES = Arrays.asList(Paths.get("/proc/net/tcp"), Paths.get("/proc/net/tcp6"));

    private static final String ESTABLISHED = "01";
    private static final String LISTEN = "0A";

    private Unread() {}

    /** False where that cannot be seen. */
    static boolean any() {
        List<String> lines = new ArrayList<>();
        for (Path table : TABLES) {
            try {
                lines.addAll(Files.readAllLines(table, StandardCharsets.US_ASCII));
            } catch (NoSuchFileException e) {
                // Not Linux, or no such protocol.
            } catch (IOException e) {
                Log.debug("unread requests cannot be seen: " + e);
            }
        }
        return any(lines);
    }

    /** Only connections that were made to a server of this pod: what a database has to say does not hold up the end. */
    static boolean any(List<String> lines) {
        Set<String> served = new HashSet<>();
        for (String line : lines) {
            String[] fields = fields(line);
            if (isIn(LISTEN, fields)) {
                // Here it counts connections that wait to be accepted.
                if (waits(fields)) {
                    return true;
                }
                served.add(port(fields));
            }
        }
        for (String line : lines) {
            String[] fields = fields(line);
            if (isIn(ESTABLISHED, fields) && waits(fields) && served.contains(port(fields))) {
                return true;
            }
        }
        return false;
    }

    /** Number, local address, remote address, state, queues to send and to receive, and more. */
    private static String[] fields(String line) {
        return line.trim().split("\\s+", 6);
    }

    private static boolean isIn(String state, String[] fields) {
        return fields.length > 5 && fields[3].equals(state);
    }

    private static boolean waits(String[] fields) {
        String queues = fields[4];
        return !queues.substring(queues.indexOf(':') + 1).matches("0+");
    }

    private static String port(String[] fields) {
        return fields[1].substring(fields[1].lastIndexOf(':') + 1);
    }
}
