package io.tatami.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.tatami.base.TatamiException;
import io.tatami.conf.Setting;
import io.tatami.conf.Settings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The configuration file that is shipped says what there is to configure, and servers read it. */
class SiteFileTest {
    private static final Path SHIPPED = Path.of("..", "conf", "tatami-site.xml");

    @Test
    void shippedFileHasEverySettingAtItsDefault() throws IOException {
        String generated = SettingsOfAll.catalog().toSiteXml();
        Path fresh =
                Files.writeString(Files.createDirectories(Path.of("target")).resolve(SHIPPED.getFileName()), generated);
        assertEquals(generated, Files.readString(SHIPPED), () -> "copy " + fresh.toAbsolutePath() + " to " + SHIPPED);
    }

    @Test
    void everySettingThatIsDeclaredIsInTheCatalog() throws ReflectiveOperationException {
        List<Setting<?>> declared = new ArrayList<>();
        for (JavaField found : new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages("io.tatami").stream()
                        .flatMap(type -> type.getFields().stream())
                        .filter(field -> field.getRawType().isEquivalentTo(Setting.class))
                        .filter(field -> field.getModifiers().contains(JavaModifier.STATIC))
                        .toList()) {
            Field field = found.reflect();
            field.setAccessible(true);
            declared.add((Setting<?>) field.get(null));
        }
        declared.removeIf(setting -> setting.key().startsWith("tatami.test."));
        assertFalse(declared.isEmpty());
        declared.removeAll(SettingsOfAll.catalog().settings());
        assertEquals(List.of(), declared);
    }

    @Test
    void fileSaysWhatTheCommandLineLeavesOpen() throws TatamiException {
        Setting<Integer> one = Setting.count("tatami.test.one", 1, 0, 9, "One.");
        Setting<Integer> two = Setting.count("tatami.test.two", 1, 0, 9, "Two.");
        Settings file = read("<configuration><property><name>tatami.test.one</name><value> 5 </value></property>"
                + "<property><name>tatami.test.two</name><value>6</value></property></configuration>");
        Settings both = Settings.of(Map.of(two.key(), "7")).orElse(file);
        assertEquals(5, both.get(one));
        assertEquals(7, both.get(two));
    }

    @Test
    void brokenFileIsRefusedByItsName() {
        for (String broken :
                List.of("<configuration>", "<configuration><property><name>x</name></property></configuration>")) {
            TatamiException refused = assertThrows(TatamiException.class, () -> read(broken));
            assertTrue(String.valueOf(refused.getMessage()).startsWith("the-file.xml"), refused.toString());
        }
    }

    private static Settings read(String text) throws TatamiException {
        return SiteFile.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "the-file.xml");
    }
}
