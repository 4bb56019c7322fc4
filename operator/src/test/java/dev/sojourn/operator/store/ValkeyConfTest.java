package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.ManagedStoreSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ValkeyConfTest {

    @Test
    void sessionsMayFillSeventyPercentOfTheLimit() {
        assertThat(ValkeyConf.render(ManagedStoreSpec.defaults()))
                .contains("maxmemory 375809638\n", "maxmemory-policy volatile-lru\n", "appendonly yes\n");
    }

    @Test
    void withoutALimitThereIsNone() {
        var unlimited = new ResourceRequirementsBuilder()
                .withRequests(Map.of("cpu", new Quantity("1")))
                .build();
        assertThat(ValkeyConf.render(new ManagedStoreSpec(null, null, null, null, null, null, unlimited, null, null)))
                .doesNotContain("maxmemory ");
    }

    @Test
    void theAclHoldsNoPasswordAndLetsNobodyElseIn() {
        assertThat(StoreAcl.standalone("secret"))
                .startsWith("user default off resetpass ")
                .contains("user sojourn on ~sj:* ", " &sj:* ", " -@all ", "+evalsha", "+publish +subscribe")
                .doesNotContain("secret");
    }

    @Test
    void versionsAreComparedAsNumbers() {
        var oldest = new RedisVersion(6, 2);
        assertThat(RedisVersion.parse("# Server\r\nredis_version:6.0.16\r\n").isBefore(oldest))
                .isTrue();
        assertThat(RedisVersion.parse("redis_version:6.2.0").isBefore(oldest)).isFalse();
        assertThat(RedisVersion.parse("redis_version:7.10.1")).isEqualTo(new RedisVersion(7, 10));
        assertThat(RedisVersion.parse("nothing").isBefore(oldest)).isFalse();
    }
}
