package io.tatami.meta.log.raft.transport;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Calls with one kind of request to a part of Ratis, with something done around each; all others go as they are. */
final class HeldCalls {
    private HeldCalls() {}

    /** A call that is held up. */
    interface Call<Q> {
        /** @param request in the place of the one it was made with */
        Object make(Q request) throws Throwable;
    }

    /** What happens around it. */
    interface Around<Q> {
        /** @return the reply that is told */
        Object call(Q request, Call<Q> call) throws Throwable;
    }

    /** @param kind an interface of {@code target} */
    static <T, Q> T around(Class<T> kind, T target, Class<Q> requests, Around<Q> around) {
        Object made =
                Proxy.newProxyInstance(kind.getClassLoader(), new Class<?>[] {kind}, (proxy, method, arguments) -> {
                    Call<Object[]> call = given -> {
                        try {
                            return method.invoke(target, given);
                        } catch (InvocationTargetException e) {
                            throw e.getCause() == null ? e : e.getCause();
                        }
                    };
                    boolean isHeld = arguments != null && arguments.length == 1 && requests.isInstance(arguments[0]);
                    return isHeld
                            ? around.call(requests.cast(arguments[0]), request -> call.make(new Object[] {request}))
                            : call.make(arguments);
                });
        return kind.cast(made);
    }
}
