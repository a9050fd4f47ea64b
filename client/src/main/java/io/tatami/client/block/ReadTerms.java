package io.tatami.client.block;

/**
 * How a copy is read.
 *
 * @param sharesMemory whether bytes may come through memory that the server shares; not where what came so failed its
 *     checksum: the server verifies only what it sends by the connection, and tells the cluster what it finds
 * @param soundOnly whether a copy that its server knows to be damaged is refused with CORRUPT, rather than read as far
 *     as its chunks are sound
 * @param background whether all others who read from the volume come first
 * @param origin for the server's statistics
 */
public record ReadTerms(boolean sharesMemory, boolean soundOnly, boolean background, ReadOrigin origin) {
    /** Any way, and whatever there is. */
    public static final ReadTerms ANY = new ReadTerms(true, false);

    /** For somebody who waits for the bytes. */
    public ReadTerms(boolean sharesMemory, boolean soundOnly) {
        this(sharesMemory, soundOnly, false);
    }

    /** For somebody who does not tell who reads. */
    public ReadTerms(boolean sharesMemory, boolean soundOnly, boolean background) {
        this(sharesMemory, soundOnly, background, ReadOrigin.UNKNOWN);
    }
}
