package io.tatami.client.model;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.Type;
import com.google.protobuf.Message;

/** Adds up the counts of replies of one kind. */
public final class MessageSums {
    private MessageSums() {}

    /** Adds each 64-bit number, also of messages within, to the same one of {@code sum}; passes over all else. */
    public static void add(Message.Builder sum, Message part) {
        for (FieldDescriptor field : part.getDescriptorForType().getFields()) {
            if (field.isRepeated()) {
                continue;
            }
            if (field.getType() == Type.INT64) {
                sum.setField(field, (long) sum.getField(field) + (long) part.getField(field));
            } else if (field.getType() == Type.MESSAGE && part.hasField(field)) {
                Message.Builder within = ((Message) sum.getField(field)).toBuilder();
                add(within, (Message) part.getField(field));
                sum.setField(field, within.build());
            }
        }
    }
}
