package io.tatami.benchmarks.workload.chaos;

import io.tatami.benchmarks.harness.client.NodeProcess;
import io.tatami.server.lab.Lab;
import io.tatami.server.lab.LabNode;
import io.tatami.server.lab.host.DiskRate;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Strikes at a lab while clients work, lets everything heal, and has all that was promised read, also from the copies
 * that others hide. Used by one thread.
 */
final class ChaosRun {
    private static final long JUDGE_SECONDS_MAX = 300;
    private static final long TICK_MILLIS = 100;
    private static final long POLL_MILLIS = 2_000;
    /** In which new files are opened before bytes are destroyed. */
    private static final long WARM_MILLIS = 3_000;
    /** In which the server that lost its bytes is known to be dead, and its blocks are copied, while clients work. */
    private static final long BETWEEN_LOSSES_NANOS = TimeUnit.SECONDS.toNanos(90);

    private final Lab lab;
    private final ChaosLab harms;
    private final ChaosClients clients;
    private final StrikeDraw draw;
    private final long healSeconds;
    private final List<Active> active = new ArrayList<>();
    private final List<Strike> destroyed = new ArrayList<>();
    private long nextLossNanos = System.nanoTime();
    private int strikes;
    private long longestHealMillis;

    /** A strike that is not taken back. */
    private record Active(Strike strike, long untilNanos) {}

    ChaosRun(Lab lab, ChaosClients clients, StrikeDraw draw, long healSeconds) {
        this.lab = lab;
        this.harms = new ChaosLab(lab, clients);
        this.clients = clients;
        this.draw = draw;
        this.healSeconds = healSeconds;
    }

    /** Strikes for so long; what is struck last is taken back later. */
    void strike(long seconds) throws IOException, InterruptedException {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        long nextNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WARM_MILLIS);
        while (System.nanoTime() - endNanos < 0) {
            takeBackDue();
            if (System.nanoTime() - nextNanos >= 0) {
                consider(draw.next());
                nextNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(draw.pauseMillis());
            }
            TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
        }
    }

    private void consider(Strike strike) throws IOException, InterruptedException {
        if (strike.harm() == Harm.SLOW_DISK && !DiskRate.isAvailable()) {
            return;
        }
        if (strike.harm().isDestroying()) {
            if (System.nanoTime() - nextLossNanos < 0) {
                return;
            }
            calm();
        }
        List<Strike> all = new ArrayList<>(destroyed);
        active.forEach(each -> all.add(each.strike));
        if (StrikeDraw.fits(strike, all)) {
            strikes++;
            clients.tell("strike %d: %s%s", strikes, strike, all.isEmpty() ? "" : ", beside " + all);
            harms.begin(strike);
            if (strike.harm().isDestroying()) {
                nextLossNanos =
                        System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(strike.millis()) + BETWEEN_LOSSES_NANOS;
            }
            active.add(new Active(strike, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(strike.millis())));
        }
    }

    private void takeBackDue() throws IOException, InterruptedException {
        for (Iterator<Active> all = active.iterator(); all.hasNext(); ) {
            Active each = all.next();
            if (System.nanoTime() - each.untilNanos >= 0) {
                all.remove();
                takeBack(each.strike);
            }
        }
    }

    private void takeBack(Strike strike) throws IOException, InterruptedException {
        harms.takeBack(strike);
        clients.tell("back: %s of %s", strike.harm(), strike.nodes());
        if (strike.harm().isDestroying()) {
            destroyed.add(strike);
        }
    }

    private void takeBackAll() throws IOException, InterruptedException {
        for (Active each : active) {
            takeBack(each.strike);
        }
        active.clear();
    }

    /** Until every block has all its copies, and no file is open: then bytes may be destroyed on one node. */
    private void calm() throws IOException, InterruptedException {
        takeBackAll();
        clients.tell("calm: files are closed");
        clients.askAllGivingUp("calm");
        awaitHealth();
        destroyed.clear();
        clients.askAll("go");
        TimeUnit.MILLISECONDS.sleep(WARM_MILLIS);
    }

    private void awaitHealth() throws IOException, InterruptedException {
        harms.ended().forEach(clients::violation);
        long beginNanos = System.nanoTime();
        String told = "";
        String health = clients.health();
        while (!health.equals(ChaosOperator.WELL)) {
            if (!health.equals(told)) {
                clients.tell("not well: %s", health);
                told = health;
            }
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beginNanos);
            if (millis > TimeUnit.SECONDS.toMillis(healSeconds)) {
                throw new IOException("not healed in " + healSeconds + " s: " + health);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            health = clients.health();
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beginNanos);
        longestHealMillis = Math.max(longestHealMillis, millis);
        clients.tell("well after %d ms", millis);
    }

    /** Everything heals, and everything promised is read. */
    void judge() throws IOException, InterruptedException {
        takeBackAll();
        for (String report : clients.askAll("end")) {
            clients.tell("a client: %s", report);
        }
        NodeProcess judge = clients.startJudge();
        clients.tell("judge: %s", clients.askGivingUp(judge, "settle"));
        awaitHealth();
        clients.tell("judge: %s", judge.ask("read", JUDGE_SECONDS_MAX));
        List<LabNode> nodes = lab.nodes();
        for (int first = 0; first < nodes.size(); first += StrikeDraw.HARMED_MAX) {
            List<LabNode> hidden = nodes.subList(first, Math.min(nodes.size(), first + StrikeDraw.HARMED_MAX));
            harms.killBlockServers(hidden);
            clients.tell(
                    "judge, without %s: %s",
                    hidden.stream().map(LabNode::name).toList(), judge.ask("read", JUDGE_SECONDS_MAX));
            harms.startBlockServers(hidden);
            clients.tell("back: all block servers");
        }
        clients.tell("judge: %s", judge.ask("end", JUDGE_SECONDS_MAX));
    }

    /** For the last line. */
    String summary() {
        return strikes + " strikes, " + clients.violations() + " violations, healed in at most " + longestHealMillis
                + " ms";
    }
}
