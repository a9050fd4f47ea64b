package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.junit.jupiter.api.Test;

/** HBase keeps acknowledged rows only where the object that Hadoop makes for the scheme is a LeaseRecoverable. */
class NamedClassTest {
    /** Such as hbase-site.xml, which HBase loads after core-site.xml. */
    @Test
    void classNamedInAResourceOfTheProgramRecoversLeases() throws IOException {
        Configuration configuration = new Configuration();
        configuration.addResource(
                new ByteArrayInputStream(("<configuration><property><name>fs.tatami.impl</name><value>"
                                + TatamiFileSystem.class.getName() + "</value></property></configuration>")
                        .getBytes(StandardCharsets.UTF_8)));
        Class<? extends FileSystem> made = FileSystem.getFileSystemClass("tatami", configuration);
        assertTrue(LeaseRecoverable.class.isAssignableFrom(made), made.getName());
    }

    @Test
    void classThatLacksInterfacesOfThisHadoopIsTold() {
        assertEquals("", HadoopInterfaces.lacking(BulkTatamiFileSystem.class));
        String lacking = HadoopInterfaces.lacking(TatamiFileSystem.class);
        assertTrue(lacking.contains(BulkTatamiFileSystem.class.getName()), lacking);
        assertTrue(lacking.contains("fs.tatami.impl"), lacking);
    }
}
