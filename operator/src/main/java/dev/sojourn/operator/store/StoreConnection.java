package dev.sojourn.operator.store;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One connection to one server, which answers in the order in which it is asked. */
final class StoreConnection {

    /** Of what a server says to refuse: it becomes a condition's message. */
    private static final int LONGEST_REFUSAL = 500;

    private final NetSocket socket;
    private final ReplyParser parser;
    private final Deque<Promise<Reply>> waiting = new ArrayDeque<>();
    private @Nullable Throwable broken;

    /** On the socket's event loop, before anything comes. */
    StoreConnection(NetSocket socket, int longestAnswer) {
        this.socket = socket;
        this.parser = new ReplyParser(longestAnswer);
        socket.handler(this::take);
        socket.exceptionHandler(this::fail);
        socket.closeHandler(x -> fail(new StoreException("it closed the connection")));
    }

    /** Whom it has led to, which a name alone does not tell. */
    String peer() {
        var peer = socket.remoteAddress();
        return peer == null ? "" : peer.hostAddress() + ":" + peer.port();
    }

    Future<Reply> send(Request request) {
        return send(List.of(request)).get(0);
    }

    /** In one message. */
    synchronized List<Future<Reply>> send(List<Request> requests) {
        var cause = broken;
        if (cause != null) {
            return requests.stream().map(x -> Future.<Reply>failedFuture(cause)).toList();
        }
        var wire = Buffer.buffer();
        requests.forEach(request -> request.writeTo(wire));
        var answers = requests.stream()
                .map(x -> Promise.<Reply>promise())
                .peek(waiting::add)
                .toList();
        socket.write(wire).onFailure(this::fail);
        return answers.stream().map(Promise::future).toList();
    }

    private void take(Buffer received) {
        if (isBroken()) {
            return;
        }
        try {
            parser.take(received.getBytes()).forEach(this::answer);
        } catch (StoreException e) {
            fail(e);
            socket.close();
        }
    }

    private void answer(Reply reply) {
        var asked = next();
        if (asked == null) {
            throw new StoreException("it answers what it was not asked");
        }
        if (reply.refused()) {
            var why = reply.text();
            asked.fail(new StoreException(why.substring(0, Math.min(why.length(), LONGEST_REFUSAL))));
        } else {
            asked.complete(reply);
        }
    }

    private synchronized @Nullable Promise<Reply> next() {
        return waiting.poll();
    }

    private synchronized boolean isBroken() {
        return broken != null;
    }

    /** Whoever asks from now on is told the same: the first cause is the one to mend. */
    private void fail(Throwable cause) {
        List<Promise<Reply>> unanswered;
        synchronized (this) {
            broken = broken == null ? cause : broken;
            unanswered = List.copyOf(waiting);
            waiting.clear();
        }
        unanswered.forEach(asked -> asked.tryFail(cause));
    }
}
