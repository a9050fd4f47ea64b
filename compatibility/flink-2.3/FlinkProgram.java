import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * A job of Flink with its checkpoints and a savepoint on Tatami: it fails, goes on from a checkpoint, is stopped with a
 * savepoint and ends in another job, and has counted every number once. Its argument is a directory of a Tatami cluster.
 */
public final class FlinkProgram {
    private static final long NUMBERS = 40_000;
    private static final long SLOW_FROM = NUMBERS / 4;
    private static final int KEYS = 7;
    private static final long LIMIT_SECONDS = 120;

    // The tasks run in this process; a test reads here what they have done.
    private static final Map<Long, Long> COUNTS = new ConcurrentHashMap<>();
    private static final Map<Long, Long> SUMS = new ConcurrentHashMap<>();
    private static final AtomicLong PROCESSED = new AtomicLong();
    private static final AtomicBoolean CHECKPOINTED = new AtomicBoolean();
    private static final AtomicBoolean RECOVERED = new AtomicBoolean();
    private static final AtomicBoolean STOPPING = new AtomicBoolean();

    private FlinkProgram() {}

    public static void main(String[] arguments) throws Exception {
        String directory = arguments[0];
        Configuration configuration = new Configuration();
        configuration.setString("execution.checkpointing.dir", directory + "/checkpoints");
        configuration.setString("execution.checkpointing.interval", "200ms");
        configuration.setString("execution.checkpointing.data-inline-threshold", "0b"); // all state in files
        configuration.setString("restart-strategy.type", "fixed-delay");
        configuration.setString("restart-strategy.fixed-delay.attempts", "1");
        configuration.setString("restart-strategy.fixed-delay.delay", "100ms");
        FileSystem.initialize(configuration, null);

        JobClient job = start(configuration);
        await("a job that failed goes on to its next checkpoint", RECOVERED::get);
        String savepoint = job.stopWithSavepoint(false, directory + "/savepoints", SavepointFormatType.CANONICAL)
                .get(LIMIT_SECONDS, TimeUnit.SECONDS);
        require(savepoint.startsWith(directory), "the savepoint is where it was asked for, and is in " + savepoint);
        long counted = COUNTS.values().stream().mapToLong(Long::longValue).sum();
        require(counted > SLOW_FROM && counted < NUMBERS, "a part of the numbers is counted, and not " + counted);

        PROCESSED.set(0);
        STOPPING.set(true);
        Configuration further = new Configuration(configuration);
        further.setString("execution.state-recovery.path", savepoint);
        start(further).getJobExecutionResult().get(LIMIT_SECONDS, TimeUnit.SECONDS);
        require(PROCESSED.get() == NUMBERS - counted, "only the others are counted after the savepoint");
        for (long key = 0; key < KEYS; key++) {
            long count = 0;
            long sum = 0;
            for (long number = 1; number <= NUMBERS; number++) {
                if (number % KEYS == key) {
                    count++;
                    sum += number;
                }
            }
            require(COUNTS.get(key) == count && SUMS.get(key) == sum, "each number of key " + key + " is counted once");
        }
        requireFileSinkRefuses(configuration, directory);
        System.out.println("flink: all was done");
        System.exit(0);
    }

    private static JobClient start(Configuration configuration) throws Exception {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(1, configuration);
        environment
                .fromSource(new NumberSequenceSource(1, NUMBERS), WatermarkStrategy.noWatermarks(), "numbers")
                .uid("numbers")
                .map(new FailOnce())
                .returns(Long.class)
                .uid("fail")
                .keyBy(number -> number % KEYS)
                .process(new Count())
                .uid("count");
        return environment.executeAsync();
    }

    /** Flink's own list of schemes, and so a fact about Flink: the day that it takes others the documents change. */
    private static void requireFileSinkRefuses(Configuration configuration, String directory) throws Exception {
        Configuration once = new Configuration(configuration);
        once.setString("restart-strategy.type", "none");
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(1, once);
        environment
                .fromSource(new NumberSequenceSource(1, 10), WatermarkStrategy.noWatermarks(), "numbers")
                .sinkTo(FileSink.forRowFormat(new Path(directory + "/sink"), new SimpleStringEncoder<Long>())
                        .build());
        String refusal = "";
        try {
            environment.execute();
        } catch (Exception e) {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                refusal = cause.getMessage();
            }
        }
        System.out.println("FileSink: " + refusal);
        require(refusal.contains("only supported for HDFS"), "FileSink refuses the scheme");
    }

    private static void await(String what, BooleanSupplier condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new TimeoutException("it is not so that " + what);
            }
            Thread.sleep(10);
        }
    }

    private static void require(boolean truth, String what) {
        if (!truth) {
            throw new IllegalStateException("it is not so that " + what);
        }
    }

    /** Passes numbers, slowly after the first of them; the first attempt fails once it has a checkpoint. */
    private static final class FailOnce extends RichMapFunction<Long, Long> implements CheckpointListener {
        private static final long serialVersionUID = 1;

        @Override
        public Long map(Long number) throws Exception {
            if (number > SLOW_FROM && !STOPPING.get()) {
                Thread.sleep(1);
                if (CHECKPOINTED.get() && isFirst()) {
                    throw new IllegalStateException("the first attempt fails");
                }
            }
            return number;
        }

        @Override
        public void notifyCheckpointComplete(long checkpoint) {
            (isFirst() ? CHECKPOINTED : RECOVERED).set(true);
        }

        private boolean isFirst() {
            return getRuntimeContext().getTaskInfo().getAttemptNumber() == 0;
        }
    }

    /** Counts and adds up the numbers of each key. */
    private static final class Count extends KeyedProcessFunction<Long, Long, Long> {
        private static final long serialVersionUID = 1;

        private transient ValueState<Long> count;
        private transient ValueState<Long> sum;

        @Override
        public void open(OpenContext context) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class));
            sum = getRuntimeContext().getState(new ValueStateDescriptor<>("sum", Long.class));
        }

        @Override
        public void processElement(Long number, Context context, Collector<Long> out) throws Exception {
            count.update(count.value() == null ? 1 : count.value() + 1);
            sum.update(sum.value() == null ? number : sum.value() + number);
            COUNTS.put(context.getCurrentKey(), count.value());
            SUMS.put(context.getCurrentKey(), sum.value());
            PROCESSED.incrementAndGet();
        }
    }
}
