package io.tatami.planted;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The child process of {@link PlantedBugsTest}: runs one test, and its exit code says how that ended. */
public final class Detector {
    /** The test failed, as it should. */
    static final int CAUGHT = 42;

    static final String SAYS = "it says: ";

    static final int PASSED = 0;

    private static final int NOT_RUN = 3;
    private static final int MESSAGE_CHARS_MAX = 200;

    private Detector() {}

    public static void main(String[] arguments) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectMethod(arguments[0]))
                .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        TestExecutionSummary summary = listener.getSummary();
        for (TestExecutionSummary.Failure failure : summary.getFailures()) {
            String message = String.valueOf(failure.getException()).replace('\n', ' ');
            System.out.println(SAYS + message.substring(0, Math.min(MESSAGE_CHARS_MAX, message.length())));
        }
        boolean failed = summary.getTestsFailedCount() > 0;
        System.out.flush();
        Runtime.getRuntime().halt(failed ? CAUGHT : summary.getTestsSucceededCount() > 0 ? PASSED : NOT_RUN);
    }
}
