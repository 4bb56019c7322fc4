package dev.sojourn.operator.store.shard;

import java.util.List;

/** What brings a cluster closer to what it should be. */
sealed interface Step {

    /** What is being done, for logs and statuses. */
    String words();

    /** Every member strikes out one that is gone: else it is waited for, and named to clients, for ever. */
    record Forget(String id) implements Step {

        @Override
        public String words() {
            return "forgetting " + id.substring(0, 8) + ", which is gone";
        }
    }

    /** A primary is given slots that nobody serves. */
    record Assign(Member to, List<Integer> slots) implements Step {

        @Override
        public String words() {
            return "giving slots to " + to.pod();
        }
    }

    /** A member without slots becomes somebody's replica. */
    record Follow(Member replica, Member primary) implements Step {

        @Override
        public String words() {
            return replica.pod() + " becomes a replica of " + primary.pod();
        }
    }

    /** A replica becomes a primary without slots. */
    record Free(Member replica) implements Step {

        @Override
        public String words() {
            return replica.pod() + " is emptied, to become a primary";
        }
    }

    /** A replica takes over from its primary, which waits until it has caught up. */
    record TakeOver(Member replica) implements Step {

        @Override
        public String words() {
            return replica.pod() + " takes over from its primary";
        }
    }

    /** A replica becomes primary without a vote: its primary is lost, and so are too many others to elect anybody. */
    record Promote(Member replica) implements Step {

        @Override
        public String words() {
            return replica.pod() + " becomes primary in the place of one that is lost";
        }
    }

    /** A move is given up: nobody is left to whom the slot was going. */
    record Settle(Member at, int slot) implements Step {

        @Override
        public String words() {
            return "slot " + slot + " stays with " + at.pod();
        }
    }

    /** Slots go to another primary, with the sessions in them. */
    record Move(Member from, Member to, List<Integer> slots) implements Step {

        @Override
        public String words() {
            return "moving slots from " + from.pod() + " to " + to.pod();
        }
    }
}
