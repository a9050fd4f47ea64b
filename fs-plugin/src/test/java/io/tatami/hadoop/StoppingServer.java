package io.tatami.hadoop;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * With {@code tatami.test.servers=three-stopping}: one of the three block servers ends when half of a class's tests are
 * done, or the first where their number is not known before, and is back before the next class begins. In a test that
 * takes long it ends and comes back again and again. Tests run one after the other.
 */
public final class StoppingServer implements LauncherSessionListener {
    @Override
    public void launcherSessionOpened(LauncherSession session) {
        if (TatamiCluster.isStopping()) {
            session.getLauncher().registerTestExecutionListeners(new Midst());
        }
    }

    /** Counts the tests of one class after the other. */
    private static final class Midst implements TestExecutionListener {
        private static final long TURN_MILLIS = 10_000;

        private CountDownLatch over = new CountDownLatch(0);
        private Thread turns = new Thread(() -> {});
        private @Nullable TestPlan plan;
        private long tests;
        private long done;

        @Override
        public void testPlanExecutionStarted(TestPlan started) {
            plan = started;
        }

        @Override
        public void executionStarted(TestIdentifier begun) {
            if (begun.isTest()) {
                CountDownLatch end = new CountDownLatch(1);
                over = end;
                turns = new Thread(() -> takeTurns(end), "a block server ends and comes back");
                turns.setDaemon(true);
                turns.start();
            }
            TestPlan known = plan;
            if (known != null && isClass(begun)) {
                TatamiCluster.shared().startServer();
                done = 0;
                tests = known.getDescendants(begun).stream()
                        .filter(TestIdentifier::isTest)
                        .count();
            }
        }

        private static void takeTurns(CountDownLatch end) {
            try {
                while (!end.await(TURN_MILLIS, TimeUnit.MILLISECONDS)) {
                    TatamiCluster.shared().stopServer();
                    System.out.println("a block server ended in the midst of a test");
                    if (end.await(TURN_MILLIS, TimeUnit.MILLISECONDS)) {
                        return;
                    }
                    TatamiCluster.shared().startServer();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void endTurns() {
            over.countDown();
            try {
                turns.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private static boolean isClass(TestIdentifier identifier) {
            TestSource source = identifier.getSource().orElse(null);
            return identifier.isContainer() && source instanceof ClassSource;
        }

        @Override
        public void executionFinished(TestIdentifier ended, TestExecutionResult result) {
            if (ended.isTest()) {
                endTurns();
                done++;
                if (done == Math.max(1, tests / 2)) {
                    TatamiCluster.shared().stopServer();
                    System.out.println("a block server ended after " + done + " of " + tests + " tests");
                }
            }
        }
    }
}
