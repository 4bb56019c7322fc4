package dev.sojourn.operator.store;

import java.util.List;

/**
 * What a server answers: a text, or a list. A number is its digits; what there is none of is empty.
 *
 * @param refused the text says why it did not do what it was asked
 */
public record Reply(String text, List<Reply> items, boolean refused) {

    static final Reply NOTHING = new Reply("", List.of(), false);

    public Reply {
        items = List.copyOf(items);
    }

    static Reply of(String text) {
        return new Reply(text, List.of(), false);
    }

    static Reply of(List<Reply> items) {
        return new Reply("", items, false);
    }

    static Reply refusal(String why) {
        return new Reply(why, List.of(), true);
    }

    @Override
    public String toString() {
        return items.isEmpty() ? text : items.toString();
    }
}
