package io.tatami.meta.service.traffic;

import com.google.protobuf.Message;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.GroupTrafficReply;
import io.tatami.rpc.CallContext;

/** What clients ask of a group during one term of its leader. Called by many threads; must not wait. */
public interface ClientTraffic {
    /** Of a process in which nothing is counted. */
    ClientTraffic NONE = new ClientTraffic() {
        @Override
        public <Q extends Message> Counter<Q> counter(Method<Q, ?> method) {
            return (context, request) -> {};
        }

        @Override
        public GroupTrafficReply reply() throws TatamiException {
            throw new TatamiException(
                    ErrorCode.UNSUPPORTED,
                    "requests are not counted where the HTTP port is off; start the metadata server without"
                            + " tatami.http.port=none");
        }
    };

    /** Is told of the requests of one method. */
    @FunctionalInterface
    interface Counter<Q extends Message> {
        /** A client made this request, and it is begun. */
        void count(CallContext context, Q request);
    }

    /** What counts the requests of a method; it costs each of them what it costs. */
    <Q extends Message> Counter<Q> counter(Method<Q, ?> method);

    /**
     * What was counted until now.
     *
     * @throws TatamiException UNSUPPORTED where nothing is counted
     */
    GroupTrafficReply reply() throws TatamiException;
}
