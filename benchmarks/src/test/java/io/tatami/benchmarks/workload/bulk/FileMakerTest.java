package io.tatami.benchmarks.workload.bulk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.TatamiPeer;
import io.tatami.benchmarks.workload.bulk.FileMaker.OpenFile;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileMakerTest {
    private static final int FILES = 3;

    /** Many more than a shard has credits for at first. */
    private static final int MANY_FILES = 200;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void theServiceItselfCountsABlockForEachFileUntilItIsClosedAndNoneOfMetadataAlone() throws Exception {
        try (Peer peer = TatamiPeer.start(directory.resolve("peer"), "256m")) {
            String authority =
                    URI.create(peer.configuration().get("fs.defaultFS", "")).getAuthority();
            UserIdentity user = UserIdentity.of(System.getProperty("user.name"));
            try (TatamiClient observer = TatamiClient.connect(authority, user, Settings.of(Map.of()));
                    FileMaker maker = new FileMaker(authority)) {
                observer.mkdirs(TatamiPath.of("/made"), CreateSpec.modes(0777, 022), true);
                for (CreateMode mode : CreateMode.values()) {
                    ServiceCounts before = ServiceCounts.of(observer);
                    List<OpenFile> files = new ArrayList<>();
                    for (int i = 0; i < FILES; i++) {
                        files.add(maker.create(TatamiPath.of("/made/" + mode.label() + i), mode));
                    }
                    int blocks = mode.hasBlock() ? FILES : 0;
                    assertEquals(
                            blocks, ServiceCounts.of(observer).since(before).blocks(), mode.label());
                    for (int i = 0; i < FILES; i++) {
                        TatamiPath path = TatamiPath.of("/made/" + mode.label() + i);
                        assertFalse(observer.isClosed(path));
                        maker.close(files.get(i));
                        assertTrue(observer.isClosed(path));
                    }
                    assertEquals(0, ServiceCounts.of(observer).since(before).blocks(), mode.label());
                }
                for (int i = 0; i < MANY_FILES; i++) {
                    maker.create(TatamiPath.of("/made/many" + i), CreateMode.GRANTS);
                }
                assertEquals(0, maker.withoutGrant(), "credits come before there are none left");
                ServiceCounts counts = ServiceCounts.of(observer);
                assertTrue(counts.refills() > 0 && counts.credits() >= counts.refills(), counts::toString);
            }
        }
    }
}
