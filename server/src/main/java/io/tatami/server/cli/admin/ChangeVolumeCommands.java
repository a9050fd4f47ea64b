package io.tatami.server.cli.admin;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.conf.SettingKind;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ChangeVolumeRequest;
import io.tatami.protocol.wire.ChangeVolumeRequest.Action;
import io.tatami.server.cli.option.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The verbs of {@code tatami admin volume} that change one volume of a block server. */
final class ChangeVolumeCommands {
    private ChangeVolumeCommands() {}

    /** One change. */
    abstract static class Change implements Callable<Integer> {
        @Spec
        private CommandSpec spec;

        @Mixin
        private BlockServerArgument server;

        @Override
        public Integer call() throws TatamiException {
            try (TatamiClient client = server.connect()) {
                BlockServerInfo info = server.find(client.cluster());
                VolumeStatusCommand.print(
                        info,
                        client.cluster()
                                .changeVolume(
                                        change().setServerId(info.getServerId()).build()),
                        spec.commandLine().getOut());
            }
            return ExitCode.DONE;
        }

        /** The change, without the server. */
        abstract ChangeVolumeRequest.Builder change();

        static ChangeVolumeRequest.Builder of(Action action, String volume) {
            return ChangeVolumeRequest.newBuilder().setAction(action).setVolume(volume);
        }
    }

    /** {@code tatami admin volume add [URI] SERVER PATH}. */
    @Command(
            name = "add",
            description = "Has a block server open a device or file, make and format it where it is none yet, and"
                    + " serve from it, also after its next start.")
    static final class Add extends Change {
        @Parameters(
                index = "1",
                paramLabel = "PATH",
                description = "A block device or file on the server's host; absolute, or it is taken from the server's"
                        + " working directory.")
        private String path;

        @Option(
                names = "--capacity",
                paramLabel = "SIZE",
                converter = Size.class,
                description = "Size of a volume file that is made; without it the size the server was started with.")
        private long capacityBytes;

        @Override
        ChangeVolumeRequest.Builder change() {
            return of(Action.ADD, path).setCapacityBytes(capacityBytes);
        }
    }

    /** {@code tatami admin volume drain [URI] SERVER VOLUME [--undo]}. */
    @Command(
            name = "drain",
            description = "Gives a volume no more blocks, and moves those it has to the server's other volumes.")
    static final class Drain extends Change {
        @Parameters(index = "1", paramLabel = "VOLUME", description = "Its id or path.")
        private String volume;

        @Option(names = "--undo", description = "End the drain: the volume takes blocks again.")
        private boolean undo;

        @Override
        ChangeVolumeRequest.Builder change() {
            return of(undo ? Action.UNDRAIN : Action.DRAIN, volume);
        }
    }

    /** {@code tatami admin volume remove [URI] SERVER VOLUME [--give-up]}. */
    @Command(
            name = "remove",
            description = "Has a block server close a volume without blocks, and not open it again at its next start.")
    static final class Remove extends Change {
        @Parameters(index = "1", paramLabel = "VOLUME", description = "Its id or path.")
        private String volume;

        @Option(
                names = "--give-up",
                description = "Also where it has blocks, or cannot be opened: the copies that are there count as lost.")
        private boolean giveUp;

        @Override
        ChangeVolumeRequest.Builder change() {
            return of(Action.REMOVE, volume).setGiveUp(giveUp);
        }
    }

    /** A size above 0. */
    static final class Size implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            try {
                long bytes = SettingKind.SIZE.parse(text);
                if (bytes > 0) {
                    return bytes;
                }
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'" + text + "' is not a valid size; write for example 20g");
            }
            throw new TypeConversionException("'" + text + "' is not a valid size; write for example 20g");
        }
    }
}
