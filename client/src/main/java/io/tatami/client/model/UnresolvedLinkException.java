package io.tatami.client.model;

import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.RefusalSubject;
import io.tatami.base.TatamiException;

/**
 * A path leads through a symlink, or ends in one that the operation would follow. Links are stored as they were given
 * and may lead to other file systems, so following them is the caller's: see
 * {@link io.tatami.client.TatamiClient#following} for links within the cluster.
 */
public final class UnresolvedLinkException extends TatamiException {
    private static final long serialVersionUID = 1L;

    private final String path;
    private final String link;
    private final String target;

    public UnresolvedLinkException(TatamiPath path, TatamiPath link, String target) {
        super(
                ErrorCode.UNRESOLVED_LINK,
                path + " leads through the symlink " + link + " to " + target,
                new RefusalSubject.PathSubject(path.toString()),
                new Detail.LinkTarget(target),
                null);
        this.path = path.toString();
        this.link = link.toString();
        this.target = target;
    }

    /** The symlink on it: a prefix of it, or all of it. */
    public String link() {
        return link;
    }

    /** Where the symlink leads, as it was given: relative to the link's directory, absolute, or with a scheme. */
    public String target() {
        return target;
    }

    /** What follows the link on the path: empty, or beginning with a slash. */
    public String rest() {
        return path.substring(link.length());
    }
}
