package dev.sojourn.operator.status;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Optional;

/**
 * What an error says to who has to mend it: the words of who refused, without the request, on one line. A column of kubectl ends where a
 * line does, and policies write many.
 */
public final class Words {

    private Words() {}

    public static String of(Throwable error) {
        return said(error).strip().replaceAll("\\s+", " ");
    }

    private static String said(Throwable error) {
        if (error instanceof KubernetesClientException refusal) {
            return answer(refusal).orElseGet(() -> withCause(refusal));
        }
        return error.getMessage() == null ? error.toString() : error.getMessage();
    }

    private static Optional<String> answer(KubernetesClientException refusal) {
        return Optional.ofNullable(refusal.getStatus())
                .map(Status::getMessage)
                .filter(message -> !message.isBlank())
                .or(() -> refusal.getCode() > 0
                        ? Optional.of("the API server answers " + refusal.getCode())
                        : Optional.empty());
    }

    /** Nobody answered; only the cause says why. */
    private static String withCause(KubernetesClientException error) {
        var cause = error.getCause();
        return cause == null ? String.valueOf(error.getMessage()) : error.getMessage() + ": " + said(cause);
    }
}
