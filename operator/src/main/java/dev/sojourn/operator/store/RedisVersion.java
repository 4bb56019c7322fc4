package dev.sojourn.operator.store;

import java.util.regex.Pattern;

/** The Redis version that a store says it is compatible with. */
record RedisVersion(int major, int minor) {

    static final RedisVersion UNKNOWN = new RedisVersion(Integer.MAX_VALUE, 0);

    private static final Pattern LINE = Pattern.compile("^redis_version:(\\d+)\\.(\\d+)", Pattern.MULTILINE);

    /** From the answer to {@code INFO server}. A store that tells no version is taken at its word when scripts run. */
    static RedisVersion parse(String info) {
        var line = LINE.matcher(info);
        return line.find()
                ? new RedisVersion(Integer.parseInt(line.group(1)), Integer.parseInt(line.group(2)))
                : UNKNOWN;
    }

    boolean isBefore(RedisVersion other) {
        return major < other.major || (major == other.major && minor < other.minor);
    }

    @Override
    public String toString() {
        return equals(UNKNOWN) ? "of unknown version" : major + "." + minor;
    }
}
