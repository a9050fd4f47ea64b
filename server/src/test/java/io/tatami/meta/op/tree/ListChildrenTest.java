package io.tatami.meta.op.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.DirectoryId;
import io.tatami.base.SessionId;
import io.tatami.meta.op.tree.wire.Child;
import io.tatami.meta.op.tree.wire.ChildrenReply;
import io.tatami.meta.op.tree.wire.ChildrenRequest;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.wire.DirectoryRecord;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Directory 1 has a, b and c, 2 has none, and 3 has d and e. */
final class ListChildrenTest {
    private static final RequestContext CONTEXT =
            new RequestContext(new Caller("", List.of(), true), SessionId.NONE, 1);
    private static final List<String> ALL = List.of("1/a", "1/b", "1/c", "3/d", "3/e");

    private final TreeState state = new TreeState(new Draft(new MemoryView()));

    @BeforeEach
    void make() {
        long id = 10;
        for (String path : ALL) {
            state.putNew(new TreeState.Named(
                    new DirectoryId(Character.digit(path.charAt(0), 10)),
                    path.substring(2),
                    DirectoryRecord.newBuilder().setDirectoryId(++id).build()));
        }
    }

    private ChildrenReply list(int limit, ChildrenRequest.From... from) {
        return new ListChildren()
                .decide(
                        state,
                        CONTEXT,
                        ChildrenRequest.newBuilder()
                                .addAllFrom(List.of(from))
                                .setLimit(limit)
                                .build());
    }

    private static ChildrenRequest.From from(long directory, String after) {
        return ChildrenRequest.From.newBuilder()
                .setDirectoryId(directory)
                .setAfter(after)
                .build();
    }

    private static List<String> paths(ChildrenReply reply) {
        return reply.getChildList().stream()
                .map(child -> child.getParentId() + "/" + child.getName())
                .toList();
    }

    @Test
    void allChildrenOfAllDirectoriesFitInAPage() {
        ChildrenReply reply = list(100, from(1, ""), from(2, ""), from(3, ""));
        assertEquals(ALL, paths(reply));
        assertEquals(3, reply.getComplete());
        assertEquals(
                List.of(11L, 12L, 13L, 14L, 15L),
                reply.getChildList().stream().map(Child::getDirectoryId).toList());
    }

    /** As a walk goes on: behind the directories that are complete, and in the next one behind the name it came to. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void pagesOfAnyLengthListEachChildOnce(int limit) {
        List<ChildrenRequest.From> left = new ArrayList<>(List.of(from(1, ""), from(2, ""), from(3, "")));
        List<String> listed = new ArrayList<>();
        while (!left.isEmpty()) {
            ChildrenReply reply = list(limit, left.toArray(ChildrenRequest.From[]::new));
            listed.addAll(paths(reply));
            left.subList(0, reply.getComplete()).clear();
            if (!reply.getAfter().isEmpty()) {
                left.set(0, from(left.get(0).getDirectoryId(), reply.getAfter()));
            }
        }
        assertEquals(ALL, listed);
    }
}
