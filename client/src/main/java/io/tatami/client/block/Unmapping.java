package io.tatami.client.block;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;

/**
 * Unmaps a mapped file now rather than when its buffer is found to be garbage. Java 17 has no other way than the one
 * that {@code sun.misc.Unsafe} keeps open for libraries (JEP 260).
 */
final class Unmapping {
    private static final MethodHandle INVOKE_CLEANER = invokeCleaner();

    private Unmapping() {}

    /** @param mapped as it came from the channel, no slice or duplicate of it; nothing may touch its memory any more */
    static void unmap(ByteBuffer mapped) {
        try {
            INVOKE_CLEANER.invoke(mapped);
        } catch (Throwable e) {
            throw new IllegalStateException("a file was not unmapped", e);
        }
    }

    private static MethodHandle invokeCleaner() {
        try {
            Class<?> unsafe = Class.forName("sun.misc.Unsafe");
            Field instance = unsafe.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            return MethodHandles.lookup()
                    .findVirtual(unsafe, "invokeCleaner", MethodType.methodType(void.class, ByteBuffer.class))
                    .bindTo(instance.get(null));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
