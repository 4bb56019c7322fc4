package dev.sojourn.operator.store;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Bytes in, replies out, for one connection. Whoever may make a SessionCluster decides what answers there: nothing is set aside for what is
 * only announced, and an answer over the bound is an error before it is read. One that announces two billion items would end the operator
 * otherwise, and again after each restart.
 *
 * @see <a href="https://valkey.io/topics/protocol/">RESP, version 2</a>
 */
final class ReplyParser {

    /** We ask for twenty keys at a time, and for an address: a host and a port. */
    static final int MOST_ITEMS = 1_000;

    /** None of what we ask is answered with a list in a list. */
    static final int DEEPEST = 4;

    private static final int NO_TEXT = -1;

    private final int mostBytes;
    private final Deque<Unfinished> lists = new ArrayDeque<>();
    private ByteArrayOutputStream part = new ByteArrayOutputStream();
    private List<Reply> whole = new ArrayList<>();
    private int textLeft = NO_TEXT;
    private int bytes;
    private int items;

    private record Unfinished(int length, List<Reply> items) {}

    /** @param mostBytes of one answer */
    ReplyParser(int mostBytes) {
        this.mostBytes = mostBytes;
    }

    /**
     * @return the answers that are whole with these bytes; of the last one the rest may come with the next
     * @throws StoreException for what no such server answers; this parser takes nothing after it
     */
    List<Reply> take(byte[] received) {
        whole = new ArrayList<>();
        for (var at = 0; at < received.length; ) {
            at = textLeft == NO_TEXT ? line(received, at) : text(received, at);
        }
        return whole;
    }

    private int line(byte[] received, int from) {
        var end = from;
        while (end < received.length && received[end] != '\n') {
            end++;
        }
        if (part.size() == 0 && "+-:$*".indexOf(received[from]) < 0) {
            throw otherProtocol();
        }
        var isWhole = end < received.length;
        keep(received, from, isWhole ? end + 1 : end);
        if (isWhole) {
            var line = ended();
            understand(line.charAt(0), line.substring(1));
        }
        return isWhole ? end + 1 : end;
    }

    /** Up to and with its line end. */
    private int text(byte[] received, int from) {
        var end = Math.min(received.length, from + textLeft);
        keep(received, from, end);
        textLeft -= end - from;
        if (textLeft == 0) {
            textLeft = NO_TEXT;
            complete(Reply.of(ended()));
        }
        return end;
    }

    private void keep(byte[] received, int from, int end) {
        bytes += end - from;
        if (bytes > mostBytes) {
            throw tooMuch();
        }
        part.write(received, from, end - from);
    }

    /** What was kept, without the line end. */
    private String ended() {
        var text = part.toString(StandardCharsets.UTF_8);
        part = new ByteArrayOutputStream();
        if (!text.endsWith("\r\n")) {
            throw otherProtocol();
        }
        return text.substring(0, text.length() - 2);
    }

    private void understand(char type, String rest) {
        switch (type) {
            case '+' -> complete(Reply.of(rest));
            case '-' -> complete(Reply.refusal(rest));
            case ':' -> complete(Reply.of(String.valueOf(number(rest))));
            case '$' -> length(rest, mostBytes - bytes - 2).ifPresent(length -> textLeft = length + 2);
            default -> length(rest, MOST_ITEMS - items).ifPresent(this::begin);
        }
    }

    /** Nothing where it is -1: then there is no text, or no list. */
    private Optional<Integer> length(String digits, int most) {
        var length = number(digits);
        if (length == -1) {
            complete(Reply.NOTHING);
            return Optional.empty();
        }
        if (length < 0) {
            throw otherProtocol();
        }
        if (length > most) {
            throw tooMuch();
        }
        return Optional.of((int) length);
    }

    private void begin(int length) {
        if (lists.size() == DEEPEST) {
            throw tooMuch();
        }
        items += length;
        lists.push(new Unfinished(length, new ArrayList<>()));
        closeFullLists();
    }

    private void complete(Reply reply) {
        if (lists.isEmpty()) {
            whole.add(reply);
            bytes = 0;
            items = 0;
        } else {
            lists.getFirst().items().add(reply);
            closeFullLists();
        }
    }

    private void closeFullLists() {
        if (!lists.isEmpty()
                && lists.getFirst().items().size() == lists.getFirst().length()) {
            complete(Reply.of(lists.pop().items()));
        }
    }

    private static long number(String digits) {
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            throw otherProtocol();
        }
    }

    private StoreException tooMuch() {
        return new StoreException("it answers more than a Redis-compatible store does (over " + mostBytes / 1024
                + " KiB, or " + MOST_ITEMS + " items): is it one?");
    }

    private static StoreException otherProtocol() {
        return new StoreException("it does not speak the Redis protocol");
    }
}
