package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Sessions about as large as they may be (16 MiB), with the sidecar's own limits and patience. */
class LargeSessionIT extends TwoNodes {
    private static final int HALF = 15 << 19;

    LargeSessionIT() {
        super("large", new StockTomcat("10.1.54", true));
    }

    @Override
    String settings() {
        return "";
    }

    @Override
    Map<String, String> daemonSettings() {
        return Map.of("SOJOURN_STORE_PATIENCE", "15s");
    }

    @Test
    void fifteenMebibytesTravelAndThenOnlyWhatChanged() throws Exception {
        user().get(a(), "op=noise&name=one&value=" + HALF);
        String two = user().get(a(), "op=noise&name=two&value=" + HALF);
        assertEquals(two, user().get(b(), "op=digest&name=two"));
        user().get(b(), "op=flip&name=two&value=" + HALF / 2);
        assertEquals(user().get(b(), "op=digest&name=two"), user().get(a(), "op=digest&name=two"));
    }

    @Test
    void whatIsLargerStaysAndTheRequestsSucceed() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        user().get(a(), "op=noise&name=huge&value=" + (17 << 20));
        user().get(a(), "op=set&name=user&value=Bea");
        assertEquals("[user]", user().get(b(), "op=names"));
        assertEquals("Bea", user().get(b(), "op=get&name=user"));
        assertEquals("[huge, user]", user().get(a(), "op=names"));
    }
}
