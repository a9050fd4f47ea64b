package io.tatami.benchmarks.harness.client;

import java.io.IOException;

/** How fast files are created, from when this is made until {@link #end}. Owned by one thread. */
public final class CreateRate {
    private final CreateLoad load;
    private final long[] created;
    private final long beginNanos;
    private double seconds;

    private CreateRate(CreateLoad load, long[] created) {
        this.load = load;
        this.created = created;
        this.beginNanos = System.nanoTime();
    }

    /** @param servers how many there are */
    public static CreateRate begin(CreateLoad load, int servers) throws IOException, InterruptedException {
        return new CreateRate(load, load.created(servers));
    }

    /** @return this */
    public CreateRate end() throws IOException, InterruptedException {
        long[] now = load.created(created.length);
        seconds = (System.nanoTime() - beginNanos) / 1e9;
        for (int server = 0; server < now.length; server++) {
            created[server] = now[server] - created[server];
        }
        return this;
    }

    /** Creates a second in directories of one server. */
    public double of(int server) {
        return created[server] / seconds;
    }

    /** Creates a second in all directories. */
    public double all() {
        double sum = 0;
        for (int server = 0; server < created.length; server++) {
            sum += of(server);
        }
        return sum;
    }
}
