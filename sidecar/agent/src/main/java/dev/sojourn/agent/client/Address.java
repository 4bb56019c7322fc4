package dev.sojourn.agent.client;

import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.jspecify.annotations.Nullable;

/** Where the sidecar listens, and how a connection to it begins. */
public final class Address {
    private final @Nullable String path;
    /** Null: it is the Unix socket at {@link #path}. */
    private final @Nullable String host;

    private final int port;
    private final @Nullable File tokenFile;

    private Address(@Nullable String path, @Nullable String host, int port, @Nullable File tokenFile) {
        this.path = path;
        this.host = host;
        this.port = port;
        this.tokenFile = tokenFile;
    }

    /** The Unix socket where there is a choice and this JVM knows such; loopback TCP is for those before Java 16. */
    public static Address choose(@Nullable String socket, @Nullable String tcp, @Nullable String tokenFile) {
        if (socket != null && (tcp == null || hasUnixSockets())) {
            return unix(socket);
        }
        if (tcp == null) {
            throw new IllegalArgumentException("neither socket nor tcp is set");
        }
        return tcp(tcp, tokenFile, socket);
    }

    public static Address unix(String path) {
        return new Address(path, null, 0, null);
    }

    /**
     * {@code host:port}, loopback only: sessions do not cross the pod's border unprotected. {@code besideSocket}: the socket that this JVM
     * does not know how to use, for the files in its folder.
     */
    static Address tcp(String hostAndPort, @Nullable String tokenFile, @Nullable String besideSocket) {
        int colon = hostAndPort.lastIndexOf(':');
        String host = colon < 0 ? "" : hostAndPort.substring(0, colon);
        if (!host.equals("127.0.0.1") && !host.equals("localhost") && !host.equals("[::1]")) {
            throw new IllegalArgumentException("tcp must be 127.0.0.1:<port>, not " + hostAndPort);
        }
        int port = Integer.parseInt(hostAndPort.substring(colon + 1));
        File token = tokenFile == null ? null : new File(tokenFile);
        return new Address(besideSocket, host, port, token);
    }

    /** A file beside the Unix socket; null where there is none. */
    @Nullable
    File beside(String name) {
        return path == null || name.indexOf('/') >= 0
                ? null
                : new File(new File(path).getAbsoluteFile().getParentFile(), name);
    }

    SocketChannel connect() throws IOException {
        if (host == null && path != null) {
            return SocketChannel.open(unixAddress(path));
        }
        SocketChannel channel = SocketChannel.open(new InetSocketAddress(host, port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return channel;
    }

    /** Read anew for every connection: the sidecar may have been given another one. */
    @Nullable
    String token() throws IOException {
        if (tokenFile == null) {
            return null;
        }
        return new String(Files.readAllBytes(tokenFile.toPath()), StandardCharsets.UTF_8).trim();
    }

    // The class came with Java 16; one reflective call spares a second set of class files.
    private static SocketAddress unixAddress(String path) throws IOException {
        try {
            return (SocketAddress) Class.forName("java.net.UnixDomainSocketAddress")
                    .getMethod("of", String.class)
                    .invoke(null, path);
        } catch (ReflectiveOperationException e) {
            throw new IOException("this JVM has no Unix sockets (Java 16 or later has); use tcp=127.0.0.1:<port>", e);
        }
    }

    private static boolean hasUnixSockets() {
        try {
            Class.forName("java.net.UnixDomainSocketAddress");
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    @Override
    public String toString() {
        return host != null ? host + ":" + port : String.valueOf(path);
    }
}
