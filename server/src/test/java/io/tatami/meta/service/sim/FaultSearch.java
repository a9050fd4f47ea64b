package io.tatami.meta.service.sim;

import io.tatami.meta.service.sim.PlannedFaults.Fault;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Checks an encounter under all combinations of a few faults: the real operations and flows, in every run up to the end
 * and with every check of {@link SimulatedRun}. Complete as far as its bounds go, which random seeds are not: so many
 * faults, of the kinds of {@link PlannedFaults}, with one timing of everything else.
 *
 * @param laterMillis how much later the second client begins
 * @param plant a bug to be noticed
 * @param counts of what came about, added to
 */
record FaultSearch(Encounter encounter, long laterMillis, Plant plant, Map<String, Long> counts) {
    private static final long TROUBLE_MILLIS = 20_000;
    private static final int SHARDS = 2;

    /** Every plan of one fault. */
    List<Fault> singles() {
        return run(List.of()).possibleFrom(0);
    }

    /** Runs every plan of up to {@code faults} faults, the first of them {@code first}. */
    void runFrom(Fault first, int faults) {
        runAll(List.of(first), faults);
    }

    private void runAll(List<Fault> plan, int faults) {
        PlannedFaults done = run(plan);
        if (plan.size() == faults) {
            return;
        }
        for (Fault next : done.possibleFrom(plan.get(plan.size() - 1).place() + 1)) {
            List<Fault> longer = new ArrayList<>(plan);
            longer.add(next);
            runAll(longer, faults);
        }
    }

    /** The run of one plan, which a failure names. */
    PlannedFaults run(List<Fault> plan) {
        PlannedFaults faults = new PlannedFaults(plan);
        try {
            play(faults);
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    e.getMessage() + "; run it alone with -Dtatami.test.encounter=" + named(plan), e);
        }
        new Coverage(counts).count("runs");
        return faults;
    }

    private void play(PlannedFaults faults) {
        SimWorld world = SimWorld.withoutChance();
        SimulatedRun run = new SimulatedRun(world, SHARDS, faults, plant, new Coverage(counts));
        Set<CompletableFuture<?>> begun = new HashSet<>();
        run.run(() -> {
            List<SimClient> clients = Encounter.prepare(run);
            clients.forEach(SimClient::renewLeases);
            faults.begin();
            begun.add(encounter.one().apply(clients.get(0)));
            world.after(laterMillis, () -> begun.add(encounter.other().apply(clients.get(1))));
            boolean unused = world.runUntil(() -> isDone(begun), TROUBLE_MILLIS);
            run.healAndCheck(() -> isDone(begun));
        });
    }

    private static boolean isDone(Set<CompletableFuture<?>> begun) {
        return begun.size() == 2 && begun.stream().allMatch(CompletableFuture::isDone);
    }

    private String named(List<Fault> plan) {
        StringBuilder name = new StringBuilder(encounter.name() + "," + laterMillis);
        plan.forEach(fault -> name.append(',').append(fault));
        return name.toString();
    }

    /** Runs what {@link #named} names. */
    static void runNamed(String name, Map<String, Long> counts) {
        String[] parts = name.split(",", -1);
        List<Fault> plan = Arrays.stream(parts).skip(2).map(Fault::parse).toList();
        PlannedFaults unused =
                new FaultSearch(Encounter.named(parts[0]), Long.parseLong(parts[1]), Plant.NONE, counts).run(plan);
    }
}
