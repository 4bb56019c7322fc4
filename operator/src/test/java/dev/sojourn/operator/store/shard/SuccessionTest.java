package dev.sojourn.operator.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A primary is lost, most of the others are there, and none of its replicas stands for election. */
class SuccessionTest {

    private static final long LONG = 3600;

    private final Led led = new Led();
    private final Paper paper = led.paper;
    private List<Integer> heirs = List.of();

    @BeforeEach
    void aPrimaryIsLost() {
        paper.start(0, 9);
        led.lead(3, 2);
        var view = paper.view();
        heirs = view.replicasOf(view.present().get(0)).stream()
                .map(ShardView::ordinal)
                .toList();
        assertThat(heirs).hasSize(2);
        heirs.forEach(heir -> paper.say(heir, LONG, 90, 10));
        paper.fall(0);
        paper.elect();
    }

    @Test
    void theFurthestIsToldToStandForIt() {
        for (var furthest : heirs) {
            heirs.forEach(heir -> paper.say(heir, LONG, heir.equals(furthest) ? 100 : 90, 10));
            assertElected(furthest);
        }
        led.lead(3, 2);
        assertThat(paper.view().unreachable().isEmpty()).isTrue();
        assertThat(paper.lost()).isZero();
    }

    @Test
    void ofThoseThatWereRestartedTheFullestIs() {
        for (var fullest : heirs) {
            heirs.forEach(heir -> paper.say(heir, LONG, 1, heir.equals(fullest) ? 10 : 0));
            assertElected(fullest);
        }
    }

    @Test
    void whileOneMayStillStandByItselfItIsWaitedFor() {
        paper.say(heirs.get(1), 5, 90, 10);
        assertThat(led.next(3, 2)).isEmpty();
    }

    @Test
    void theirPrimaryIsWaitedForWhileItLoadsWhatItHas() {
        paper.load(0);
        assertThat(led.next(3, 2)).isEmpty();
    }

    @Test
    void oneThatHasNothingIsOnlyToldToOnceNobodyElseWillComeBackWithMore() {
        heirs.forEach(heir -> paper.say(heir, LONG, 1, 0));
        assertThat(led.next(3, 2)).isEmpty();
        paper.start(0, 1);
        assertThat(led.next(3, 2)).singleElement().isInstanceOf(Step.Elect.class);
    }

    private void assertElected(int pod) {
        assertThat(led.next(3, 2))
                .singleElement()
                .isInstanceOfSatisfying(
                        Step.Elect.class,
                        step -> assertThat(step.replica().pod()).isEqualTo("shop-store-" + pod));
    }
}
