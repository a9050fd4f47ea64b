package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Programs with little memory read many open files in turn. */
class SmallMemoryTest {
    private static final Path DIRECTORY = new Path("/SmallMemoryTest");
    private static final Path FILE = new Path(DIRECTORY, "file");

    private FileSystem fileSystem;

    @BeforeEach
    void writeFile() throws IOException {
        fileSystem = FileSystem.newInstance(TatamiCluster.shared().configuration());
        fileSystem.mkdirs(DIRECTORY);
        try (FSDataOutputStream out = fileSystem.create(FILE)) {
            out.write(ManyReadersProgram.content());
        }
    }

    @AfterEach
    void delete() throws IOException {
        fileSystem.delete(DIRECTORY, true);
        fileSystem.close();
    }

    @ParameterizedTest
    @CsvSource({
        "-Xmx64m, 100, 1, true, 10",
        "-Xmx64m, 100, 4, false, 10",
        "-Xmx128m -XX:MaxDirectMemorySize=16m, 50, 4, false, 3"
    })
    void allReadersGetTheirBytes(String options, int readers, int users, boolean sharesMemory, int parts)
            throws Exception {
        run(options, readers, users, sharesMemory, parts);
    }

    /** The JVM looks for garbage before it refuses direct memory, each time for half a second. */
    @Test
    @Tag("soak")
    void aThousandReadersGetTheirBytes() throws Exception {
        run("-Xmx256m", 1_000, 1, false, 1);
    }

    private static void run(String options, int readers, int users, boolean sharesMemory, int parts) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(new File(System.getProperty("java.home"), "bin/java").getPath());
        command.addAll(List.of(options.split(" ")));
        command.add("-XX:TieredStopAtLevel=1");
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                ManyReadersProgram.class.getName(),
                TatamiCluster.shared().uri().toString(),
                FILE.toString(),
                Integer.toString(readers),
                Integer.toString(users),
                Boolean.toString(sharesMemory),
                Integer.toString(parts)));
        // The output of a process of tests is how it speaks with Maven.
        Process program = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(new File("target", "many-readers-program.out"))
                .start();
        try {
            assertTrue(program.waitFor(10, TimeUnit.MINUTES), "the program reads too slowly");
        } finally {
            program.destroyForcibly();
        }
        assertEquals(0, program.exitValue());
    }
}
