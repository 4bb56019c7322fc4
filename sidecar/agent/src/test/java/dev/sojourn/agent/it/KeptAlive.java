package dev.sojourn.agent.it;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One connection of a client that sends one request after the other over it, and no other. */
final class KeptAlive implements AutoCloseable {
    private static final Pattern LENGTH = Pattern.compile("(?i)\\r\\ncontent-length: (\\d+)\\r\\n");

    private final Socket socket;

    private KeptAlive(Socket socket) {
        this.socket = socket;
    }

    /** @param head the status line and the headers, as they came */
    record Answer(String head, String body) {
        /** Whether it says that the application has not seen the request. */
        boolean isRefusal() {
            return status() == 503 && head.contains("\r\n" + DrainCases.REFUSED + ": true\r\n");
        }

        int status() {
            return Integer.parseInt(head.split(" ", 3)[1]);
        }
    }

    static KeptAlive to(TomcatNode node) throws IOException {
        return new KeptAlive(Browser.connection(node));
    }

    Answer get(String query) throws IOException {
        return answer("GET /app/do?" + query + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }

    Answer post(String query, String body) throws IOException {
        return answer("POST /app/do?" + query + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length()
                + "\r\n\r\n" + body);
    }

    private Answer answer(String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        InputStream in = socket.getInputStream();
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("closed after: " + head);
            }
            head.write(next);
        }
        String headers = head.toString(StandardCharsets.US_ASCII);
        Matcher length = LENGTH.matcher(headers);
        byte[] body = length.find() ? in.readNBytes(Integer.parseInt(length.group(1))) : in.readAllBytes();
        return new Answer(headers, new String(body, StandardCharsets.UTF_8));
    }

    /** One request after the other over this connection, until it is closed. */
    void untilClosed(Consumer<Answer> answers) {
        try {
            while (true) {
                answers.accept(post("op=stateless", "order=7"));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    /** One request after the other over one connection after the other, until the server ends; the kinds of answers there were. */
    static void untilClosed(TomcatNode node, Set<String> answers) {
        while (true) {
            try (KeptAlive connection = to(node)) {
                while (true) {
                    Answer answer = connection.get("op=stateless");
                    answers.add(answer.isRefusal() ? DrainCases.REFUSAL : "" + answer.status());
                }
            } catch (ConnectException e) {
                return;
            } catch (IOException e) {
                // Not answered.
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
