package io.tatami.server.node;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** A configuration file in Hadoop's format, as far as it goes without variables and included files. */
final class SiteFile {
    private SiteFile() {}

    /** @throws TatamiException INVALID_ARGUMENT where it is no such file */
    static Settings read(InputStream file, String name) throws TatamiException {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            return settings(factory.newDocumentBuilder().parse(file).getDocumentElement());
        } catch (ParserConfigurationException | SAXException | IOException e) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, name + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static Settings settings(Element configuration) throws SAXException {
        Map<String, String> values = new HashMap<>();
        NodeList properties = configuration.getElementsByTagName("property");
        for (int i = 0; i < properties.getLength(); i++) {
            Element property = (Element) properties.item(i);
            values.put(text(property, "name"), text(property, "value"));
        }
        return Settings.of(values);
    }

    private static String text(Element property, String tag) throws SAXException {
        NodeList found = property.getElementsByTagName(tag);
        if (found.getLength() != 1) {
            throw new SAXException("a property has " + found.getLength() + " elements <" + tag + ">, not one");
        }
        return found.item(0).getTextContent().trim();
    }
}
