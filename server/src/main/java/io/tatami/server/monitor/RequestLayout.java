package io.tatami.server.monitor;

import com.google.protobuf.ByteString;
import io.tatami.rpc.RequestScope;
import org.apache.log4j.PatternLayout;
import org.apache.log4j.spi.LoggingEvent;

/**
 * A line of a server's log, with the trace and the caller context of the request that it belongs to at its end. Named
 * in {@code conf/log4j-server.properties}. The line must be made by the thread that logs, as reload4j's file appenders
 * do.
 */
public final class RequestLayout extends PatternLayout {
    @Override
    public String format(LoggingEvent event) {
        String line = super.format(event);
        RequestScope scope = RequestScope.current();
        if (scope == null) {
            return line;
        }
        int end = line.length() - (line.endsWith(LINE_SEP) ? LINE_SEP.length() : 0);
        StringBuilder text = new StringBuilder(line).delete(end, line.length());
        append(text, " trace=", scope.traceparent());
        append(text, " caller=", scope.callerContext());
        return text.append(line, end, line.length()).toString();
    }

    /** A client chooses what its context says: it must not look like lines of the log. */
    private static void append(StringBuilder text, String name, ByteString value) {
        if (!value.isEmpty()) {
            text.append(name).append(value.toStringUtf8().replaceAll("[\\p{Cntrl}\\p{Zl}\\p{Zp}]", "?"));
        }
    }
}
