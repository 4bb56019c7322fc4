package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyParserTest {

    private static final int MOST = 64 << 10;

    private final ReplyParser parser = new ReplyParser(MOST);

    @Test
    void everyKindIsUnderstood() {
        assertThat(take("+OK\r\n:-7\r\n$5\r\na\r\nbc\r\n$0\r\n\r\n$-1\r\n*-1\r\n*0\r\n"))
                .map(Reply::toString)
                .containsExactly("OK", "-7", "a\r\nbc", "", "", "", "");
        assertThat(take("*3\r\n$1\r\na\r\n*2\r\n:1\r\n:2\r\n$-1\r\n"))
                .singleElement()
                .hasToString("[a, [1, 2], ]");
        assertThat(take("-NOAUTH Authentication required.\r\n"))
                .containsExactly(Reply.refusal("NOAUTH Authentication required."));
    }

    @Test
    void anAnswerMayComeByteByByte() {
        var replies = new ArrayList<Reply>();
        for (var letter : "*2\r\n$2\r\n\u00e4\r\n+b\r\n:3\r\n".getBytes(StandardCharsets.UTF_8)) {
            replies.addAll(parser.take(new byte[] {letter}));
        }
        assertThat(replies).map(Reply::toString).containsExactly("[\u00e4, b]", "3");
    }

    @Test
    void halfAnAnswerIsNone() {
        assertThat(take("*2\r\n:1\r\n$10\r\nabc")).isEmpty();
    }

    @Test
    void theBoundIsForEachAnswer() {
        var big = "$" + (MOST - 100) + "\r\n" + "x".repeat(MOST - 100) + "\r\n";
        assertThat(take(big + big + big)).hasSize(3);
    }

    /** Before any of it has come. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "*2147483647\r\n",
                "*9223372036854775807\r\n",
                "*100000000\r\n:1\r\n",
                "*1001\r\n",
                "*999\r\n*2\r\n",
                "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n",
                "$500000000\r\n",
                "$65536\r\n",
                "*1\r\n$2147483647\r\n"
            })
    void whatIsAnnouncedIsBounded(String hostile) {
        assertRefused(hostile, "over 64 KiB, or 1000 items", "Redis-compatible");
    }

    @Test
    void aLineThatDoesNotEndIsBounded() {
        assertThat(take("+" + "x".repeat(MOST - 1))).isEmpty();
        assertRefused("x", "over 64 KiB");
    }

    @Test
    void aListIsBoundedAsAWhole() {
        var text = "$9000\r\n" + "x".repeat(9000) + "\r\n";
        assertRefused("*10\r\n" + text.repeat(10), "over 64 KiB");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 400 Bad Request\r\n",
                "\r\n",
                "%1\r\n",
                "$-2\r\n",
                "*-2\r\n",
                "$x\r\n",
                "*\r\n",
                ":\r\n",
                ":99999999999999999999\r\n",
                "+OK\n",
                "$1\r\nabc"
            })
    void whatIsNotTheProtocolIsRefused(String other) {
        assertRefused(other, "does not speak the Redis protocol");
    }

    private void assertRefused(String answer, String... words) {
        assertThatThrownBy(() -> take(answer))
                .isInstanceOf(StoreException.class)
                .hasMessageContainingAll(words);
    }

    private List<Reply> take(String bytes) {
        return parser.take(bytes.getBytes(StandardCharsets.UTF_8));
    }
}
