package dev.sojourn.agent.drain;

import dev.sojourn.agent.core.Log;
import java.io.File;
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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Connections to this JVM's ports. On a node whose cores are full a request can lie in one for longer than any pause one would wait for; and whoever has
 * heard of this pod's end closes those that he kept.
 *
 * <p>From {@code /proc/net/tcp}, which shows the sockets of the whole pod (proc_net(5)), and {@code /proc/self/fd}, which tells whose they are: what the sidecar is
 * asked, by probes and proxies, does not hold up the end.
 */
final class Connections {
    /** The most that one of them asks for. */
    enum Look {
        /** There is none. */
        NONE,
        /** Somebody keeps one, and may send something. */
        OPEN,
        /** Somebody has sent what nobody has read yet. */
        UNREAD
    }

    private static final List<Path> TABLES = Arrays.asList(Paths.get("/proc/net/tcp"), Paths.get("/proc/net/tcp6"));
    private static final File DESCRIPTORS = new File("/proc/self/fd");

    private static final String ESTABLISHED = "01";
    private static final String LISTEN = "0A";

    private Connections() {}

    /** None where they cannot be seen. Takes milliseconds of a core: the kernel goes through the table of the whole node. */
    static Look look() {
        // First: with thousands of connections this takes its time, and what lies unread is to be of the moment's end.
        Set<String> sockets = sockets();
        return look(lines(), sockets);
    }

    /** {@code own}: the inodes of this process' sockets. */
    static Look look(List<String> lines, Set<String> own) {
        List<Entry> entries = new ArrayList<>(lines.size());
        Set<String> ports = new HashSet<>();
        for (String line : lines) {
            Entry entry = Entry.of(line);
            if (entry != null) {
                entries.add(entry);
                if (entry.listens && own.contains(entry.inode)) {
                    ports.add(entry.port);
                }
            }
        }
        Look look = Look.NONE;
        for (Entry entry : entries) {
            if (ports.contains(entry.port)) {
                // Of a socket that listens the queue counts connections that wait to be accepted.
                if (entry.waits) {
                    return Look.UNREAD;
                }
                look = entry.listens ? look : Look.OPEN;
            }
        }
        return look;
    }

    /** A socket that listens, or is connected. */
    private static final class Entry {
        /** Number, local address, remote address, state, queues to send and to receive, timer, retransmits, user, time-out, inode, and more. */
        private static final int INODE = 9;

        private static final Pattern BLANKS = Pattern.compile("\\s+");

        final boolean listens;
        final String port;
        final boolean waits;
        final String inode;

        private Entry(String[] fields) {
            listens = fields[3].equals(LISTEN);
            port = afterColon(fields[1]);
            waits = Long.parseLong(afterColon(fields[4]), 16) > 0;
            inode = fields[INODE];
        }

        /** Null for all others, and for the table's head. */
        static @Nullable Entry of(String line) {
            String[] fields = BLANKS.split(line.trim(), INODE + 2);
            boolean wanted = fields.length > INODE && (fields[3].equals(ESTABLISHED) || fields[3].equals(LISTEN));
            return wanted ? new Entry(fields) : null;
        }

        private static String afterColon(String field) {
            return field.substring(field.lastIndexOf(':') + 1);
        }
    }

    private static List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (Path table : TABLES) {
            try {
                for (String line : Files.readAllLines(table, StandardCharsets.US_ASCII)) {
                    // Most of a busy pod's have ended, and are not worth their time.
                    if (line.contains(" " + ESTABLISHED + " ") || line.contains(" " + LISTEN + " ")) {
                        lines.add(line);
                    }
                }
            } catch (NoSuchFileException e) {
                // Not Linux, or no such protocol.
            } catch (IOException e) {
                Log.debug("connections cannot be seen: " + e);
            }
        }
        return lines;
    }

    private static Set<String> sockets() {
        Set<String> inodes = new HashSet<>();
        String[] names = DESCRIPTORS.list();
        for (String name : names == null ? new String[0] : names) {
            try {
                String target = Files.readSymbolicLink(DESCRIPTORS.toPath().resolve(name))
                        .toString();
                if (target.startsWith("socket:[")) {
                    inodes.add(target.substring("socket:[".length(), target.length() - 1));
                }
            } catch (IOException e) {
                // It was closed while we looked.
            }
        }
        return inodes;
    }
}
