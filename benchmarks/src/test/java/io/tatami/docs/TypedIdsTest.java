package io.tatami.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * What orders or names a thing has a type of its own in the main code of client, server and plug-in, so that two of
 * them cannot change places: a bare number of such a name is no parameter, record component, field, variable or answer.
 * The messages on the wire have numbers, and their own generated classes.
 */
final class TypedIdsTest {
    private static final Pattern BARE_NUMBER =
            Pattern.compile("\\b[lL]ong \\w*([gG]eneration|[vV]ersion|[tT]ransaction)\\b"
                    + "|\\b[lL]ong (mark|moveMark)\\s*[,)]"
                    + "|\\bint (server|serverId)\\s*[,);]"
                    + "|<Integer> (server|serverId)s\\b");

    @Test
    void whatOrdersOrNamesAThingIsNoBareNumber() throws IOException {
        TreeSet<String> bare = new TreeSet<>();
        List<Path> sources = SourceNames.sources().stream()
                .filter(source -> source.toString().matches(".*/(client|server|fs-plugin)/.*src/main/java/.*"))
                .filter(source -> !source.toString().contains("/target/"))
                .toList();
        assertTrue(sources.size() > 500, () -> "only " + sources.size() + " classes were found");
        for (Path source : sources) {
            bareNumbers(Documents.text(source))
                    .forEach(found -> bare.add(Documents.ROOT.relativize(source) + ": " + found));
        }
        assertEquals(new TreeSet<String>(), bare);
    }

    @Test
    void aBareNumberIsSeen() {
        assertEquals(
                List.of("long newGeneration", "Long version", "int server)", "<Integer> servers"),
                bareNumbers("void cut(BlockId block, long newGeneration, Long version, int server) {}"
                        + " record Extent(Generation generation, List<Integer> servers, int serverCount) {}"));
    }

    private static List<String> bareNumbers(String source) {
        return BARE_NUMBER.matcher(source).results().map(MatchResult::group).toList();
    }
}
