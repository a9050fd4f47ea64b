package io.tatami.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The methods as they are declared, and as the documents list them. */
final class MethodsTest {
    /** The documents' rows by number. */
    private static TreeMap<Integer, String> rows() throws InvalidProtocolBufferException {
        TreeMap<Integer, String> rows = new TreeMap<>();
        for (Class<?> table : List.of(MetaMethods.class, BlockMethods.class)) {
            for (Method<?, ?> call : DeclaredMethods.calls(table)) {
                String messages = name(call.requestParser()) + " | " + name(call.replyParser());
                String again = call.idempotent() ? "" : "once";
                String row = row(call.number(), call.name(), messages, call.audience(), call.effect(), again);
                assertNull(rows.put(call.number(), row), () -> "number " + call.number() + " is used twice");
            }
            for (StreamMethod<?, ?, ?, ?> stream : DeclaredMethods.streams(table)) {
                String up = name(stream.requestParser()) + ", " + name(stream.upParser()) + "…";
                String down = name(stream.downParser()) + "…, " + name(stream.replyParser());
                String row =
                        row(stream.number(), stream.name(), up + " | " + down, stream.audience(), stream.effect(), "");
                assertNull(rows.put(stream.number(), row), () -> "number " + stream.number() + " is used twice");
            }
        }
        return rows;
    }

    /** Servers of earlier releases may still ask for it. */
    @Test
    void numbersOfMethodsThatWentStayUnused() throws Exception {
        assertFalse(rows().containsKey(204), "block.recover");
    }

    private static String row(
            int number, String name, String messages, Audience audience, Effect effect, String again) {
        String who = audience.name().toLowerCase(Locale.ROOT);
        String does = effect.name().toLowerCase(Locale.ROOT);
        return "| " + number + " | `" + name + "` | " + messages + " | " + who + " | " + does + " | " + again + " |";
    }

    private static String name(Parser<? extends Message> parser) throws InvalidProtocolBufferException {
        return "`" + parser.parseFrom(new byte[0]).getDescriptorForType().getName() + "`";
    }

    private static List<String> documented() throws Exception {
        List<String> rows = new ArrayList<>();
        for (String line : Files.readAllLines(SourceTree.root().resolve("docs/protocol.md"))) {
            if (line.matches("\\| \\d+ \\| `[a-z-]+\\.[a-z-]+` \\|.*")) {
                rows.add(line.replace("|  |", "| |"));
            }
        }
        return rows;
    }

    @Test
    void protocolDocumentListsEachMethodAsItIsDeclared() throws Exception {
        List<String> declared =
                rows().values().stream().map(row -> row.replace("|  |", "| |")).toList();
        assertEquals(String.join("\n", declared), String.join("\n", documented()));
    }

    @Test
    void methodsThatAreDoneOnceWrite() {
        for (Method<?, ?> method : DeclaredMethods.calls(MetaMethods.class)) {
            assertTrue(
                    method.idempotent() || Set.of(Effect.WRITES, Effect.FREES).contains(method.effect()),
                    method + " would pass safe mode");
        }
    }

    @Test
    void numbersTellTheService() {
        DeclaredMethods.calls(MetaMethods.class)
                .forEach(method -> assertTrue(method.number() < 200, () -> method + " has a block server's number"));
        DeclaredMethods.calls(BlockMethods.class)
                .forEach(method -> assertTrue(method.number() >= 200, () -> method + " has a metadata number"));
    }
}
