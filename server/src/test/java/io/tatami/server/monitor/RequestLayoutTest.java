package io.tatami.server.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import io.tatami.rpc.RequestScope;
import java.net.SocketAddress;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.Test;

class RequestLayoutTest {
    private static final RequestLayout LAYOUT = new RequestLayout();

    static {
        LAYOUT.setConversionPattern("%p %m%n");
    }

    /** A request that only says what it is. */
    private static final class Scope extends RequestScope {
        private final ByteString traceparent;
        private final ByteString callerContext;

        Scope(ByteString traceparent, ByteString callerContext) {
            this.traceparent = traceparent;
            this.callerContext = callerContext;
        }

        @Override
        public ByteString traceparent() {
            return traceparent;
        }

        @Override
        public ByteString callerContext() {
            return callerContext;
        }

        @Override
        public void spent(Station station, long nanos) {}

        @Override
        public void called(String method, SocketAddress server, long tookNanos) {}
    }

    private static String line(String trace, String caller) {
        RequestScope before =
                RequestScope.enter(new Scope(ByteString.copyFromUtf8(trace), ByteString.copyFromUtf8(caller)));
        try {
            return line();
        } finally {
            RequestScope.leave(before);
        }
    }

    private static String line() {
        Logger logger = Logger.getLogger(RequestLayoutTest.class);
        return LAYOUT.format(new LoggingEvent("", logger, Level.INFO, "said", null));
    }

    @Test
    void aLineOfARequestEndsWithItsTraceAndItsCaller() {
        assertEquals("INFO said trace=00-ab-cd-01 caller=mr_task_1\n", line("00-ab-cd-01", "mr_task_1"));
        assertEquals("INFO said trace=00-ab-cd-01\n", line("00-ab-cd-01", ""));
        assertEquals("INFO said\n", line("", ""));
    }

    @Test
    void aLineOfNoRequestIsAsItWas() {
        assertEquals("INFO said\n", line());
    }

    @Test
    void aCallersWordsStayInTheirLine() {
        assertEquals("INFO said caller=x??ERROR forged?\n", line("", "x\r\nERROR forged\u2028"));
    }
}
