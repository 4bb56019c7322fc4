package dev.sojourn.operator.store.shard;

import java.util.Comparator;
import java.util.List;

/** Which of the pods that are to go may: nobody needs what is in them, nor in those that come after them. Pure. */
final class Departure {

    /** Nothing is known of what is in pods that may be needed. */
    static final int UNKNOWN = Integer.MAX_VALUE;

    private final ShardView view;
    private final ShardShape shape;

    Departure(ShardView view, ShardShape shape) {
        this.view = view;
        this.shape = shape;
    }

    /** How many pods have to be there, counted from the first; who sees not all slots knows nothing of those that may be in a pod that is to go. */
    int kept() {
        return view.unserved().isEmpty()
                ? view.members().stream()
                        .filter(member -> member.slotCount() > 0)
                        .mapToInt(this::kept)
                        .reduce(shape.pods(), Math::max)
                : UNKNOWN;
    }

    private int kept(Member primary) {
        var followers = view.members().stream()
                .filter(member -> member.follows(primary))
                .sorted(Comparator.comparingInt(ShardView::ordinal))
                .toList();
        // They are not waited for, though the primary be away, perhaps for want of their room.
        if (shape.stays(primary) && followers.stream().allMatch(shape::stays)) {
            return 0;
        }
        return Math.max(
                upTo(primary),
                copies(primary, followers).stream().mapToInt(Departure::upTo).reduce(0, Math::max));
    }

    /** The first of those that have what it has, as many as there should be; while there are fewer all, and so of one that is away: they may succeed it. */
    private List<Member> copies(Member primary, List<Member> followers) {
        var inStep = followers.stream()
                .filter(member -> view.present().contains(member) && view.isInStep(member))
                .limit(shape.copies())
                .toList();
        return view.present().contains(primary) && inStep.size() >= shape.copies() ? inStep : followers;
    }

    private static int upTo(Member member) {
        var ordinal = ShardView.ordinal(member);
        return ordinal == UNKNOWN ? UNKNOWN : ordinal + 1;
    }
}
