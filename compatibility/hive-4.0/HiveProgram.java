import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.DriverFactory;
import org.apache.hadoop.hive.ql.IDriver;
import org.apache.hadoop.hive.ql.session.SessionState;

/**
 * Tables of Hive on Tatami, in local mode with a metastore in this process: managed, partitioned and overwritten, in two
 * formats. Its arguments are the address of a Tatami cluster and a local directory for the metastore.
 */
public final class HiveProgram {
    private final IDriver driver;

    private HiveProgram(IDriver driver) {
        this.driver = driver;
    }

    public static void main(String[] arguments) throws Exception {
        String uri = arguments[0];
        HiveConf configuration = new HiveConf();
        configuration.set("hive.metastore.warehouse.dir", uri + "/warehouse");
        configuration.set("hive.exec.scratchdir", uri + "/scratch");
        configuration.set("hive.exec.local.scratchdir", arguments[1] + "/scratch");
        configuration.set("hive.execution.engine", "mr");
        configuration.set("mapreduce.framework.name", "local");
        configuration.set("hadoop.tmp.dir", arguments[1] + "/hadoop");
        configuration.set(
                "javax.jdo.option.ConnectionURL",
                "jdbc:derby:;databaseName=" + arguments[1] + "/metastore;create=true");
        configuration.set("datanucleus.schema.autoCreateAll", "true");
        configuration.set("hive.metastore.schema.verification", "false");
        configuration.set("hive.metastore.event.db.notification.api.auth", "false");
        configuration.set("hive.exec.dynamic.partition.mode", "nonstrict");
        configuration.set("hive.stats.autogather", "false");
        configuration.set("hive.exec.submit.local.task.via.child", "false"); // there is no hadoop command here
        SessionState.start(new SessionState(configuration));
        new HiveProgram(DriverFactory.newDriver(configuration)).run(uri);
        System.out.println("hive: all was done");
        System.exit(0);
    }

    private void run(String uri) throws Exception {
        driver.run("CREATE TABLE words (id INT, word STRING) STORED AS TEXTFILE");
        require(query("DESCRIBE FORMATTED words").stream()
                .anyMatch(line -> line.contains("Location:") && line.contains(uri + "/warehouse/words")),
                "the table is on Tatami");
        driver.run("INSERT INTO words VALUES (1, 'a'), (2, 'b'), (3, 'b'), (4, 'c')");
        driver.run("INSERT INTO words SELECT id + 10, word FROM words WHERE word <> 'a'");
        expect("SELECT id, word FROM words ORDER BY id", "1\ta", "2\tb", "3\tb", "4\tc", "12\tb", "13\tb", "14\tc");
        expect("SELECT word, count(*), sum(id) FROM words GROUP BY word ORDER BY word", "a\t1\t1", "b\t4\t30", "c\t2\t18");

        driver.run("CREATE TABLE parts (id INT) PARTITIONED BY (word STRING) STORED AS ORC");
        driver.run("INSERT OVERWRITE TABLE parts PARTITION (word) SELECT id, word FROM words");
        expect("SHOW PARTITIONS parts", "word=a", "word=b", "word=c");
        expect("SELECT w.id, p.word FROM words w JOIN parts p ON w.id = p.id WHERE p.word = 'c' ORDER BY w.id", "4\tc", "14\tc");
        driver.run("INSERT OVERWRITE TABLE parts PARTITION (word) SELECT id * 100, word FROM words WHERE word = 'c'");
        expect("SELECT id, word FROM parts WHERE word <> 'b' ORDER BY id", "1\ta", "400\tc", "1400\tc");
        driver.run("ALTER TABLE parts DROP PARTITION (word = 'b')");
        driver.run("CREATE TABLE copy STORED AS ORC AS SELECT max(id) AS id FROM parts");
        driver.run("ALTER TABLE copy RENAME TO renamed");
        expect("SELECT id FROM renamed", "1400");
        driver.run("DROP TABLE words PURGE");
        expect("SHOW TABLES", "parts", "renamed");
    }

    private void expect(String text, String... rows) throws Exception {
        List<String> found = query(text);
        require(found.equals(List.of(rows)), text + " gives " + List.of(rows) + ", and gave " + found);
    }

    private List<String> query(String text) throws Exception {
        driver.run(text);
        List<String> rows = new ArrayList<>();
        driver.getResults(rows);
        return rows;
    }

    private static void require(boolean truth, String what) {
        if (!truth) {
            throw new IllegalStateException("it is not so that " + what);
        }
    }
}
