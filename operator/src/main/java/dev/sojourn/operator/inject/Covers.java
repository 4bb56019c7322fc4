package dev.sojourn.operator.inject;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.StreamSupport;

/**
 * Whether an object says all that is wanted of it. The API server fills in defaults, and other admission plugins add to our container,
 * before a webhook is called again: that is no reason to write it anew.
 */
final class Covers {

    private Covers() {}

    static boolean covers(JsonNode there, JsonNode wanted) {
        if (wanted.isObject()) {
            return wanted.properties().stream().allMatch(field -> covers(there.path(field.getKey()), field.getValue()));
        }
        if (wanted.isArray()) {
            return StreamSupport.stream(wanted.spliterator(), false).allMatch(item -> hasOne(there, item));
        }
        if (wanted.isNumber()) {
            // Read from text a number is an int where we wrote a long.
            return there.isNumber() && wanted.decimalValue().compareTo(there.decimalValue()) == 0;
        }
        return wanted.equals(there);
    }

    private static boolean hasOne(JsonNode items, JsonNode wanted) {
        return StreamSupport.stream(items.spliterator(), false).anyMatch(item -> covers(item, wanted));
    }
}
