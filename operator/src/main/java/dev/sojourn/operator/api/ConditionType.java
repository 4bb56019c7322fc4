package dev.sojourn.operator.api;

/** The conditions of a SessionCluster. */
public enum ConditionType {
    /** All of the others. */
    Ready,
    /** The sessions' home answers. */
    StoreReady,
    /** Envoy runs, or none is wanted. */
    ProxyReady,
    /** Every pod of the workload has its sidecar. */
    InjectionReady
}
