package io.tatami.benchmarks.meta;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The universal scalability law: {@code n} servers do {@code perServer · n / (1 + contention · (n - 1) + crosstalk · n
 * · (n - 1))} operations a second. Gunther, "Guerrilla Capacity Planning" (2007), chapter 4.
 *
 * @param perServer what one does
 * @param contention the part of the work for which all wait for one; not negative
 * @param crosstalk what each pair of servers costs; not negative
 */
record ScalingModel(double perServer, double contention, double crosstalk) {
    private static final double SINGULAR = 1e-12;

    /** What so many servers did. */
    record Point(int servers, double perSecond) {}

    /**
     * The law with the least squares of {@code n / rate}, in which it is linear, over all laws that make none of the
     * two losses a gain. Of three numbers of servers it meets the means exactly: how good the law is, they do not tell.
     */
    static ScalingModel fit(List<Point> points) {
        if (points.isEmpty()) {
            throw new IllegalArgumentException("nothing to fit to");
        }
        List<boolean[]> choices = List.of(
                new boolean[] {true, true, true},
                new boolean[] {true, true, false},
                new boolean[] {true, false, true},
                new boolean[] {true, false, false});
        double @Nullable [] best = null;
        double bestError = Double.POSITIVE_INFINITY;
        for (boolean[] choice : choices) {
            double[] factors = solve(points, choice);
            if (factors != null && factors[0] > 0 && factors[1] >= 0 && factors[2] >= 0) {
                double error = error(points, factors);
                if (best == null || error < bestError * (1 - SINGULAR)) {
                    best = factors;
                    bestError = error;
                }
            }
        }
        if (best == null) {
            throw new IllegalArgumentException("no law fits " + points);
        }
        return new ScalingModel(1 / best[0], best[1] / best[0], best[2] / best[0]);
    }

    /** Operations a second. */
    double rate(int servers) {
        return perServer * servers / (1 + contention * (servers - 1.0) + crosstalk * servers * (servers - 1.0));
    }

    /** With more servers than these it does less; infinite where it never does. */
    double peakServers() {
        return crosstalk == 0 ? Double.POSITIVE_INFINITY : Math.sqrt(Math.max(0, 1 - contention) / crosstalk);
    }

    /** What it comes near to with ever more servers, where it never does less; infinite where nothing is in the way. */
    double limit() {
        return contention == 0 ? Double.POSITIVE_INFINITY : perServer / contention;
    }

    private static double[] row(int servers) {
        return new double[] {1, servers - 1.0, servers * (servers - 1.0)};
    }

    private static double error(List<Point> points, double[] factors) {
        double sum = 0;
        for (Point point : points) {
            double[] row = row(point.servers());
            double fitted = factors[0] * row[0] + factors[1] * row[1] + factors[2] * row[2];
            double residual = fitted - point.servers() / point.perSecond();
            sum += residual * residual;
        }
        return sum;
    }

    /** The normal equations of the chosen columns; the other factors are 0. Null where there are too few points. */
    private static double @Nullable [] solve(List<Point> points, boolean[] chosen) {
        List<Integer> columns = new ArrayList<>();
        for (int column = 0; column < chosen.length; column++) {
            if (chosen[column]) {
                columns.add(column);
            }
        }
        int size = columns.size();
        double[][] system = new double[size][size + 1];
        for (Point point : points) {
            double[] row = row(point.servers());
            for (int i = 0; i < size; i++) {
                for (int j = 0; j < size; j++) {
                    system[i][j] += row[columns.get(i)] * row[columns.get(j)];
                }
                system[i][size] += row[columns.get(i)] * point.servers() / point.perSecond();
            }
        }
        if (!eliminate(system)) {
            return null;
        }
        double[] factors = new double[chosen.length];
        for (int i = 0; i < size; i++) {
            factors[columns.get(i)] = system[i][size] / system[i][i];
        }
        return factors;
    }

    /** Gauss and Jordan, with the greatest pivot; false for a system without one solution. */
    private static boolean eliminate(double[][] system) {
        int size = system.length;
        for (int column = 0; column < size; column++) {
            int pivot = column;
            for (int i = column + 1; i < size; i++) {
                if (Math.abs(system[i][column]) > Math.abs(system[pivot][column])) {
                    pivot = i;
                }
            }
            double[] swapped = system[column];
            system[column] = system[pivot];
            system[pivot] = swapped;
            if (Math.abs(system[column][column]) < SINGULAR) {
                return false;
            }
            for (int i = 0; i < size; i++) {
                double times = i == column ? 0 : system[i][column] / system[column][column];
                for (int j = column; j <= size; j++) {
                    system[i][j] -= times * system[column][j];
                }
            }
        }
        return true;
    }
}
