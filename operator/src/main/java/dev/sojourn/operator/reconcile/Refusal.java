package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.ConditionType;

/** Why nothing is changed, which part it concerns, and what to mend. */
public record Refusal(ConditionType concerns, String reason, String message) {}
