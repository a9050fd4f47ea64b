package io.tatami.meta.service.traffic;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.SignedHandle;
import org.jspecify.annotations.Nullable;

/**
 * Where the requests of a method show the handle of their directory. Of several handles it is the first by the order of
 * fields: of a rename that of the source, of a bulk delete that of the first item.
 */
@FunctionalInterface
interface ShownHandle {
    /** Of requests that name no directory, but a path, a file or a block. */
    ShownHandle NONE = request -> null;

    /** The handle of a request of the method, null where it shows none. */
    @Nullable
    SignedHandle of(Message request);

    /** Looks at the fields once, so that a request costs one access. */
    static ShownHandle in(Method<?, ?> method) {
        try {
            return in(method.requestParser().parseFrom(new byte[0]).getDescriptorForType());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(method + " has no empty request", e);
        }
    }

    private static ShownHandle in(Descriptor message) {
        for (FieldDescriptor field : message.getFields()) {
            if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
                continue;
            }
            if (!field.isRepeated() && field.getMessageType().equals(SignedHandle.getDescriptor())) {
                return request -> (SignedHandle) request.getField(field);
            }
            ShownHandle inItem = field.isRepeated() ? in(field.getMessageType()) : NONE;
            if (inItem != NONE) {
                return request -> request.getRepeatedFieldCount(field) == 0
                        ? null
                        : inItem.of((Message) request.getRepeatedField(field, 0));
            }
        }
        return NONE;
    }
}
