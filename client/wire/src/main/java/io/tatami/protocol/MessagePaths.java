package io.tatami.protocol;

/**
 * What shards write in messages for directories, which they know by their ids alone. Whoever asked knows the paths and
 * puts them in.
 */
public final class MessagePaths {
    /** The directory that a request's one handle is for. */
    public static final String PARENT = "{parent}";

    /** The directory that a rename takes from. */
    public static final String SOURCE = "{source}";

    /** The directory that a rename puts to. */
    public static final String DESTINATION = "{destination}";

    private MessagePaths() {}

    /** The message with a directory's path in the place of {@code placeholder}. */
    public static String filled(String message, String placeholder, String directory) {
        String above = directory.endsWith("/") ? directory : directory + "/";
        return message.replace(placeholder + "/", above).replace(placeholder, directory);
    }
}
