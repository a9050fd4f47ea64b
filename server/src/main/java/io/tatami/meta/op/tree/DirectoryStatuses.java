package io.tatami.meta.op.tree;

import io.tatami.meta.op.Access;
import io.tatami.meta.op.ExtendedAttributes;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.protocol.wire.Status;

/** A directory as clients see it; its times are completed from its shares. */
final class DirectoryStatuses {
    private DirectoryStatuses() {}

    static Status of(Named directory, Caller caller) {
        return Status.newBuilder()
                .setKind(Status.Kind.DIRECTORY)
                .setName(directory.name())
                .setId(directory.id().value())
                .setAttributes(
                        ExtendedAttributes.visibleTo(caller, directory.record().getAttributes()))
                .setCallerAccess(Access.granted(caller, directory.record().getAttributes()))
                .setCallerSuperuser(caller.superuser())
                .setSpread(directory.record().getSpread())
                .setLink(directory.record().getLink())
                .build();
    }
}
