package io.tatami.server.monitor;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.conf.SettingCatalog;
import io.tatami.conf.Settings;
import io.tatami.server.http.HttpAnswer;
import io.tatami.server.http.HttpQuestion;
import io.tatami.server.http.HttpRoutes;
import io.tatami.server.http.Right;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.Set;
import org.apache.log4j.Level;
import org.apache.log4j.LogManager;
import org.apache.log4j.Logger;
import org.slf4j.LoggerFactory;

/** The pages about the process itself, for administrators: settings, stacks of threads, levels of the log. */
final class ProcessPages {
    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(ProcessPages.class);
    private static final Set<String> LEVELS = Set.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF");
    private static final int NAME_CHARACTERS_MAX = 256;

    private final SettingCatalog catalog;
    private final Settings settings;

    /** @param catalog of every setting of this program */
    ProcessPages(SettingCatalog catalog, Settings settings) {
        this.catalog = catalog;
        this.settings = settings;
    }

    void addTo(HttpRoutes routes) {
        routes.get("/conf", Right.ADMINISTER, question -> HttpAnswer.text(catalog.valuesIn(settings)))
                .get("/stacks", Right.ADMINISTER, question -> HttpAnswer.text(stacks()))
                .get("/logLevel", Right.ADMINISTER, question -> HttpAnswer.text(level(logger(question))))
                .post("/logLevel", Right.ADMINISTER, ProcessPages::setLevel);
    }

    private static HttpAnswer setLevel(HttpQuestion question) throws TatamiException {
        Logger logger = logger(question);
        String level = question.required("level").toUpperCase(Locale.ROOT);
        if (!LEVELS.contains(level)) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT, level + " is no level; allowed are " + String.join(", ", LEVELS));
        }
        LOG.info("the level of {} becomes {}", logger.getName(), level);
        logger.setLevel(Level.toLevel(level));
        return HttpAnswer.text(level(logger));
    }

    private static Logger logger(HttpQuestion question) throws TatamiException {
        String name = question.required("logger");
        if (name.length() > NAME_CHARACTERS_MAX) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the name of a logger has at most " + NAME_CHARACTERS_MAX + " characters");
        }
        return name.equals("root") ? LogManager.getRootLogger() : LogManager.getLogger(name);
    }

    private static String level(Logger logger) {
        return logger.getName() + " " + logger.getEffectiveLevel() + "\n";
    }

    /** All threads by name, with what each waits for. */
    private static String stacks() {
        StringBuilder text = new StringBuilder();
        ThreadInfo[] threads = ManagementFactory.getThreadMXBean().dumpAllThreads(true, false);
        Arrays.sort(threads, Comparator.comparing(ThreadInfo::getThreadName));
        for (ThreadInfo thread : threads) {
            append(text, thread);
        }
        return text.toString();
    }

    private static void append(StringBuilder text, ThreadInfo thread) {
        text.append('"').append(thread.getThreadName()).append("\" ").append(thread.getThreadState());
        LockInfo lock = thread.getLockInfo();
        if (lock != null) {
            text.append(" for ").append(lock);
        }
        if (thread.getLockOwnerName() != null) {
            text.append(" of \"").append(thread.getLockOwnerName()).append('"');
        }
        text.append('\n');
        for (StackTraceElement frame : thread.getStackTrace()) {
            text.append("    at ").append(frame).append('\n');
        }
        text.append('\n');
    }
}
