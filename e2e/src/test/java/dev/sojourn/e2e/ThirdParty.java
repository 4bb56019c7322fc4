package dev.sojourn.e2e;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

/** A shop beside what others make, and Sojourn told of it. */
@Tag("thirdparty")
@ExtendWith(World.class)
@Isolated("changes how Sojourn is installed")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ThirdParty {
    static final int USERS = 20;
    static final String SHOP = "e2e-third-party";

    Cluster cluster;
    Shop shop;

    @BeforeAll
    void setUp(Cluster world) {
        cluster = world;
        shop = new Shop(world, SHOP);
    }

    abstract void takeAway();

    @AfterAll
    void tearDown() {
        try {
            shop.close();
        } finally {
            // Sojourn first: what the chart was told to make is of kinds that are theirs.
            cluster.install();
            takeAway();
        }
    }
}
