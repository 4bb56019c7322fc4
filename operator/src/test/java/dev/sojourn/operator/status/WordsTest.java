package dev.sojourn.operator.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;

class WordsTest {

    private static final String REQUEST =
            "Failure executing: POST at: https://10.96.0.1/api/v1/namespaces/shop/services.";

    @Test
    void whoRefusedIsQuotedOnOneLineWithoutTheRequest() {
        var policy = "denied the request:\n\nresource Ingress/shop/web was blocked\n\n  hosts: taken\n";
        assertThat(said(403, new StatusBuilder().withMessage(policy).build()))
                .isEqualTo("denied the request: resource Ingress/shop/web was blocked hosts: taken");
        assertThat(said(502, new Status())).isEqualTo("the API server answers 502");
    }

    @Test
    void whereNobodyAnsweredTheCauseSaysWhy() {
        var error =
                new KubernetesClientException("Operation: [get] failed.", new ConnectException("Connection refused"));
        assertThat(Words.of(error)).isEqualTo("Operation: [get] failed.: Connection refused");
    }

    @Test
    void anythingElseSaysWhatItSays() {
        assertThat(Words.of(new IllegalStateException("boom"))).isEqualTo("boom");
        assertThat(Words.of(new NullPointerException())).isEqualTo("java.lang.NullPointerException");
    }

    private static String said(int code, Status status) {
        return Words.of(new KubernetesClientException(REQUEST, code, status));
    }
}
