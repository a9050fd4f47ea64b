package io.tatami.client.model;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.TatamiException;
import io.tatami.client.model.AccessPlan.Read;
import java.util.List;
import org.junit.jupiter.api.Test;

/** By what people may know a plan. */
final class AccessPlanTest {
    private static Read read(String path) throws TatamiException {
        return Read.whole(TatamiPath.of(path));
    }

    @Test
    void aPlanIsAboutTheFirstPathAndTellsHowManyOthersThereAre() throws TatamiException {
        assertEquals("/a/b", AccessPlan.inOrder(read("/a/b")).about());
        assertEquals(
                "/a/b",
                AccessPlan.inOrder(new Read(TatamiPath.of("/a/b"), 0, 10), new Read(TatamiPath.of("/a/b"), 50, 10))
                        .about());
        assertEquals(
                "/c and 2 more",
                AccessPlan.inOrder(read("/c"), read("/a"), read("/b"), read("/c"))
                        .about());
        assertEquals("", AccessPlan.inOrder(List.of()).about());
    }

    @Test
    void aLongPathIsCutBetweenCharactersAndTheNumberStays() throws TatamiException {
        String path = "/" + "x".repeat(200) + "/" + "畳".repeat(60);
        assertEquals(256, ("/" + "x".repeat(200) + "/" + "畳".repeat(18)).getBytes(UTF_8).length);
        assertEquals(
                "/" + "x".repeat(200) + "/" + "畳".repeat(18),
                AccessPlan.inOrder(read(path)).about());
        String several = AccessPlan.inOrder(read(path), read("/b")).about();
        assertEquals("/" + "x".repeat(200) + "/" + "畳".repeat(14) + " and 1 more", several);
        assertTrue(several.getBytes(UTF_8).length <= 256, several);
    }
}
