package dev.sojourn.bench.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What the open connections of ports have received so far, as the kernel counts it: {@code ss} of iproute2. */
public final class SocketBytes {
    private static final Pattern RECEIVED = Pattern.compile("bytes_received:(\\d+)");

    private SocketBytes() {}

    /** @return -1 where there is no {@code ss} */
    public static long received(List<Integer> ports) throws IOException {
        if (ports.isEmpty()) {
            return 0;
        }
        String filter = ports.stream().map(port -> "sport = :" + port).collect(Collectors.joining(" or ", "( ", " )"));
        Process ss;
        try {
            ss = new ProcessBuilder("ss", "-tinH", "state", "established", filter)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            return -1;
        }
        return sum(new String(ss.getInputStream().readAllBytes(), StandardCharsets.US_ASCII));
    }

    static long sum(String sockets) {
        Matcher matcher = RECEIVED.matcher(sockets);
        long sum = 0;
        while (matcher.find()) {
            sum += Long.parseLong(matcher.group(1));
        }
        return sum;
    }
}
