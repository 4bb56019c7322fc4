package dev.sojourn.operator.inject;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.zjsonpatch.JsonPatch;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PatchTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'a':1}     | {'a':1}         | []",
                "{'a':1}     | {'b':null}      | [{'op':'remove','path':'/a'},{'op':'add','path':'/b','value':null}]",
                "{'a/b~c':1} | {'a/b~c':2}     | [{'op':'replace','path':'/a~1b~0c','value':2}]",
                "{'a':{}}    | {'a':[]}        | [{'op':'replace','path':'/a','value':[]}]",
                "[1,2]       | [0,1,2]         | [{'op':'add','path':'/0','value':0}]",
                "[1,2]       | [1,2,3]         | [{'op':'add','path':'/2','value':3}]",
                "[1,2,3]     | [1,3]           | [{'op':'remove','path':'/1'}]",
                "[1,1]       | [1]             | [{'op':'remove','path':'/1'}]",
                "[{'a':1}]   | [{'a':1,'b':2}] | [{'op':'add','path':'/0/b','value':2}]"
            })
    void itSaysWhatIsOther(String from, String to, String patch) throws Exception {
        assertThat((JsonNode) Patch.between(read(from), read(to))).isEqualTo(read(patch));
    }

    @Test
    void whateverTheTwoAreOneBecomesTheOther() {
        var random = new Random(1);
        for (int n = 0; n < 5_000; n++) {
            var from = any(random, 3);
            var to = any(random, 3);
            assertThat((JsonNode) JsonPatch.apply(Patch.between(from, to), from))
                    .as("%s from %s", Patch.between(from, to), from)
                    .isEqualTo(to);
        }
    }

    /** Memory for the square of it, 40 GB, nobody has. */
    @Test
    void aListMayBeLong() {
        var from = JSON.createArrayNode();
        for (int n = 0; n < 100_000; n++) {
            from.add("V" + n);
        }
        ArrayNode to = from.deepCopy();
        to.insert(0, "first").add("last");
        assertThat((JsonNode) JsonPatch.apply(Patch.between(from, to), from)).isEqualTo(to);
    }

    private static JsonNode read(String json) throws Exception {
        return JSON.readTree(json.replace('\'', '"'));
    }

    private static JsonNode any(Random random, int depth) {
        var kind = random.nextInt(depth == 0 ? 1 : 3);
        if (kind == 0) {
            return JsonNodeFactory.instance.numberNode(random.nextInt(3));
        }
        var size = random.nextInt(5);
        if (kind == 1) {
            var list = JSON.createArrayNode();
            for (int i = 0; i < size; i++) {
                list.add(any(random, depth - 1));
            }
            return list;
        }
        var object = JSON.createObjectNode();
        for (int i = 0; i < size; i++) {
            object.set(List.of("a", "b", "c/d", "~").get(random.nextInt(4)), any(random, depth - 1));
        }
        return object;
    }
}
