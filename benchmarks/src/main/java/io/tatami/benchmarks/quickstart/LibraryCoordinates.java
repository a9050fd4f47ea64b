package io.tatami.benchmarks.quickstart;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Properties;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** What the jars on this program's class path are called in Maven's world, as they tell themselves. */
final class LibraryCoordinates {
    private static final String OURS = "io.tatami";

    private LibraryCoordinates() {}

    /** A Maven project that depends on exactly these libraries and on nothing through them. */
    static String pomOfOwnClassPath() throws IOException {
        StringBuilder pom = new StringBuilder("""
                <project>
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>io.tatami.quickstart</groupId>
                  <artifactId>corpus</artifactId>
                  <version>1</version>
                  <packaging>pom</packaging>
                  <dependencies>
                """);
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (entry.endsWith(".jar")) {
                appendDependency(entry, pom);
            }
        }
        return pom.append("  </dependencies>\n</project>\n").toString();
    }

    private static void appendDependency(String jar, StringBuilder pom) throws IOException {
        try (ZipFile zip = new ZipFile(jar)) {
            List<? extends ZipEntry> told = zip.stream()
                    .filter(entry -> entry.getName().matches("META-INF/maven/.*/pom\\.properties"))
                    .toList();
            // A jar that tells of several has swallowed others; its own name is not to be guessed.
            if (told.size() != 1) {
                return;
            }
            Properties properties = new Properties();
            try (InputStream in = zip.getInputStream(told.get(0))) {
                properties.load(in);
            }
            String group = properties.getProperty("groupId");
            if (!OURS.equals(group)) {
                pom.append(String.format(
                        "    <dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version>"
                                + "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion>"
                                + "</exclusions></dependency>%n",
                        group, properties.getProperty("artifactId"), properties.getProperty("version")));
            }
        }
    }
}
