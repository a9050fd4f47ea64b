package io.tatami.rpc.sim;

/**
 * What a simulated network does to what it carries. The chances are from 0 to 1 and are drawn for every message by
 * itself.
 *
 * @param delayNanosMin the least time on the way
 * @param delayNanosMax the most
 * @param dropChance a request or reply is lost, and nobody is told; a message of a stream cuts its connection instead
 * @param duplicateChance a request arrives a second time, up to a hundred times the longest delay later
 * @param cutChance the connection is cut; the message itself may or may not arrive
 */
public record SimFaults(
        long delayNanosMin, long delayNanosMax, double dropChance, double duplicateChance, double cutChance) {
    /** Half a millisecond each way, and nothing lost. */
    public static final SimFaults NONE = new SimFaults(500_000, 500_000, 0, 0, 0);
}
