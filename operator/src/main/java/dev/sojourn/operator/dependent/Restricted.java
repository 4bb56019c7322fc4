package dev.sojourn.operator.dependent;

import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;

/** What the PodSecurity level {@code restricted} asks for, and a read-only root file system. */
public final class Restricted {

    private Restricted() {}

    public static SecurityContext container() {
        return new SecurityContextBuilder()
                .withAllowPrivilegeEscalation(false)
                .withReadOnlyRootFilesystem(true)
                .withRunAsNonRoot(true)
                .withNewCapabilities()
                .withDrop("ALL")
                .endCapabilities()
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile()
                .build();
    }

    /** @param assigned whether the cluster assigns another user in the place of this one */
    public static PodSecurityContext pod(long user, boolean assigned) {
        var context = new PodSecurityContextBuilder()
                .withRunAsNonRoot(true)
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile();
        if (!assigned) {
            context.withRunAsUser(user).withRunAsGroup(user).withFsGroup(user);
        }
        return context.build();
    }
}
