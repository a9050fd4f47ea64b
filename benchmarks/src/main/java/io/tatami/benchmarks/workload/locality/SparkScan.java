package io.tatami.benchmarks.workload.locality;

import java.lang.reflect.Method;

/**
 * The driver of an application of Spark that counts the lines of files, in one stage of one task for each block. Runs
 * on Spark's class path, and takes Spark's settings from system properties. It names Spark's classes as text, as Spark
 * is no dependency of the benchmarks; executors need no class but Spark's. Argument: the path of the files.
 */
public final class SparkScan {
    private SparkScan() {}

    public static void main(String[] words) throws Exception {
        Class<?> type = Class.forName("org.apache.spark.api.java.JavaSparkContext");
        Method textFile = type.getMethod("textFile", String.class);
        try (AutoCloseable context = (AutoCloseable) type.getConstructor().newInstance()) {
            Object lines = textFile.invoke(context, words[0]);
            System.out.println(
                    lines.getClass().getMethod("count").invoke(lines) + " lines are in the files of " + words[0]);
        }
    }
}
