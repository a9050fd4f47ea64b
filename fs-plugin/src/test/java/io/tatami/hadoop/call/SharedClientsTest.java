package io.tatami.hadoop.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.client.ClientSpec;
import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.hadoop.TatamiCluster;
import io.tatami.hadoop.convert.PathConverter;
import io.tatami.protocol.UserIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;

/** Users of one client by many threads at once. */
final class SharedClientsTest {
    @Test
    void sharesTakenAndClosedByManyThreadsAlwaysHaveAClientThatAnswers() throws Exception {
        AtomicInteger made = new AtomicInteger();
        SharedClients clients = new SharedClients(spec -> {
            made.incrementAndGet();
            return TatamiClient.connect(spec);
        });
        UserGroupInformation user = UserGroupInformation.createRemoteUser("anna");
        ClientSpec spec = ClientSpec.of(
                TatamiCluster.shared().uri().getAuthority(), UserIdentity.of("anna"), Settings.of(Map.of()));
        int threadCount = 8;
        ExecutorService threads = Executors.newFixedThreadPool(threadCount);
        CyclicBarrier round = new CyclicBarrier(threadCount);
        List<Future<Boolean>> ends = new ArrayList<>();
        for (int i = 0; i < threadCount; i++) {
            ends.add(threads.submit(() -> {
                for (int n = 0; n < 50; n++) {
                    round.await(1, TimeUnit.MINUTES);
                    try (SharedClients.Share share = clients.take(new SharedClients.Key(spec, user))) {
                        assertEquals("anna", share.client().user().user());
                        share.client().status(PathConverter.path(new Path("/")), true);
                    }
                }
                return true;
            }));
        }
        threads.shutdown();
        for (Future<Boolean> end : ends) {
            assertTrue(end.get(2, TimeUnit.MINUTES));
        }
        assertTrue(made.get() < 50 * threadCount, made::toString);
    }
}
