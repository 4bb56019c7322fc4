package dev.sojourn.bench.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One HTTP/1.1 response, parsed as it comes. Only what Tomcat sends to a GET: a body with a length, in chunks, or none; the beginning of the body
 * is kept, the rest only counted.
 */
final class Response {
    private static final int KEPT = 512;

    private enum Part {
        HEAD,
        BODY,
        CHUNK_SIZE,
        CHUNK,
        TRAILER,
        COMPLETE
    }

    private final StringBuilder line = new StringBuilder();
    private final StringBuilder body = new StringBuilder();
    private final Map<String, String> cookies = new HashMap<>();
    private Part part = Part.HEAD;
    private int status;
    private boolean close;
    private boolean chunked;
    private String location = "";
    private long left;
    private long length;

    /** @return whether the response is complete */
    boolean read(ByteBuffer bytes) {
        while (part != Part.COMPLETE && bytes.hasRemaining()) {
            if (part == Part.BODY || part == Part.CHUNK) {
                take(bytes);
            } else {
                char c = (char) (bytes.get() & 0xff);
                if (c == '\n') {
                    end(line.toString());
                    line.setLength(0);
                } else if (c != '\r') {
                    line.append(c);
                }
            }
        }
        return part == Part.COMPLETE;
    }

    private void take(ByteBuffer bytes) {
        int step = (int) Math.min(left, bytes.remaining());
        int kept = Math.min(step, KEPT - body.length());
        if (kept > 0) {
            body.append(StandardCharsets.ISO_8859_1.decode(bytes.slice(bytes.position(), kept)));
        }
        bytes.position(bytes.position() + step);
        length += step;
        left -= step;
        if (left == 0) {
            part = part == Part.CHUNK ? Part.CHUNK_SIZE : Part.COMPLETE;
        }
    }

    private void end(String text) {
        switch (part) {
            case HEAD -> {
                if (text.isEmpty()) {
                    part = chunked ? Part.CHUNK_SIZE : left > 0 ? Part.BODY : Part.COMPLETE;
                } else {
                    header(text);
                }
            }
            case CHUNK_SIZE -> {
                // The empty line is the one after a chunk's bytes.
                if (!text.isEmpty()) {
                    left = Long.parseLong(text.split(";", 2)[0].trim(), 16);
                    part = left == 0 ? Part.TRAILER : Part.CHUNK;
                }
            }
            case TRAILER -> part = text.isEmpty() ? Part.COMPLETE : Part.TRAILER;
            default -> throw new IllegalStateException("no line is expected in " + part);
        }
    }

    private void header(String text) {
        if (status == 0) {
            status = Integer.parseInt(text.split(" ", 3)[1]);
            return;
        }
        int colon = text.indexOf(':');
        String value = text.substring(colon + 1).trim();
        switch (text.substring(0, colon).toLowerCase(Locale.ROOT)) {
            case "content-length" -> left = Long.parseLong(value);
            case "transfer-encoding" -> chunked = value.equalsIgnoreCase("chunked");
            case "location" -> location = value;
            case "connection" -> close = value.equalsIgnoreCase("close");
            case "set-cookie" -> {
                String[] pair = value.split(";", 2)[0].split("=", 2);
                cookies.put(pair[0], pair[1]);
            }
            default -> {
                // Of no interest here.
            }
        }
    }

    /** The first line of the body is there. */
    boolean hasLine() {
        return body.indexOf("\n") >= 0;
    }

    /** Where a redirect leads to; empty if it is none. */
    String location() {
        return location;
    }

    int status() {
        return status;
    }

    /** Whether the server closes the connection after it. */
    boolean closes() {
        return close;
    }

    Map<String, String> cookies() {
        return cookies;
    }

    String body() {
        return body.toString();
    }

    long length() {
        return length;
    }
}
