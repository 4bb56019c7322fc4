package dev.sojourn.operator.store;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What a server is asked: a command and its arguments. */
public final class Request {

    private final List<String> words = new ArrayList<>();

    private Request() {}

    public static Request of(String command) {
        return new Request().arg(command);
    }

    public Request arg(String word) {
        words.add(word);
        return this;
    }

    public Request arg(long number) {
        return arg(String.valueOf(number));
    }

    /** An array of texts, each behind its length: what is in them cannot be taken for another command. */
    void writeTo(Buffer wire) {
        wire.appendString("*" + words.size() + "\r\n");
        for (var word : words) {
            var bytes = word.getBytes(StandardCharsets.UTF_8);
            wire.appendString("$" + bytes.length + "\r\n").appendBytes(bytes).appendString("\r\n");
        }
    }

    /** The arguments may hold a password. */
    @Override
    public String toString() {
        return words.get(0);
    }
}
