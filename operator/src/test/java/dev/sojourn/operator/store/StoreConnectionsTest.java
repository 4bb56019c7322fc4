package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.secret.SecretData;
import dev.sojourn.operator.store.StoreConnections.Login;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StoreConnectionsTest {

    /** {@code kubectl create secret --from-file} takes the line's end along. */
    @Test
    void aLoginIsWithoutTheEndOfItsLine() {
        assertThat(login("shop\r\n", "se\ncret \n")).isEqualTo(new Login("shop", "se\ncret "));
    }

    @Test
    void whatIsEmptyIsNotSet() {
        assertThat(login("\n", "")).isEqualTo(new Login(null, null));
        assertThat(Login.of(Map.of())).isEqualTo(new Login(null, null));
    }

    @Test
    void aFailureWithoutWordsIsCalledByItsName() {
        assertThat(StoreProbe.words(new ClosedChannelException())).isEqualTo("ClosedChannelException");
        assertThat(StoreProbe.words(new IOException("Connection refused"))).isEqualTo("Connection refused");
    }

    private static Login login(String username, String password) {
        return Login.of(Map.of("username", SecretData.encode(username), "password", SecretData.encode(password)));
    }
}
