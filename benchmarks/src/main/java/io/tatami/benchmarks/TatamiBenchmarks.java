package io.tatami.benchmarks;

import io.tatami.benchmarks.workload.affinity.AffinityBenchmark;
import io.tatami.benchmarks.workload.blocks.BlocksBenchmark;
import io.tatami.benchmarks.workload.bulk.BulkBenchmark;
import io.tatami.benchmarks.workload.ceiling.CeilingBenchmark;
import io.tatami.benchmarks.workload.chaos.ChaosBenchmark;
import io.tatami.benchmarks.workload.commit.CommitBenchmark;
import io.tatami.benchmarks.workload.dfsio.DfsioBenchmark;
import io.tatami.benchmarks.workload.failover.FailoverBenchmark;
import io.tatami.benchmarks.workload.fence.FenceBenchmark;
import io.tatami.benchmarks.workload.flush.FlushBenchmark;
import io.tatami.benchmarks.workload.heal.HealBenchmark;
import io.tatami.benchmarks.workload.ior.IorBenchmark;
import io.tatami.benchmarks.workload.jobs.JobsCommand;
import io.tatami.benchmarks.workload.join.JoinBenchmark;
import io.tatami.benchmarks.workload.list.ListBenchmark;
import io.tatami.benchmarks.workload.locality.LocalityBenchmark;
import io.tatami.benchmarks.workload.meta.CapacityBenchmark;
import io.tatami.benchmarks.workload.meta.MetaBenchmark;
import io.tatami.benchmarks.workload.micro.MicroBenchmarks;
import io.tatami.benchmarks.workload.prefetch.PrefetchBenchmark;
import io.tatami.benchmarks.workload.resting.RestingBenchmark;
import io.tatami.benchmarks.workload.simulate.SimulateBenchmark;
import io.tatami.benchmarks.workload.small.SmallBenchmark;
import io.tatami.benchmarks.workload.stream.StreamBenchmark;
import io.tatami.benchmarks.workload.watch.WatchBenchmark;
import picocli.CommandLine.Command;

/** {@code tatami bench NAME}. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = "Measures, where asked beside HDFS in the same run.",
        subcommands = {
            MetaBenchmark.class,
            DfsioBenchmark.class,
            StreamBenchmark.class,
            SmallBenchmark.class,
            BulkBenchmark.class,
            ListBenchmark.class,
            CommitBenchmark.class,
            FenceBenchmark.class,
            FlushBenchmark.class,
            JoinBenchmark.class,
            FailoverBenchmark.class,
            PrefetchBenchmark.class,
            MicroBenchmarks.class,
            JobsCommand.class,
            CapacityBenchmark.class,
            CeilingBenchmark.class,
            ChaosBenchmark.class,
            HealBenchmark.class,
            LocalityBenchmark.class,
            AffinityBenchmark.class,
            IorBenchmark.class,
            BlocksBenchmark.class,
            RestingBenchmark.class,
            SimulateBenchmark.class,
            WatchBenchmark.class
        })
public final class TatamiBenchmarks {}
