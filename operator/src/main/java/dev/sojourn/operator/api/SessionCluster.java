package dev.sojourn.operator.api;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;

/** Keeps the HTTP sessions of one workload through restarts, crashes and scale-downs of its pods. */
@Group(SessionCluster.GROUP)
@Version(SessionCluster.VERSION)
@Kind("SessionCluster")
@Singular("sessioncluster")
@Plural("sessionclusters")
@ShortNames("sjc")
@ValidationRule(
        value = "size(self.metadata.name) <= 40 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
        message = "metadata.name: use at most 40 lower-case letters, digits and dashes, beginning with a letter;"
                + " Services and StatefulSets are named after it")
@AdditionalPrinterColumn(name = "Workload", jsonPath = ".spec.workload.name")
@AdditionalPrinterColumn(name = "Mode", jsonPath = ".spec.replication.mode")
@AdditionalPrinterColumn(name = "Ready", jsonPath = ".status.conditions[?(@.type==\"Ready\")].status")
@AdditionalPrinterColumn(name = "Injected", jsonPath = ".status.injected")
@AdditionalPrinterColumn(name = "Reason", jsonPath = ".status.conditions[?(@.type==\"Ready\")].reason")
@AdditionalPrinterColumn(name = "Message", jsonPath = ".status.conditions[?(@.type==\"Ready\")].message", priority = 1)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
public class SessionCluster extends CustomResource<SessionClusterSpec, SessionClusterStatus> implements Namespaced {

    public static final String GROUP = "sojourn.dev";
    public static final String VERSION = "v1alpha1";

    private static final long serialVersionUID = 1L;

    /** Empty, so that a status or finalizer that is applied on its own carries no spec. */
    @Override
    @SuppressWarnings("NullAway")
    protected SessionClusterSpec initSpec() {
        return null;
    }

    @Override
    @SuppressWarnings("NullAway")
    protected SessionClusterStatus initStatus() {
        return null;
    }
}
