package dev.sojourn.agent.client;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sojourn.agent.wire.BrokenReply;
import dev.sojourn.agent.wire.Reply;
import dev.sojourn.agent.wire.ReplyDecoder;
import java.io.EOFException;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever comes over the socket is a reply, or {@link BrokenReply}, or not all there; nothing else is thrown, and nothing is
 * read past it. The vectors are where it starts; {@code make fuzz-agent} goes on from there.
 */
class ReplyFuzzTest {
    static Stream<Arguments> vectors() throws IOException {
        return Stream.of("replies.json", "broken.json")
                .flatMap(name -> {
                    try {
                        return VectorFile.read(name);
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                })
                .map(vector -> Arguments.of((Object) VectorFile.bytes(vector.get("wire"))));
    }

    @MethodSource("vectors")
    @FuzzTest(maxDuration = "10m")
    void anythingIsAReplyOrBroken(byte[] bytes) throws IOException {
        read(bytes == null ? new byte[0] : bytes);
    }

    static void read(byte[] bytes) throws IOException {
        BytesSource source = new BytesSource(bytes);
        ReplyDecoder decoder = new ReplyDecoder(source);
        try {
            while (!source.isExhausted()) {
                understand(decoder.read());
            }
        } catch (BrokenReply | EOFException expected) {
            // The connection is closed, or waits for more.
        }
    }

    /** The replies' meanings, each of which may turn out not to be meant. */
    private static void understand(Reply reply) {
        try {
            Answers.opened(reply, ticket -> null);
            Answers.locked(reply);
        } catch (BrokenReply expected) {
            // It was no answer to SJ.OPEN.
        }
        try {
            Answers.committed(reply);
        } catch (BrokenReply expected) {
            // Nor to SJ.COMMIT.
        }
        try {
            News news = Answers.news(reply.elements(), ticket -> null);
            if (news != null) {
                // What is told twice is taken for what came after it.
                news.opened.and(news.opened);
                for (Change change : news.opened.changes.list) {
                    change.resolved(new byte[news.opened.changes.list.size()]);
                }
            }
        } catch (BrokenReply expected) {
            // Nor told.
        }
        Answers.refusal(reply);
        try {
            reply.integer();
        } catch (BrokenReply expected) {
            // Nor to SJ.END.
        }
    }
}
