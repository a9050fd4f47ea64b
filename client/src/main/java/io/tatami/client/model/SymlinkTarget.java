package io.tatami.client.model;

import io.tatami.base.TatamiException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;

/** Where symlinks lead. */
public final class SymlinkTarget {
    /** RFC 3986, section 3.1. */
    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:.*");

    private SymlinkTarget() {}

    /**
     * The path that takes the place of the one that led through a link: the target, relative to the link's directory,
     * and what followed the link; {@code .} and {@code ..} are resolved as text, as Hadoop does.
     *
     * @throws UnresolvedLinkException the one given, where the target has a scheme
     */
    public static TatamiPath resolve(UnresolvedLinkException link) throws TatamiException {
        String target = link.target();
        if (SCHEME.matcher(target).matches()) {
            throw link;
        }
        String base = TatamiPath.of(link.link()).parent().toString();
        String whole = (target.startsWith("/") ? target : base + "/" + target) + link.rest();
        Deque<String> names = new ArrayDeque<>();
        for (String name : whole.split("/", -1)) {
            switch (name) {
                case "", "." -> {}
                case ".." -> names.pollLast();
                default -> names.add(name);
            }
        }
        return TatamiPath.of("/" + String.join("/", names));
    }
}
