package dev.sojourn.agent.it;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** One HTTP/2 connection frame by frame, of a client that does not behave; with one request on it. */
final class Streams implements AutoCloseable {
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int WINDOW_UPDATE = 8;
    private static final int ACK = 1;
    /** A request's headers are whole, and it has no body. */
    private static final int END_STREAM_AND_HEADERS = 5;

    // Names, in HPACK's table.
    private static final int AUTHORITY = 1;
    private static final int METHOD = 2;
    private static final int PATH = 4;
    private static final int SCHEME = 6;
    private static final int COOKIE = 32;

    private static final int THE_CONNECTION = 0;
    private static final int STREAM = 1;
    private static final int CANCEL = 8;
    /** More than a window may have, with what it has. */
    private static final int TOO_MUCH = Integer.MAX_VALUE;

    private final Socket socket;
    private final DataInputStream in;

    /** What becomes of a request that is under way. */
    enum Failure {
        RESET,
        FLOW_CONTROL,
        CONNECTION_FLOW_CONTROL,
        CLOSED
    }

    private Streams(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(socket.getInputStream());
    }

    static Streams to(TomcatNode node) throws IOException {
        Socket socket = Browser.connection(node);
        if (socket instanceof SSLSocket secure) {
            SSLParameters parameters = secure.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            secure.setSSLParameters(parameters);
        }
        Streams streams = new Streams(socket);
        socket.getOutputStream().write(PREFACE);
        streams.send(SETTINGS, 0, THE_CONNECTION, new byte[0]);
        return streams;
    }

    void get(String query, Browser user) throws IOException {
        ByteArrayOutputStream headers = new ByteArrayOutputStream();
        header(headers, METHOD, "GET");
        header(headers, SCHEME, socket instanceof SSLSocket ? "https" : "http");
        header(headers, PATH, "/app/do?" + query);
        header(headers, AUTHORITY, "localhost");
        header(headers, COOKIE, "" + user.cookie());
        send(HEADERS, END_STREAM_AND_HEADERS, STREAM, headers.toByteArray());
    }

    /** Returns when the server has made of it what it makes, unless it only closes. */
    void fail(Failure failure) throws IOException {
        switch (failure) {
            case RESET -> send(RST_STREAM, 0, STREAM, number(CANCEL));
            case FLOW_CONTROL -> {
                send(WINDOW_UPDATE, 0, STREAM, number(TOO_MUCH));
                await(RST_STREAM, 0);
            }
            case CONNECTION_FLOW_CONTROL -> {
                send(WINDOW_UPDATE, 0, THE_CONNECTION, number(TOO_MUCH));
                socket.getInputStream().readAllBytes();
                return;
            }
            case CLOSED -> {
                socket.close();
                return;
            }
        }
        // Its thread takes one frame after the other.
        send(PING, 0, THE_CONNECTION, "sojourn!".getBytes(StandardCharsets.US_ASCII));
        await(PING, ACK);
    }

    private void await(int wantedType, int wantedFlags) throws IOException {
        int type;
        int flags;
        do {
            int lengthAndType = in.readInt();
            type = lengthAndType & 0xff;
            flags = in.readUnsignedByte();
            int stream = in.readInt();
            int length = lengthAndType >>> 8;
            if (in.readNBytes(length).length < length) {
                throw new EOFException("closed within a frame of stream " + stream);
            }
        } while (type != wantedType || flags != wantedFlags);
    }

    private void send(int type, int flags, int stream, byte[] payload) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(9 + payload.length)
                .putInt(payload.length << 8 | type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload);
        socket.getOutputStream().write(frame.array());
    }

    private static byte[] number(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    /** As HPACK has it where the value is to be in no table. */
    private static void header(ByteArrayOutputStream headers, int name, String value) {
        int prefix = Math.min(name, 15);
        headers.write(prefix);
        if (prefix == 15) {
            headers.write(name - prefix);
        }
        if (value.length() > 126) {
            throw new IllegalArgumentException("its length would need more than a byte: " + value);
        }
        headers.write(value.length());
        headers.writeBytes(value.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
