package dev.sojourn.operator.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** One connection that a test holds in its hand, where a client library would quietly open another. */
final class Http1 implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 20_000;

    private final Socket socket;

    private Http1(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE_MILLIS);
    }

    static Http1 plain(int port) throws IOException {
        return plain(InetAddress.getLoopbackAddress(), port);
    }

    static Http1 plain(InetAddress address, int port) throws IOException {
        return new Http1(new Socket(address, port));
    }

    static Http1 tls(int port) throws IOException {
        var socket = (SSLSocket) trusting().getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
        socket.startHandshake();
        return new Http1(socket);
    }

    /** A response: its status line and headers, and its body. */
    record Response(String head, String body) {

        int status() {
            return Integer.parseInt(head.split(" ")[1]);
        }

        String header(String name) {
            return head.lines()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ": "))
                    .map(line -> line.substring(name.length() + 2))
                    .findFirst()
                    .orElse("");
        }
    }

    Response get(String path, String... headers) throws IOException {
        return exchange("GET", path, headers);
    }

    Response exchange(String method, String path, String... headers) throws IOException {
        send(method, path, headers);
        return receive();
    }

    void send(String method, String path, String... headers) throws IOException {
        var head = new StringBuilder(method + " " + path + " HTTP/1.1\r\nhost: shop.example\r\n");
        for (var header : headers) {
            head.append(header).append("\r\n");
        }
        write(head.append("\r\n").toString());
    }

    Response receive() throws IOException {
        var head = head(socket.getInputStream());
        var response = new Response(head, "");
        var length = response.header("content-length");
        return length.isEmpty() ? response : new Response(head, read(Integer.parseInt(length)));
    }

    void write(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    }

    String read(int length) throws IOException {
        return new String(socket.getInputStream().readNBytes(length), ISO_8859_1);
    }

    boolean isAtItsEnd() throws IOException {
        return socket.getInputStream().read() < 0;
    }

    X509Certificate certificate() throws IOException {
        return (X509Certificate) ((SSLSocket) socket).getSession().getPeerCertificates()[0];
    }

    /** Up to the empty line; empty where the connection ends before. */
    static String head(InputStream in) throws IOException {
        var head = new ByteArrayOutputStream();
        for (int last = in.read(); last >= 0; last = in.read()) {
            head.write(last);
            if (last == '\n' && head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
                return head.toString(ISO_8859_1);
            }
        }
        return "";
    }

    /** For certificates that sign themselves; which one it was is the tests' business. */
    static SSLContext trusting() {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new Anybody()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has TLS", e);
        }
    }

    private static final class Anybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
