import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.Trigger;

/** What jobs of Spark do to a file system. Its argument is a directory of a Tatami cluster. */
public final class SparkProgram {
    private static final long ROWS = 40_000;

    private SparkProgram() {}

    public static void main(String[] arguments) throws Exception {
        String directory = arguments[0];
        try (SparkSession spark = SparkSession.builder().appName("tatami").getOrCreate()) {
            String table = directory + "/table";
            Dataset<Row> rows = spark.range(ROWS).selectExpr("id", "id % 3 as part", "sha2(cast(id as string), 256) as text");
            rows.write().mode(SaveMode.Overwrite).partitionBy("part").parquet(table);
            rows.write().mode(SaveMode.Append).partitionBy("part").parquet(table);
            rows.limit(10).write().mode(SaveMode.Overwrite).csv(directory + "/csv");
            Dataset<Row> read = spark.read().parquet(table);
            require(read.count() == 2 * ROWS, "all rows are read");
            require(read.selectExpr("sum(id)").first().getLong(0) == ROWS * (ROWS - 1), "they are what was written");
            require(read.filter("part = 2").select("text").distinct().count() == read.filter("part = 2").count() / 2,
                    "a partition is read");

            // The checkpoint's log is written by FileContext and renamed into place.
            String copy = directory + "/stream";
            spark.readStream()
                    .schema(read.schema())
                    .parquet(table)
                    .writeStream()
                    .format("parquet")
                    .option("checkpointLocation", directory + "/checkpoint")
                    .trigger(Trigger.AvailableNow())
                    .start(copy)
                    .awaitTermination();
            require(spark.read().parquet(copy).count() == 2 * ROWS, "a stream copies all rows");

            JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
            context.parallelize(List.of("a b", "b c", "c c"), 2).saveAsTextFile(directory + "/text");
            Map<String, Long> words = context.textFile(directory + "/text")
                    .flatMap(line -> List.of(line.split(" ", -1)).iterator())
                    .countByValue();
            require(words.equals(Map.of("a", 1L, "b", 2L, "c", 3L)), "words are counted, and are " + words);
        }
        System.out.println("spark: all was done");
    }

    private static void require(boolean truth, String what) {
        if (!truth) {
            throw new IllegalStateException("it is not so that " + what);
        }
    }
}
