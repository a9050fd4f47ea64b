package io.tatami.block.service.registration;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Divides something of which there may be too little so that nobody has more than it wants, and nobody less than
 * another has, unless it wants no more (max-min fairness; Bertsekas and Gallager 1992, section 6.5.2). Pure.
 */
final class FairShares {
    private FairShares() {}

    /**
     * A share for each who wants one, in the same order.
     *
     * @param wanted 0 or more each
     * @param total to be divided; parts of one are left over
     */
    static int[] of(int[] wanted, long total) {
        Integer[] modestFirst = new Integer[wanted.length];
        Arrays.setAll(modestFirst, place -> place);
        Arrays.sort(modestFirst, Comparator.comparingInt(place -> wanted[place]));
        int[] shares = new int[wanted.length];
        long left = Math.max(0, total);
        for (int i = 0; i < modestFirst.length; i++) {
            int place = modestFirst[i];
            shares[place] = (int) Math.min(wanted[place], left / (modestFirst.length - i));
            left -= shares[place];
        }
        return shares;
    }
}
