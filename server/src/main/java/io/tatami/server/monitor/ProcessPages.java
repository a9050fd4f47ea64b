package io.tatami.server.monitor;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.server.http.HttpAnswer;
import io.tatami.server.http.HttpQuestion;
import io.tatami.server.http.HttpRoutes;
import io.tatami.server.http.Right;
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

    private final ProcessText process;

    ProcessPages(ProcessText process) {
        this.process = process;
    }

    void addTo(HttpRoutes routes) {
        routes.get("/conf", Right.ADMINISTER, question -> HttpAnswer.text(process.settings()))
                .get("/stacks", Right.ADMINISTER, question -> HttpAnswer.text(ProcessText.stacks()))
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
        if (!name.matches("[\\w.$-]+")) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a logger has the name of a class or a package, for example io.tatami.meta, or root");
        }
        return name.equals("root") ? LogManager.getRootLogger() : LogManager.getLogger(name);
    }

    private static String level(Logger logger) {
        return logger.getName() + " " + logger.getEffectiveLevel() + "\n";
    }
}
