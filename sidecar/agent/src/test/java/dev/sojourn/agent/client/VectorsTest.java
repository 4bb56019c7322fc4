package dev.sojourn.agent.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sojourn.agent.wire.BrokenReply;
import dev.sojourn.agent.wire.Reply;
import dev.sojourn.agent.wire.ReplyDecoder;
import dev.sojourn.agent.wire.RequestEncoder;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The agent's half of the protocol's vectors. */
class VectorsTest {
    private static final Set<String> OURS =
            Set.of("requests.json", "replies.json", "broken.json", "deltas.json", "keys.json");
    private static final Set<String> THE_DAEMONS = Set.of("endpoints.json", "storez.json");

    /** What ordinary clients send and this one does not. */
    private static final Set<String> NOT_SENT =
            Set.of("HELLO", "SJ.DRAIN", "SELECT", "QUIT", "CLIENT", "INFO", "COMMAND");

    @Test
    void everyFileIsSomebodys() throws IOException {
        for (String name : VectorFile.names()) {
            assertTrue(
                    OURS.contains(name) || THE_DAEMONS.contains(name),
                    name + " is in no table: say here and in the daemon's tests whose it is");
        }
    }

    @TestFactory
    Stream<DynamicTest> requests() throws IOException {
        return VectorFile.read("requests.json")
                .filter(vector -> !vector.path("decodeOnly").asBoolean())
                .filter(vector -> !vector.path("daemonOnly").asBoolean())
                .filter(vector -> !NOT_SENT.contains(vector.get("command").textValue()))
                .map(vector -> DynamicTest.dynamicTest(vector.get("name").textValue(), () -> {
                    RequestEncoder to = new RequestEncoder();
                    if (vector.has("tag")) {
                        to.tag(vector.get("tag").longValue());
                    }
                    byte[] encoded = encode(to, vector.get("command").textValue(), vector.get("fields"));
                    assertArrayEquals(VectorFile.bytes(vector.get("wire")), encoded);
                }));
    }

    @TestFactory
    Stream<DynamicTest> replies() throws IOException {
        return VectorFile.read("replies.json")
                .filter(vector -> !vector.path("daemonOnly").asBoolean())
                .map(vector -> DynamicTest.dynamicTest(vector.get("name").textValue(), () -> {
                    BytesSource source = new BytesSource(VectorFile.bytes(vector.get("wire")));
                    Reply reply = new ReplyDecoder(source).read();
                    if (vector.has("tag")) {
                        assertEquals(
                                vector.get("tag").longValue(),
                                reply.elements().get(0).integer());
                        reply = reply.elements().get(1);
                    }
                    check(vector.get("reply").textValue(), reply, vector.get("fields"));
                    assertTrue(source.isExhausted(), "bytes left over");
                }));
    }

    @TestFactory
    Stream<DynamicTest> broken() throws IOException {
        return VectorFile.read("broken.json")
                .filter(vector -> vector.get("side").textValue().equals("client"))
                .map(vector -> DynamicTest.dynamicTest(vector.get("name").textValue(), () -> {
                    ReplyDecoder decoder = new ReplyDecoder(new BytesSource(VectorFile.bytes(vector.get("wire"))));
                    IOException problem = assertThrows(IOException.class, decoder::read);
                    assertFalse(problem instanceof EOFException, "refused only because the bytes ended");
                }));
    }

    @TestFactory
    Stream<DynamicTest> deltas() throws IOException {
        return VectorFile.read("deltas.json")
                .filter(vector -> !vector.get("delta").isNull())
                .map(vector -> DynamicTest.dynamicTest(vector.get("name").textValue(), () -> {
                    byte[] delta = VectorFile.bytes(vector.get("delta"));
                    assertArrayEquals(
                            VectorFile.bytes(vector.get("new")),
                            Delta.apply(VectorFile.bytes(vector.get("old")), List.of(delta)));
                    for (JsonNode other : vector.path("refuses")) {
                        assertNull(Delta.apply(VectorFile.bytes(other), List.of(delta)));
                    }
                }));
    }

    @TestFactory
    Stream<DynamicTest> digests() throws IOException {
        return VectorFile.read("keys.json")
                .map(vector -> DynamicTest.dynamicTest(
                        vector.get("name").textValue(),
                        () -> assertEquals(
                                vector.get("digest").textValue(), Digest.of(VectorFile.bytes(vector.get("session"))))));
    }

    private static byte[] encode(RequestEncoder to, String command, JsonNode fields) {
        switch (command) {
            case "SJ.OPEN" -> {
                long held = fields.get("held").longValue();
                boolean passive = fields.path("passive").asBoolean();
                if (fields.path("exclusive").asBoolean()) {
                    Asks.openExclusive(to, session(fields), held, passive);
                } else {
                    Asks.open(to, session(fields), held, passive);
                }
            }
            case "SJ.COMMIT" ->
                Asks.commit(
                        to,
                        session(fields),
                        new CommitTerms(
                                fields.get("base").longValue(),
                                fields.get("idle").intValue(),
                                fields.get("created").longValue(),
                                fields.path("lock").longValue(),
                                fields.path("passive").asBoolean()),
                        operations(fields.get("operations")));
            case "SJ.UNLOCK" ->
                Asks.unlock(to, session(fields), fields.get("lock").longValue());
            case "SJ.REAP" -> Asks.reap(to, session(fields));
            case "SJ.NOTE" ->
                Asks.note(
                        to,
                        VectorFile.text(fields.get("kind")),
                        VectorFile.text(fields.get("context")),
                        VectorFile.text(fields.get("attribute")),
                        VectorFile.text(fields.get("class")));
            case "SJ.TOUCH" -> Asks.touch(to, session(fields));
            case "SJ.END" -> Asks.end(to, session(fields), fields.path("follow").asBoolean());
            case "SJ.RENAME" ->
                Asks.rename(
                        to,
                        session(fields),
                        VectorFile.text(fields.get("newSession")),
                        fields.get("base").longValue());
            case "SUBSCRIBE" -> Asks.subscribe(to);
            case "AUTH", "PING" -> {
                List<String> parts = new ArrayList<>(List.of(command));
                fields.forEach(field -> parts.add(VectorFile.text(field)));
                to.begin(parts.size());
                parts.forEach(to::bulk);
            }
            default -> throw new AssertionError("a command that this test does not know: " + command);
        }
        return Arrays.copyOf(to.buffer(), to.length());
    }

    private static String session(JsonNode fields) {
        return VectorFile.text(fields.get("session"));
    }

    private static List<Change> operations(JsonNode operations) {
        List<Change> changes = new ArrayList<>();
        for (JsonNode operation : operations) {
            if (operation.has("patch")) {
                byte[] delta = VectorFile.bytes(operation.get("delta"));
                changes.add(Change.by(VectorFile.text(operation.get("patch")), List.of(delta)));
                continue;
            }
            changes.add(
                    operation.has("set")
                            ? new Change(
                                    VectorFile.text(operation.get("set")), VectorFile.bytes(operation.get("value")))
                            : new Change(VectorFile.text(operation.get("delete")), null));
        }
        return changes;
    }

    private static void check(String kind, Reply reply, JsonNode fields) throws IOException {
        switch (kind) {
            case "open" -> checkOpened(reply, fields);
            case "news" -> checkNews(reply, fields);
            case "commit" -> {
                Committed committed = Answers.committed(reply);
                assertEquals(fields.get("version").longValue(), committed.version);
                checkChanges(committed.others, fields.get("attributes"));
            }
            case "integer" -> assertEquals(fields.get("value").longValue(), reply.integer());
            case "error" -> {
                assertEquals(Reply.Kind.ERROR, reply.kind);
                checkRefusal(Answers.refusal(reply), fields);
            }
            case "ok" -> assertEquals("OK", reply.text());
            case "pong" ->
                assertEquals(fields.get("text").isNull() ? "PONG" : VectorFile.text(fields.get("text")), reply.text());
            case "hello" -> checkHello(reply, fields);
            case "subscribed" ->
                assertEquals(
                        fields.get("count").longValue(), reply.elements().get(2).integer());
            case "message" ->
                assertEquals(
                        VectorFile.text(fields.get("payload")),
                        reply.elements().get(2).text());
            default -> throw new AssertionError("a reply that this test does not know: " + kind);
        }
    }

    private static void checkOpened(Reply reply, JsonNode fields) throws IOException {
        long[] ticket = new long[1];
        Opened opened = fields.has("lock")
                ? Answers.locked(reply)
                : Answers.opened(reply, number -> {
                    ticket[0] = number;
                    return null;
                });
        assertEquals(fields.path("ticket").longValue(), ticket[0]);
        if (fields.isNull()) {
            assertNull(opened);
            return;
        }
        assertNotNull(opened);
        assertEquals(fields.get("version").longValue(), opened.version);
        assertEquals(fields.get("created").longValue(), opened.created);
        assertEquals(fields.get("accessed").longValue(), opened.accessed);
        assertEquals(fields.get("idle").intValue(), opened.idle);
        assertEquals(fields.path("lock").longValue(), opened.lock);
        checkChanges(opened.changes, fields.get("attributes"));
    }

    private static void checkNews(Reply reply, JsonNode fields) throws IOException {
        News news = Answers.news(reply.elements(), number -> null);
        assertNotNull(news);
        assertEquals(fields.get("before").longValue(), news.before);
        checkOpened(reply.elements().get(2), fields);
    }

    private static void checkChanges(Changes changes, JsonNode pairs) {
        int skipped = 0;
        if (pairs.size() > 0 && VectorFile.text(pairs.get(0).get(0)).equals("\0")) {
            skipped = 1;
        }
        assertEquals(skipped == 1, changes.whole);
        assertEquals(pairs.size() - skipped, changes.list.size());
        for (int i = 0; i < changes.list.size(); i++) {
            JsonNode pair = pairs.get(i + skipped);
            Change change = changes.list.get(i);
            if (pair.get(1).isArray()) {
                checkDeltas(pair, change);
                continue;
            }
            assertEquals(VectorFile.text(pair.get(0)), changes.list.get(i).name);
            assertArrayEquals(pair.get(1).isNull() ? null : VectorFile.bytes(pair.get(1)), changes.list.get(i).value);
        }
    }

    private static void checkDeltas(JsonNode pair, Change change) {
        assertEquals(VectorFile.text(pair.get(0)), change.name);
        assertNotNull(change.deltas);
        assertEquals(pair.get(1).size(), change.deltas.size());
        for (int i = 0; i < change.deltas.size(); i++) {
            assertArrayEquals(VectorFile.bytes(pair.get(1).get(i)), change.deltas.get(i));
        }
    }

    private static void checkHello(Reply reply, JsonNode fields) throws BrokenReply {
        assertEquals(fields.size() * 2, reply.elements().size());
        Hello hello = new Hello(reply);
        assertEquals(fields.path("page").asText(""), String.valueOf(hello.page == null ? "" : hello.page));
        assertEquals(fields.path("clock").asLong(0), hello.clock);
        assertEquals(fields.get("outage").textValue().equals("Refuse"), hello.refuses);
    }

    private static void checkRefusal(Refusal refusal, JsonNode fields) {
        Refusal.Why why = switch (fields.get("prefix").textValue()) {
            case "GONE" -> Refusal.Why.GONE;
            case "UNAVAILABLE" -> Refusal.Why.UNAVAILABLE;
            case "TOOLARGE" -> Refusal.Why.TOO_LARGE;
            case "MISSING" -> Refusal.Why.MISSING;
            case "BUSY" -> Refusal.Why.BUSY;
            default -> Refusal.Why.WRONG;
        };
        assertEquals(why, refusal.why);
        assertEquals(
                fields.get("prefix").textValue() + " " + VectorFile.text(fields.get("text")), refusal.getMessage());
    }
}
