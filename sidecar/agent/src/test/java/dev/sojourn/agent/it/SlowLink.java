package dev.sojourn.agent.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What lies between daemons and their store: each byte arrives, as late as it is told, in both directions. */
final class SlowLink implements AutoCloseable {
    /** Some bytes, none at the end, and when they are to arrive. */
    private record Due(long nanos, byte[] bytes) {}

    private final ServerSocket entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int storePort;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private volatile long delayNanos;

    SlowLink(int storePort) throws IOException {
        this.storePort = storePort;
        threads.submit(this::accept);
    }

    int port() {
        return entrance.getLocalPort();
    }

    /** Of what comes from now on, each way. */
    void delay(long millis) {
        delayNanos = TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private Void accept() throws IOException {
        while (true) {
            Socket client = keep(entrance.accept());
            Socket store = keep(new Socket(InetAddress.getLoopbackAddress(), storePort));
            pass(client, store);
            pass(store, client);
        }
    }

    private Socket keep(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        sockets.add(socket);
        return socket;
    }

    private void pass(Socket from, Socket to) {
        BlockingQueue<Due> underWay = new LinkedBlockingQueue<>();
        threads.submit(() -> read(from, underWay));
        threads.submit(() -> write(to, underWay));
    }

    private Void read(Socket from, BlockingQueue<Due> underWay) throws IOException {
        byte[] buffer = new byte[64 * 1024];
        try (InputStream in = from.getInputStream()) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                underWay.add(new Due(System.nanoTime() + delayNanos, Arrays.copyOf(buffer, count)));
            }
        } finally {
            underWay.add(new Due(System.nanoTime() + delayNanos, new byte[0]));
        }
        return null;
    }

    private static Void write(Socket to, BlockingQueue<Due> underWay) throws IOException, InterruptedException {
        try (OutputStream out = to.getOutputStream()) {
            for (Due due = underWay.take(); due.bytes.length > 0; due = underWay.take()) {
                TimeUnit.NANOSECONDS.sleep(due.nanos - System.nanoTime());
                out.write(due.bytes);
            }
        }
        return null;
    }

    @Override
    public void close() throws IOException {
        entrance.close();
        for (Socket socket : sockets) {
            socket.close();
        }
        threads.shutdownNow();
    }
}
