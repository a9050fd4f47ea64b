package io.tatami.benchmarks.workload.commit;

import io.tatami.benchmarks.harness.client.ClientGroup;
import java.io.Closeable;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * One JVM of clients, told by lines {@code STEP CLIENTS JOB}: {@code tasks} has the clients run the job's tasks in
 * turn; {@code setup}, {@code commit}, {@code check} and {@code delete} are done by the first client of all. Answers
 * {@code NANOS}, 0 of a JVM that had nothing to do.
 */
public final class CommitWorker {
    private final ClientGroup<Login> clients;

    private CommitWorker(ClientGroup<Login> clients) {
        this.clients = clients;
    }

    /** Hadoop's committer takes its file system from a cache by user: so each client is one, under the same name. */
    private record Login(UserGroupInformation user) implements Closeable {
        Login {
            try {
                user.doAs((PrivilegedExceptionAction<FileSystem>) () -> FileSystem.get(new Configuration()));
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        static Login open() throws IOException {
            return new Login(UserGroupInformation.createRemoteUser(
                    UserGroupInformation.getCurrentUser().getShortUserName()));
        }

        void run(Step step) throws IOException, InterruptedException {
            user.doAs((PrivilegedExceptionAction<Boolean>) () -> {
                step.run(FileSystem.get(new Configuration()));
                return true;
            });
        }

        @Override
        public void close() throws IOException {
            FileSystem.closeAllForUGI(user);
        }
    }

    private interface Step {
        void run(FileSystem fs) throws IOException;
    }

    /** Arguments: the number of the first client, and how many. */
    public static void main(String[] arguments) throws Exception {
        try (ClientGroup<Login> clients = new ClientGroup<>(
                Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]), client -> Login.open())) {
            clients.serve(new CommitWorker(clients)::run);
        }
    }

    private String run(String[] words) throws Exception {
        int count = Integer.parseInt(words[1]);
        CommitJob job = CommitJob.parse(words, 2);
        long begin = System.nanoTime();
        List<Integer> done = switch (words[0]) {
            case "tasks" -> clients.run(count, (login, client) -> runTasks(login, client, count, job));
            case "setup" -> first(fs -> job.setUp());
            case "commit" -> first(fs -> job.commit());
            case "check" -> first(job::check);
            case "delete" -> first(fs -> fs.delete(new Path(job.output()), true));
            default -> throw new IllegalArgumentException(String.join(" ", words));
        };
        return Long.toString(done.isEmpty() ? 0 : System.nanoTime() - begin);
    }

    private static int runTasks(Login login, int client, int clients, CommitJob job) throws Exception {
        for (int task = client; task < job.tasks(); task += clients) {
            int number = task;
            login.run(fs -> job.runTask(fs, number));
        }
        return 1;
    }

    private List<Integer> first(Step step) throws Exception {
        return clients.run(1, (login, client) -> {
            login.run(step);
            return 1;
        });
    }
}
