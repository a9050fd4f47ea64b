package io.tatami.server.cli.admin;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.conf.SettingKind;
import io.tatami.protocol.wire.ChangeBlockServerRequest;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code tatami admin block rate [URI] SERVER|all RATE}. */
@Command(
        name = "rate",
        description = "Limits the bytes a second that copies between block servers may take of a block server.")
final class BlockRateCommand implements Callable<Integer> {
    private static final int ALL = 0;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Parameters(index = "0", paramLabel = "SERVER", description = "An id, host:port, or 'all'.")
    private String server;

    @Parameters(
            index = "1",
            paramLabel = "RATE",
            converter = Rate.class,
            description = "Bytes a second, for example 50m; 'none' for no limit, 'default' for the server's setting.")
    private long bytesPerSecond;

    @Override
    public Integer call() throws TatamiException {
        try (TatamiClient client = cluster.connect()) {
            int id = server.equals("all")
                    ? ALL
                    : BlockServerArgument.find(client.cluster().map(), server).getServerId();
            var unused = client.cluster()
                    .changeBlockServer(ChangeBlockServerRequest.newBuilder()
                            .setAction(ChangeBlockServerRequest.Action.SET_COPY_RATE)
                            .setServerId(id)
                            .setCopyBytesPerSecond(bytesPerSecond)
                            .build());
        }
        spec.commandLine().getOut().printf("the rate of copies is set; servers hear of it within seconds%n");
        spec.commandLine().getOut().flush();
        return ExitCode.DONE;
    }

    /** A rate as the request has it. */
    static final class Rate implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            if (text.equals("none")) {
                return -1L;
            }
            if (text.equals("default")) {
                return 0L;
            }
            try {
                return SettingKind.SIZE.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(
                        "'" + text + "' is not a valid rate; write for example 50m, none or default");
            }
        }
    }
}
