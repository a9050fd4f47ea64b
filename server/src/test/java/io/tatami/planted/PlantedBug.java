package io.tatami.planted;

import java.nio.file.Path;

/**
 * Bugs that the tests must catch: each is a change of one place of our sources, and the test that is to fail on it. A
 * bug whose text is no longer in the source fails as such, so none can die out unnoticed.
 */
enum PlantedBug {
    METADATA_LOG_IS_NOT_SYNCED(
            "io/tatami/meta/log/local/EntryFile.java",
            "Set.of(StandardOpenOption.WRITE, StandardOpenOption.DSYNC)",
            "Set.of(StandardOpenOption.WRITE)",
            "io.tatami.meta.log.local.LogOnDeviceTest#eachEntryIsFlushedToTheDeviceBeforeItIsAcknowledged"),
    LOG_IS_DROPPED_BEFORE_THE_STORE_IS_WRITTEN_OUT(
            "io/tatami/meta/log/local/LocalLog.java",
            "store.flush();\n            CrashPoint.hit(\"meta.log.store-written-out\");",
            "CrashPoint.hit(\"meta.log.store-written-out\");",
            "io.tatami.meta.service.host.GroupCrashTest"
                    + "#whatWasAnsweredIsThereAfterAHaltAtEachStepAndNothingIsDoneTwice"),
    ROTTEN_END_IS_TAKEN_FOR_TORN(
            "io/tatami/meta/log/local/StoredFile.java",
            "requireEnd(isLast && isTorn, at, index);",
            "requireEnd(isLast, at, index);",
            "io.tatami.meta.log.local.LocalLogTest#anEntryThatHasRottedIsNotForgotten"),
    INDEX_LOG_IS_NOT_SYNCED(
            "io/tatami/block/volume/index/RocksIndexStore.java",
            "new WriteOptions().setSync(true)",
            "new WriteOptions()",
            "io.tatami.crash.LiveCopyTest#whatWasAcknowledgedIsOnTheDevice"),
    APPLIED_INDEX_IS_OUTSIDE_THE_BATCH(
            "io/tatami/meta/store/GroupStore.java",
            "batch.put(PROGRESS, portion.progress().toByteArray());",
            "database.put(synced, PROGRESS, portion.progress().toByteArray());",
            "io.tatami.meta.store.GroupStoreTest#aCrashTakesTheNewestEntriesAsAWholeWithTheirIndex"),
    A_REPLICA_STORES_ANOTHER_VALUE(
            "io/tatami/meta/store/GroupStore.java",
            "batch.put(change.getKey(), value);",
            "batch.put(change.getKey(), System.nanoTime() % 50 == 0 ? new byte[] {1} : value);",
            "io.tatami.meta.log.StateHashesTest#storesAreEqualAtEveryIndexWhileLeadersDie"),
    VOTES_ARE_TOLD_BEFORE_THEY_ARE_DURABLE(
            "io/tatami/meta/log/raft/transport/DurableVotes.java",
            "CrashPoint.hit(\"meta.raft.before-vote-synced\");\n                long unused = keep(divisionOf(server, request), request.getServerRequest());",
            "",
            "io.tatami.meta.log.raft.RaftReplicaTest#nobodyIsElectedByAVoteThatIsNotDurable"),
    REPLIES_ARE_NOT_REMEMBERED(
            "io/tatami/meta/service/lead/ReplyMemory.java",
            "return known == null ? null : reply(known, method);",
            "return null;",
            "io.tatami.meta.service.host.GroupCrashTest"
                    + "#whatWasAnsweredIsThereAfterAHaltAtEachStepAndNothingIsDoneTwice"),
    GATE_IS_SKIPPED(
            "io/tatami/meta/gate/HandleCheck.java",
            "if (!version.isBelow(state.gateNewest())) {",
            "if (version.value() >= 0) {",
            "io.tatami.meta.service.sim.TransactionSimulationTest#transactionsHoldWhateverCrashesAndGetsLost"),
    AN_ABORTED_MOVE_STAYS(
            "io/tatami/meta/op/rename/AbortMove.java",
            "if (move.getCommitted()) {\n            return false;\n        }",
            "if (move.getDestination()) {\n            return !move.getCommitted();\n        }",
            "io.tatami.meta.op.rename.MoveStepsTest#commitAfterAnAbortLeavesTheFileItsOneName"),
    RECLAIM_IGNORES_AN_ERROR(
            "io/tatami/meta/service/reclaim/BlockReclaimer.java",
            ".exceptionally(failure -> unanswered(items));",
            ".exceptionallyCompose(failure -> confirm(server, numbers(items)).thenApply(done -> Left.NOTHING));",
            "io.tatami.meta.service.reclaim.ReclamationTest#silentServerKeepsItsBlocksQueuedAndHoldsUpNobody"),
    AUDIT_DISOWNS_AFTER_ONE_ROUND(
            "io/tatami/meta/service/reclaim/ServerAudit.java",
            "agreed.retainAll(unknown);",
            "agreed.addAll(unknown);",
            "io.tatami.meta.service.reclaim.ReclamationTest#unknownBlockGoesOnlyAfterTwoRoundsAgree"),
    SYNC_DOES_NOT_FLUSH(
            "io/tatami/block/volume/BlockCommitter.java",
            "open.flush();\n        CrashPoint.hit(\"volume.sync.after-flush\");",
            "",
            "io.tatami.block.volume.PowerCutTest#nothingAcknowledgedIsLostByAPowerCutAtAnyAccess"),
    FINISH_COMMITS_BEFORE_THE_FLUSH(
            "io/tatami/block/volume/BlockCommitter.java",
            "open.flush();\n        CrashPoint.hit(\"volume.finish.after-flush\");",
            "",
            "io.tatami.block.volume.VolumeCrashPointTest#nothingAcknowledgedIsLostByACrashAtAnyNamedPoint"),
    HSYNC_IS_ACKNOWLEDGED_BEFORE_THE_FLUSH(
            "io/tatami/block/service/write/OpenCopy.java",
            "durableBytes = writer.sync();",
            "durableBytes = writer.lengthBytes();",
            "io.tatami.block.service.BlockStreamTest#syncedBytesOfOddLengthsAndThoseShownLaterSurviveAnOrderlyStop"),
    SUPERBLOCK_IS_NOT_FLUSHED(
            "io/tatami/block/volume/format/SuperblockFormat.java",
            "device.flush();",
            "",
            "io.tatami.block.volume.PowerCutTest#nothingAcknowledgedIsLostByAPowerCutAtAnyAccess"),
    GENERATION_IS_NOT_DURABLE(
            "io/tatami/block/volume/BlockCommitter.java",
            "parts.index().put(before, entry);\n        CrashPoint.hit(\"volume.generation.after-commit\");",
            "",
            "io.tatami.block.volume.PowerCutTest#nothingAcknowledgedIsLostByAPowerCutAtAnyAccess"),
    DELETION_IS_NOT_DURABLE(
            "io/tatami/block/volume/BlockCommitter.java",
            "parts.index().delete(committed);",
            "",
            "io.tatami.block.volume.PowerCutTest#nothingAcknowledgedIsLostByAPowerCutAtAnyAccess"),
    THE_SUM_OF_RECORDS_IS_NOT_COMPARED(
            "io/tatami/block/volume/index/BlockIndex.java",
            "return BlockIndexFormat.isSum(stored[0], sum[0]);",
            "return true;",
            "io.tatami.block.volume.DamageTest#everyDamageOfDataIndexAndSuperblockIsToldAndScrubbed"),
    LAST_SECTOR_IS_NOT_KEPT_IN_THE_INDEX(
            "io/tatami/block/volume/BlockCommitter.java",
            "open.tail());",
            "BlockRecord.NO_TAIL);",
            "io.tatami.block.volume.PowerCutTest#nothingAcknowledgedIsLostByAPowerCutAtAnyAccess"),
    MOVED_BLOCK_IS_COMMITTED_BEFORE_IT_IS_FLUSHED(
            "io/tatami/block/volume/BlockReopener.java",
            "parts.flush().flush();",
            "",
            "io.tatami.block.volume.PowerCutTest#nothingAcknowledgedIsLostByAPowerCutAtAnyAccess"),
    CHECKSUMS_ARE_NOT_CHECKED_ON_READ(
            "io/tatami/block/volume/BlockReader.java",
            "if (damaged >= 0) {",
            "if (damaged == Long.MAX_VALUE) {",
            "io.tatami.block.volume.DamageTest#everyFlippedBitIsFoundByReadAndNothingElseIsHarmed"),
    SHORT_CHUNK_IS_NOT_CHECKED(
            "io/tatami/block/volume/Replica.java",
            "if (ChunkChecksum.of(bytes, (int) (at - start), length) != checksumAt(at)) {",
            "if (length == CHUNK_BYTES && ChunkChecksum.of(bytes, (int) (at - start), length) != checksumAt(at)) {",
            "io.tatami.block.volume.TearTest#everySubsetOfUpToTenSectorsIsTold"),
    SCRUB_SKIPS_THE_FIRST_CHUNK(
            "io/tatami/block/volume/maintain/Scrubber.java",
            "long at = 0;",
            "long at = ChunkChecksum.CHUNK_BYTES;",
            "io.tatami.block.volume.DamageTest#everyDamageOfDataIndexAndSuperblockIsToldAndScrubbed"),
    SCRUB_LEAVES_A_BLOCK_AT_ITS_FIRST_DAMAGE(
            "io/tatami/block/volume/maintain/Scrubber.java",
            "? chunk.offsetBytes() + ChunkChecksum.CHUNK_BYTES",
            "? stored.durableBytes()",
            "io.tatami.block.volume.TearTest#subsetsOfAnAcknowledgedUnitThatADiskLiedAboutAreTold"),
    SCRUB_DOES_NOT_LOOK_AT_RECORDS(
            "io/tatami/block/volume/index/BlockIndex.java",
            "boolean isWhole = hasSumOf(",
            "boolean isWhole = damages.size() < 99 || hasSumOf(",
            "io.tatami.block.volume.DamageTest#everyDamageOfDataIndexAndSuperblockIsToldAndScrubbed"),
    LOGS_OF_THE_INDEX_ARE_NOT_LOOKED_AT(
            "io/tatami/block/volume/index/RocksIndexStore.java",
            "if (!damages.isEmpty()) {\n            throw corrupt",
            "if (damages.size() == Integer.MAX_VALUE) {\n            throw corrupt",
            "io.tatami.block.volume.index.IndexFilesDamageTest#aFlippedBitInAHeaderOfAnyRecordOfALogIsFound"),
    LOGS_OF_THE_METADATA_ARE_NOT_LOOKED_AT(
            "io/tatami/meta/store/GroupStore.java",
            "requireSoundLogs(directory);\n        return open",
            "return open",
            "io.tatami.meta.store.GroupStoreTest#aFlippedBitInTheHeaderOfALoggedEntryRefusesToOpen"),
    FAILED_WRITE_DOES_NOT_STOP_THE_VOLUME(
            "io/tatami/block/device/GuardedDevice.java",
            "throw e.code() == ErrorCode.NO_SPACE ? e : failStop.stop(e);",
            "throw e;",
            "io.tatami.block.service.VolumeFaultTest#anErrorAtAnyAccessStopsThatVolumeAndNothingElse"),
    TIER_THAT_HANGS_IS_KEPT(
            "io/tatami/block/cache/SlotDevice.java",
            "return hangsInARow >= HANGS_MAX;",
            "return hangsInARow == Integer.MAX_VALUE;",
            "io.tatami.block.cache.HangingTierTest"
                    + "#whenStagingHangsReadersGoToTheVolumeAndAfterAFewTimesTheTierIsSetAside"),
    A_WIPED_SERVER_ANSWERS_FOR_WHO_IT_WAS(
            "io/tatami/meta/log/raft/AddressedRequests.java",
            "if (header == null || header.getReplyId().equals(self)) {",
            "if (header == null || !header.getReplyId().isEmpty()) {",
            "io.tatami.meta.log.RaftMembersTest#aWipedServerAtTheSameAddressDoesNotAnswerForTheMemberThatItWas"),
    A_LATE_CHANGE_OF_MEMBERS_IS_NOTED(
            "io/tatami/meta/op/cluster/NoteMembers.java",
            "if (known == null || !areToStay(request, known)) {",
            "if (known == null) {",
            "io.tatami.meta.op.cluster.MoveReplicasTest#whatIsNotedTooLateChangesNothing"),
    A_READER_SEES_WHAT_THE_SERVERS_BEHIND_DO_NOT_HAVE(
            "io/tatami/block/service/write/WriteSteps.java",
            "long visibleBytes = behind.visibleBytes(copy.lengthBytes());",
            "long visibleBytes = copy.lengthBytes();",
            "io.tatami.block.service.sim.BlockSessionsTest#aReaderSeesWhatTheWholeChainHasAndNoMore"),
    A_FLUSH_IS_ACKNOWLEDGED_BEFORE_THE_SERVERS_BEHIND_HAVE_FLUSHED(
            "io/tatami/block/service/write/NextServer.java",
            "return Math.min(hereBytes, flushedBytes);",
            "return hereBytes;",
            "io.tatami.block.service.sim.BlockSessionsTest#aFlushIsAcknowledgedOnceTheWholeChainHasFlushed"),
    THE_END_IS_ACKNOWLEDGED_BEFORE_THE_SERVERS_BEHIND_HAVE_IT(
            "io/tatami/block/service/write/NextServer.java",
            "return phase == Phase.FINISHED;",
            "return true;",
            "io.tatami.block.service.sim.BlockSessionsTest#theStreamEndsWhenTheBlockIsFinalHereAndBehind"),
    A_SEAL_TAKES_THE_LONGEST_COPY(
            "io/tatami/meta/service/file/SealLength.java",
            "lengths(Present::assured, Present::reachBytes).min();",
            "lengths(Present::assured, Present::reachBytes).max();",
            "io.tatami.meta.service.file.SealLengthTest#leastHeldAssuredCopyDecidesAndOneAnswerIsEnough"),
    A_SEAL_TAKES_COPIES_THAT_WERE_LEFT_OUT(
            "io/tatami/meta/service/file/SealLength.java",
            ".filter(copy -> !copy.generation().isBelow(bounds.committed()));",
            ".filter(copy -> copy.heldBytes() >= 0);",
            "io.tatami.meta.service.file.SealLengthTest#copiesThatWereLeftOutBeforeAreNoCandidates"),
    A_SEAL_TAKES_THE_SHORTEST_FINALIZED_COPY(
            "io/tatami/meta/service/file/SealLength.java",
            "lengths(Present::finalized, Present::reachBytes).max();",
            "lengths(Present::finalized, Present::reachBytes).min();",
            "io.tatami.meta.service.file.SealLengthTest#longestFinalizedCopyDecides"),
    A_BOOTED_HOST_DECIDES_THE_LENGTH(
            "io/tatami/meta/service/file/SealLength.java",
            "lengths(Present::assured, Present::reachBytes).min();",
            "lengths(copy -> true, Present::reachBytes).min();",
            "io.tatami.meta.service.file.SealLengthTest#copyOfABootedHostDoesNotCutTheOthers"),
    A_SEAL_DOES_NOT_WAIT_FOR_THE_SILENT(
            "io/tatami/meta/service/file/SealLength.java",
            "if (bytes.isEmpty() && silent().findAny().isPresent()) {",
            "if (bytes.isEmpty() && answers.isEmpty()) {",
            "io.tatami.meta.service.file.SealLengthTest#withoutAnAssuredCopyEveryServerIsAwaited"),
    A_SEAL_GOES_BELOW_WHAT_WAS_PROMISED(
            "io/tatami/meta/service/file/SealLength.java",
            "copy.reachBytes() >= bounds.leastBytes()",
            "copy.reachBytes() >= 1",
            "io.tatami.meta.service.file.SealLengthTest#copyThatHoldsLessThanIsNeededDecidesNothing"),
    SERVERS_THAT_DID_NOT_FINALIZE_COUNT(
            "io/tatami/meta/service/file/BlockRecovery.java",
            "if (each.get(i)) {",
            "if (each.contains(true)) {",
            "io.tatami.meta.service.file.BlockSealsTest#serverThatDidNotFinalizeIsASpare"),
    A_RECOVERY_WAITS_FOR_BLOCKS_THAT_WERE_NEVER_BEGUN(
            "io/tatami/meta/service/file/FileRecovery.java",
            " || (isLast(outcome) && hasNothingBehind(attempt, i))",
            "",
            "io.tatami.meta.service.file.FileRecoveryTest#blocksBehindOneThatWasNotFinishedAreNotWaitedFor"),
    INTENTS_OUTLIVE_A_SEAL(
            "io/tatami/meta/op/write/BeginSeal.java",
            "file.voidIntents(issued);",
            "",
            "io.tatami.meta.op.write.SealBlockTest#copiesThatAreBeingMadeAreVoidFromTheIssueOn"),
    COPIES_THAT_ARE_LEFT_OUT_ARE_FORGOTTEN(
            "io/tatami/meta/state/BlockCopies.java",
            "block.addSpare(record(copy));",
            "",
            "io.tatami.meta.op.write.SealBlockTest#sealedBlockIsFinalWithTheServersThatAdoptedItAndTheOthersAsSpares"),
    A_REPORT_THAT_COMES_AGAIN_TAKES_A_COPY_AWAY(
            "io/tatami/meta/op/copies/RecordCopies.java",
            "isKnown(blocks.record(block), copy)",
            "isKnown(needed.hasBlock() ? needed.getBlock() : null, copy)",
            "io.tatami.meta.op.copies.CopiesOperationsTest#reportThatComesAgainWhileTheBlockIsAppendedToTakesNoCopyAway"),
    A_COPY_OF_A_CHANGED_BLOCK_IS_GIVEN_UP(
            "io/tatami/meta/op/copies/GiveUpCopy.java",
            "&& new NeededBlocks(state).unchanged(seen) != null",
            "",
            "io.tatami.meta.op.copies.CopiesOperationsTest#copyIsNotGivenUpOfABlockThatHasChanged"),
    THE_CONFIRMATION_OF_A_FORMER_PROCESS_COUNTS(
            "io/tatami/meta/op/copies/GiveUpCopy.java",
            "return info.getIncarnation() == answer.getIncarnation()",
            "return info.getServerId() == answer.getServerId()",
            "io.tatami.meta.op.copies.CopiesOperationsTest#copyIsGivenUpOnlyForConfirmedOnes"),
    A_COPIED_DISK_ANSWERS_FOR_THE_SERVER(
            "io/tatami/meta/op/servers/RegisterBlockServer.java",
            "&& !request.getFormerIncarnationList().contains(last)) {",
            "&& last == 0) {",
            "io.tatami.meta.op.servers.RegisterBlockServerTest#aDiskThatDoesNotShowTheLastProcessIsFencedForGood"),
    A_PROCESS_THAT_LIVES_IS_REPLACED(
            "io/tatami/meta/op/servers/RegisterBlockServer.java",
            "if (!known.getLeft() && !isSamePlace && !isAway.test(id)) {",
            "if (last == 0) {",
            "io.tatami.meta.op.servers.RegisterBlockServerTest#aProcessTakesThePlaceOfTheLastOneThatItsDiskShowsWhenThatIsAway"),
    AN_AUDIT_JUDGES_COPIES_THAT_BEGAN_AFTER_IT(
            "io/tatami/meta/state/ShardState.java",
            ".setRound(newestAuditRound())",
            "",
            "io.tatami.meta.service.reclaim.ReclamationTest#roundThatBeganBeforeACopyDidSaysNothingOfIt"),
    A_SERVER_THAT_FAILED_STAYS_A_HOLDER(
            "io/tatami/meta/op/write/RenewBlock.java",
            "BlockCopies.of(committed).keepCounted(left);",
            "BlockCopies.of(committed).keepCounted(serversOf(block));",
            "io.tatami.meta.op.write.LeftOutCopiesTest#copyThatFailsItsWriterIsASpareAndTheBlockIsLookedAt"),
    BYTES_THAT_A_DEVICE_LOST_ARE_TAKEN_OVER(
            "io/tatami/block/volume/VolumeOpener.java",
            "if (parts.flushedEnds().isInDoubt() && !isOnDevice(parts, now, end, checksums)) {",
            "if (parts.flushedEnds().isInDoubt() && checksums.length < 0) {",
            "io.tatami.block.volume.FlushedEndsTest#whatAFailedFlushLostIsNotTakenOverAndHarmsNothingThatWasSynced"),
    SLOWNESS_IS_JUDGED_AT_ONE_LOOK(
            "io/tatami/block/device/SlowDevices.java",
            "if (state.looks == LOOKS) {",
            "if (state.looks == 1) {",
            "io.tatami.block.device.SlowDevicesTest#whatIsSlowForAMomentIsNotReported"),
    A_BLOCK_SERVER_TAKES_ORDERS_FROM_ANYBODY(
            "io/tatami/block/service/BlockServer.java",
            "new HandlerTable(credential)",
            "new HandlerTable()",
            "io.tatami.block.service.BlockAudienceTest#onlyMetadataServersMayAskWhatIsForServers"),
    A_BLOCK_SERVER_BELIEVES_ANY_CREDENTIAL(
            "io/tatami/block/service/registration/MetadataCredential.java",
            "if (!MessageDigest.isEqual(expected.toByteArray(), shown.toByteArray())) {",
            "if (expected.size() != shown.size()) {",
            "io.tatami.block.service.BlockAudienceTest#onlyMetadataServersMayAskWhatIsForServers"),
    ALL_BLOCK_SERVERS_ARE_SHOWN_THE_SAME(
            "io/tatami/meta/gate/BlockServerCredentials.java",
            "putInt(server.value())",
            "putInt(0)",
            "io.tatami.block.service.BlockAudienceTest#onlyMetadataServersMayAskWhatIsForServers"),
    A_PROMISE_IS_NOT_DURABLE(
            "io/tatami/block/volume/BlockCommitter.java",
            "parts.index().put(replica.committed(), entry);",
            "",
            "io.tatami.block.volume.CopyNumbersTest#fenceRaisesThePromiseAloneEndsTheWriterAndOutlivesTheHost"),
    A_FENCE_RAISES_THE_GENERATION(
            "io/tatami/block/volume/BlockCommitter.java",
            "replica.numbers().promising(generation)",
            "replica.numbers().adopting(generation)",
            "io.tatami.block.volume.CopyNumbersTest#fenceRaisesThePromiseAloneEndsTheWriterAndOutlivesTheHost"),
    DELETIONS_IGNORE_THE_COPY_NUMBER(
            "io/tatami/block/volume/Volume.java",
            "replica.numbers().number() != copyNumber",
            "copyNumber < 0",
            "io.tatami.block.volume.CopyNumbersTest#deletionTouchesTheCopyWithItsNumberAlone"),
    A_REPORT_COUNTS_WITHOUT_ITS_INTENT(
            "io/tatami/meta/state/BlockCopies.java",
            "if (!left.remove(made)) {",
            "if (!left.remove(made) && on(block, made.server()).isPresent()) {",
            "io.tatami.meta.op.copies.CopiesOperationsTest#copyWithoutItsIntentIsReclaimedByItsNumber"),
    A_COPY_IS_GIVEN_UP_UNCONFIRMED(
            "io/tatami/meta/service/copies/CopyTrimmer.java",
            "failure == null && isWhole(needed.getBlock(), info)",
            "failure == null && info.getFinalized()",
            "io.tatami.meta.service.copies.CopyMakingTest#copyIsNotGivenUpWithoutConfirmation"),
    A_COPY_IS_GIVEN_UP_BY_AN_OLD_MAP(
            "io/tatami/meta/op/copies/GiveUpCopy.java",
            "return ageMillis >= 0 && ageMillis <= MAP_AGE_MILLIS_MAX;",
            "return ageMillis >= 0;",
            "io.tatami.meta.op.copies.CopiesOperationsTest#copyIsNotGivenUpByAnOldMap"),
    THE_BRAKE_IS_IGNORED(
            "io/tatami/meta/service/copies/ServerStandings.java",
            "ServersOfMap.view(map, this::isLost, !brake.isEmpty())",
            "ServersOfMap.view(map, this::isLost, false)",
            "io.tatami.meta.service.copies.CopyMakingTest#nothingIsCopiedWhileManyServersAreSilent"),
    A_PULLED_COPY_IS_REPORTED_BEFORE_IT_IS_FLUSHED(
            "io/tatami/block/service/copy/BlockPuller.java",
            "Map<BlockWriter, TatamiException> refused = volume.finish(",
            "Map<BlockWriter, TatamiException> refused = Map.of(); if (false) volume.finish(",
            "io.tatami.block.service.copy.BlockPullerTest#aDiskThatFailsAnyAccessLeavesTheWholeCopyOrNone"),
    PULLED_COPIES_ARE_NAMED_BEFORE_THEIR_FLUSH(
            "io/tatami/block/volume/BatchFinish.java",
            "parts.flush().flush();",
            "",
            "io.tatami.block.service.copy.BatchedPullsTest#powerCutAtAnyAccessLeavesEachCopyThatWasReported"),
    A_DELETION_DURING_THE_FLUSH_OF_A_PULLED_COPY_IS_NOT_SEEN(
            "io/tatami/block/volume/BatchFinish.java",
            "lastLook.requireWanted(writer);",
            "",
            "io.tatami.block.service.copy.BatchedPullsTest#markOfADeletionThatComesDuringTheFlushIsSeenBeforeTheCopyIsNamed"),
    PULLED_BYTES_ARE_NOT_VERIFIED(
            "io/tatami/block/service/copy/BlockPuller.java",
            "Arrays.copyOfRange(checksums, first, first + pieces)",
            "null",
            "io.tatami.block.service.copy.BlockPullerTest#wrongBytesOfTheOnlySourceLeaveNoCopy"),
    A_PULL_TAKES_A_COPY_OF_ANOTHER_LENGTH(
            "io/tatami/block/service/copy/BlockPuller.java",
            "there.lengthBytes() != pull.lengthBytes()",
            "there.lengthBytes() < pull.lengthBytes()",
            "io.tatami.block.service.copy.BlockPullerTest#aCopyOfAnotherLengthIsNotTaken"),
    BLOCK_SERVERS_HEAR_WHAT_METADATA_SERVERS_SHOW_EACH_OTHER(
            "io/tatami/meta/service/host/RoutedPeers.java",
            "credential.toBlockServer(to)",
            "credential.bytes()",
            "io.tatami.meta.service.host.RoutedPeersTest#eachServerIsShownItsOwnCredential"),
    A_CHANGE_IS_NOT_ANNOUNCED_TO_THE_SHARDS_OF_DIRECTORIES_BELOW(
            "io/tatami/meta/op/tree/ShardsOfHandles.java",
            "if (!from.getSelfOnly()) {",
            "if (from.getSpread() > 1 << 20) {",
            "io.tatami.meta.service.tree.DirectoryFlowsTest"
                    + "#aHandleOfADirectoryThatIsMadeJustBeforeARenameIsAnnouncedIsStaleAfterIt"),
    A_CHANGE_IS_ANNOUNCED_TO_THE_FIRST_SHARD_OF_A_DIRECTORY_ALONE(
            "io/tatami/meta/op/tree/ShardsOfHandles.java",
            "step < Math.max(1, spread)",
            "step < Math.min(1, spread)",
            "io.tatami.meta.service.sim.TransactionSimulationTest#transactionsHoldWhateverCrashesAndGetsLost"),
    DIRECTORIES_BEYOND_THE_LIMIT_ARE_TAKEN_FOR_NONE(
            "io/tatami/meta/op/tree/ShardsOfHandles.java",
            "if (left < 0) {",
            "if (left < -1_000_000) {",
            "io.tatami.meta.op.tree.ShardsOfHandlesTest"
                    + "#asManyDirectoriesAsAreLookedAtAreNamedAndOneMoreMeansEveryShard"),
    THE_SHARDS_OF_HANDLES_ARE_ASKED_FOR_BEFORE_NO_MORE_ARE_MADE(
            "io/tatami/meta/service/tree/LeaderTree.java",
            """
            TreeChanges.Change change = changes.begin(
                    directories.stream().map(TreeChange::getDirectoryId).toList());
            // Not before: a handle of a directory that was made just now must not be missed.
            return group().read(shardsOfHandles, RequestOrigin.SERVICE, question.build())
                    .thenCompose(concerned -> announce(concerned, directories, change.version()))
                    .thenCompose(body)
                    .whenComplete((result, failure) -> end(changes, change, failure));
""",
            """
            return group().read(shardsOfHandles, RequestOrigin.SERVICE, question.build())
                    .thenCompose(concerned -> {
                        TreeChanges.Change change = changes.begin(
                                directories.stream().map(TreeChange::getDirectoryId).toList());
                        return announce(concerned, directories, change.version())
                                .thenCompose(body)
                                .whenComplete((result, failure) -> end(changes, change, failure));
                    });
""",
            "io.tatami.meta.service.tree.DirectoryFlowsTest"
                    + "#aHandleThatIsMadeWhileARenameAsksForItsShardsIsStaleAfterIt"),
    MOVES_THAT_ARE_UNDER_WAY_ARE_NOT_TOLD_OF_A_CHANGE(
            "io/tatami/meta/service/tree/LeaderTree.java",
            "one.movingTo().forEach(destinations::set);",
            "",
            "io.tatami.meta.service.tree.DirectoryFlowsTest"
                    + "#aMoveOutOfADirectoryThatIsDeletedMeanwhileIsNotCommittedInAShardThatHasNothingOfIt"),
    A_WRITER_GOES_ON_BY_A_GATE_THAT_IS_NOT_TOLD(
            "io/tatami/meta/op/write/Writer.java",
            "|| home.getEntryGroup() != state.id().value()",
            "|| home.getEntryGroup() < 0",
            "io.tatami.meta.op.file.WritingTest#writerWhoseFileIsNamedInAnotherShardAsksTheTreeEachTime");

    private final String source;
    private final String text;
    private final String replacement;
    private final String detector;

    /**
     * @param source the file, below {@code src/main/java}
     * @param text what stands there just once
     * @param replacement what is planted in its place
     * @param detector the test that must fail, as {@code class#method}
     */
    PlantedBug(String source, String text, String replacement, String detector) {
        this.source = source;
        this.text = text;
        this.replacement = replacement;
        this.detector = detector;
    }

    Path source() {
        return Path.of("src/main/java", source);
    }

    String detector() {
        return detector;
    }

    /** The source with the bug in it. */
    String plantIn(String sound) {
        int at = sound.indexOf(text);
        if (at < 0 || sound.indexOf(text, at + 1) >= 0) {
            throw new AssertionError(this + ": its text does not stand in " + source + " just once; plant it anew");
        }
        return sound.substring(0, at) + replacement + sound.substring(at + text.length());
    }
}
