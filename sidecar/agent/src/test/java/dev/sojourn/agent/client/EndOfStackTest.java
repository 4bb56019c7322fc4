package dev.sojourn.agent.client;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.core.OtherJvm;
import dev.sojourn.agent.wire.RequestEncoder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** An application that is too deep in its own calls by the time that its response leaves, as one that writes what contains itself. */
class EndOfStackTest {
    /** Where it could not write what all others had said nobody ever did. */
    @Test
    void whoseStackEndsWhileItWritesKeepsNobodyWaiting() throws Exception {
        OtherJvm.runs(Deep.class);
    }

    static final class Deep {
        private final Line line;
        private boolean over;

        private Deep(Line line) {
            this.line = line;
        }

        public static void main(String[] args) throws Exception {
            Path folder = Files.createTempDirectory("sj");
            try (FakeServer server = new FakeServer(folder.resolve("s"), ":1\r\n")) {
                for (int stack = 0; stack < 20; stack++) {
                    Line line = new Line(new Connection(Address.unix(server.path.toString()), 1 << 10), null);
                    line.start(Thread::new);
                    asked(line);
                    Deep deep = new Deep(line);
                    Thread thread = new Thread(null, deep::ask, "deep", 256 * 1_024 + stack * 16);
                    thread.start();
                    thread.join();
                    assertTrue(deep.over, "its stack never ended: this test shows nothing");
                    asked(line);
                    line.fail(new IOException("the test is over"));
                }
            } finally {
                Files.delete(folder);
            }
        }

        /** From the end of the stack up to where it suffices. */
        private void ask() {
            if (over) {
                return;
            }
            try {
                ask();
            } catch (StackOverflowError e) {
                // As is to be.
            }
            if (!over) {
                send(line);
                over = true;
            }
        }

        private static Call send(Line line) {
            RequestEncoder request = new RequestEncoder();
            Call call = new Call(null);
            long tag = line.nextTag();
            Asks.ping(request.tag(tag));
            line.send(tag, call, request);
            return call;
        }

        /** An answer, or word that the line has broken. */
        private static void asked(Line line) {
            Call call = send(line);
            line.closeIfOverdue(0, Long.MAX_VALUE);
            try {
                call.await();
            } catch (IOException e) {
                assertTrue(line.isBroken(), e.toString());
            }
        }
    }
}
