package dev.sojourn.agent.core;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/** For those that come, from 0: each has the lowest that nobody else has, until it gives it back or is there no more. */
public final class Numbers {
    private final List<WeakReference<Object>> holders = new ArrayList<>();

    public synchronized int of(Object holder) {
        int free = holders.size();
        for (int number = holders.size() - 1; number >= 0; number--) {
            Object other = holders.get(number).get();
            if (other == holder) {
                return number;
            }
            free = other == null ? number : free;
        }
        if (free == holders.size()) {
            holders.add(new WeakReference<>(holder));
        } else {
            holders.set(free, new WeakReference<>(holder));
        }
        return free;
    }

    public synchronized void giveBack(Object holder) {
        for (WeakReference<Object> each : holders) {
            if (each.get() == holder) {
                each.clear();
            }
        }
    }
}
