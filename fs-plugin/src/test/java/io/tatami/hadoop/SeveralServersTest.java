package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.InvalidPathException;
import org.apache.hadoop.fs.Options.CreateOpts;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** A URI that names several metadata servers, as for a cluster whose groups are replicated. */
final class SeveralServersTest {
    private final URI cluster = TatamiCluster.shared().uri();
    /** The one server under two names, the second of which is asked where the first does not answer. */
    private final URI both = URI.create("tatami://127.0.0.1:" + cluster.getPort() + "," + cluster.getAuthority());

    private Configuration configuration() {
        Configuration configuration = TatamiCluster.shared().configuration();
        configuration.set("fs.defaultFS", both.toString());
        return configuration;
    }

    @Test
    void fileContextWorksWithSeveralServersAndItsPathsNameThemAll() throws Exception {
        FileContext files = FileContext.getFileContext(both, configuration());
        Path directory = new Path(both + "/SeveralServersTest/context");
        Path file = new Path(directory, "file");
        try (FSDataOutputStream out = files.create(file, EnumSet.of(CreateFlag.CREATE), CreateOpts.createParent())) {
            out.writeUTF("content");
        }
        try (FSDataInputStream in = files.open(new Path("/SeveralServersTest/context/file"))) {
            assertEquals("content", in.readUTF());
        }
        FileStatus listed = files.listStatus(directory).next();
        assertEquals(file, listed.getPath());
        files.rename(file, new Path("/SeveralServersTest/context/other"));
        assertTrue(files.util().exists(new Path(directory, "other")));
        assertFalse(files.util().exists(file));
        assertEquals(both.getAuthority(), files.getDefaultFileSystem().getUri().getAuthority());
    }

    @Test
    void aPathOfAnotherClusterIsRefused() throws Exception {
        FileContext files = FileContext.getFileContext(both, configuration());
        Path elsewhere = new Path("tatami://elsewhere:1,nowhere:2/file");
        assertThrows(
                InvalidPathException.class, () -> files.getDefaultFileSystem().checkPath(elsewhere));
    }

    @Test
    void aFileSystemWorksWithSeveralServersAndItsPathsNameThemAll() throws Exception {
        try (FileSystem files = FileSystem.newInstance(both, configuration())) {
            Path file = new Path(both + "/SeveralServersTest/classic/file");
            files.create(file).close();
            assertEquals(file, files.listStatus(file.getParent())[0].getPath());
            assertTrue(files.exists(new Path("/SeveralServersTest/classic/file")));
        }
    }
}
