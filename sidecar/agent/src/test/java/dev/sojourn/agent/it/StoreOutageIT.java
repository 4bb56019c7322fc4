package dev.sojourn.agent.it;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store is away for longer than requests wait for it ({@code -Doutage.seconds}), in each way in which a store can be. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StoreOutageIT {
    private static final Duration OUTAGE = Duration.ofSeconds(Integer.getInteger("outage.seconds", 20));

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<Void>> outages = new ArrayList<>();

    /** All of them at once, for they mostly wait. */
    @BeforeAll
    void begin() {
        for (StoreOutage kind : StoreOutage.values()) {
            outages.add(threads.submit(() -> {
                try (OutageCourse course = new OutageCourse(kind, threads)) {
                    course.run(OUTAGE);
                }
                return null;
            }));
        }
    }

    @ParameterizedTest
    @EnumSource
    void whoComesToTheSameNodeNoticesNothingAndNothingIsLost(StoreOutage kind) throws Exception {
        outages.get(kind.ordinal()).get(OUTAGE.toSeconds() + 300, TimeUnit.SECONDS);
    }

    @AfterAll
    void stop() {
        threads.shutdownNow();
    }
}
