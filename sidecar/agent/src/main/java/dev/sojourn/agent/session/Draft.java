package dev.sojourn.agent.session;

import org.jspecify.annotations.Nullable;

/** A value as the application's code has written it, for a commit that another thread could still take over: nothing depends on it before {@link #pending}. */
final class Draft {
    private final Picture picture;

    /** Null: it may not leave this JVM. */
    private final @Nullable Written written;
    /** It is not sent, and what the store has of it stays. */
    private final boolean left;

    private Draft(Picture picture, @Nullable Written written, boolean left) {
        this.picture = picture;
        this.written = written;
        this.left = left;
    }

    /** {@code shared}: other requests in flight use it. */
    static Draft of(Picture picture, Home home, SessionState.Host host, boolean shared) {
        String name = picture.of.name;
        if (!AttributeName.canTravel(name)) {
            return new Draft(picture, Written.unnameable(picture.value), false);
        }
        boolean mayLeave = Attribute.isContainers(name) || host.mayLeave(name, picture.value);
        if (!mayLeave && picture.wasSet()) {
            return new Draft(picture, null, false);
        }
        Written written = picture.written(home, shared);
        boolean left = (!mayLeave || written.bytes == null) && picture.mayBeAsStored(home, written);
        return new Draft(picture, mayLeave ? written : null, left);
    }

    /** And nobody was changing it meanwhile. */
    boolean isWritten() {
        return written != null && written.bytes != null && written.isCalm();
    }

    /** What is wrong with it: another thread was changing it just then. */
    boolean mayPass() {
        return written != null && (written.bytes != null || written.isTorn());
    }

    /** One that may not leave this JVM is asked about again, too. */
    long retryAt() {
        return written == null ? System.nanoTime() + Written.RETRY_NANOS : written.retryAt;
    }

    /** It was written of the same. */
    boolean isOf(Picture other) {
        return picture.isSame(other);
    }

    /** What a commit has to send of it, or null if nothing. */
    @Nullable
    Pending pending(Home home) {
        Attribute attribute = picture.of;
        if (left) {
            return leave(home, attribute);
        }
        if (written == null) {
            return attribute.keepLocal(picture.stamp, picture.known, retryAt());
        }
        byte[] bytes = written.bytes;
        if (bytes == null) {
            if (attribute.mayPass(written)) {
                attribute.markDirty(picture.stamp);
                return null;
            }
            written.complain(home, attribute.name);
            return attribute.keepLocal(picture.stamp, picture.known, written.retryAt);
        }
        attribute.canLeave(picture.stamp, written.isRefused());
        if (picture.isUnchanged(home, bytes)) {
            attribute.settle(picture.stamp);
            attribute.wrote(picture);
            return null;
        }
        written.complain(home, attribute.name);
        // From here on a refresh must not take it away, and a commit that fails is done again.
        attribute.markSent(picture.stamp);
        attribute.wrote(picture);
        return new Pending(attribute, picture.stamp, bytes);
    }

    private @Nullable Pending leave(Home home, Attribute attribute) {
        if (written == null) {
            return attribute.leaveAsItWas(picture);
        }
        written.complainOfLeft(home, attribute.name);
        return attribute.leave(picture, written.leftUntil());
    }
}
