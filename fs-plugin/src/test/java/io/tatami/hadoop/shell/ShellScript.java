package io.tatami.hadoop.shell;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The script {@code shell/commands.txt}: sections of commands that build on each other. */
record ShellScript(List<Section> sections) {
    private static final String RESOURCE = "/shell/commands.txt";
    private static final String SECTION = "== ";
    private static final String EVERYWHERE = "everywhere";
    private static final List<ShellLine> END =
            List.of(ShellLine.parse("-ls -R {dir}"), ShellLine.parse("-getfacl -R {dir}"));

    /** Lines done in the order they are written in, in directories of their own. */
    record Section(String name, List<ShellLine> lines) {
        /** The name as a directory's. */
        String directory() {
            return name.replace(' ', '-');
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** Every section with the lines of "everywhere" at its beginning, and at its end with a look at what it left. */
    static ShellScript load() {
        List<Section> sections = new ArrayList<>();
        try (InputStream resource = Objects.requireNonNull(ShellScript.class.getResourceAsStream(RESOURCE));
                BufferedReader lines = new BufferedReader(new InputStreamReader(resource, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(SECTION)) {
                    sections.add(new Section(line.substring(SECTION.length()), new ArrayList<>()));
                } else if (!line.isBlank() && !line.startsWith("#")) {
                    sections.get(sections.size() - 1).lines().add(ShellLine.parse(line));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Section everywhere = sections.remove(0);
        if (!everywhere.name().equals(EVERYWHERE)) {
            throw new IllegalStateException(RESOURCE + " does not begin with the section " + EVERYWHERE);
        }
        sections.forEach(section -> {
            section.lines().addAll(0, everywhere.lines());
            section.lines().addAll(END);
        });
        return new ShellScript(sections);
    }
}
