package dev.sojourn.operator.store.shard;

import java.util.List;

/** What brings a cluster closer to what it should be. */
sealed interface Step {

    /** Every member strikes out one that is gone: else it is waited for, and named to clients, for ever. */
    record Forget(String id) implements Step {}

    /** A primary is given slots that nobody serves. */
    record Assign(Member to, List<Integer> slots) implements Step {}

    /** A member without slots becomes somebody's replica. */
    record Follow(Member replica, Member primary) implements Step {}

    /** A replica takes over from its primary, which waits until it has caught up. */
    record TakeOver(Member replica) implements Step {}

    /** A replica becomes primary without a vote: its primary is lost, and so are too many others to elect anybody. */
    record Promote(Member replica) implements Step {}

    /** A move is given up: nobody is left to whom the slot was going. */
    record Settle(Member at, int slot) implements Step {}

    /** Slots go to another primary, with the sessions in them. */
    record Move(Member from, Member to, List<Integer> slots) implements Step {}
}
