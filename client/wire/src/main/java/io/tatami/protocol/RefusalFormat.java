package io.tatami.protocol;

import io.tatami.base.Denial;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.RefusalSubject;
import io.tatami.base.RefusalSubject.RequestDirectory;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.Refusal;

/**
 * Failures as {@link Refusal}s. What a newer peer says and this release does not know is {@link RefusalSubject#NONE} or
 * {@link Detail#NONE}, as are values that cannot be.
 */
public final class RefusalFormat {
    private RefusalFormat() {}

    /** @param textCharsMax of each text; what is longer is cut off */
    public static Refusal of(TatamiException failure, int textCharsMax) {
        Refusal.Builder refusal = Refusal.newBuilder().setCode(failure.code().number());
        Writer writer = new Writer(refusal, textCharsMax);
        writer.put(failure.subject());
        writer.put(failure.detail());
        return refusal.build();
    }

    /** @param message the text that came beside it */
    public static TatamiException exception(Refusal refusal, String message) {
        return new TatamiException(
                ErrorCode.ofNumber(refusal.getCode()), message, subject(refusal.getSubject()), detail(refusal), null);
    }

    /** The beginning of a text, not longer than {@code charsMax}. */
    public static String shortened(String text, int charsMax) {
        return text.length() <= charsMax ? text : text.substring(0, charsMax);
    }

    private record Writer(Refusal.Builder refusal, int textCharsMax) {
        void put(RefusalSubject subject) {
            Refusal.Subject.Builder to = Refusal.Subject.newBuilder();
            if (subject instanceof RefusalSubject.PathSubject path) {
                refusal.setSubject(to.setPath(text(path.path())));
            } else if (subject instanceof RefusalSubject.EntrySubject entry) {
                refusal.setSubject(to.setEntry(Refusal.Entry.newBuilder()
                        .setDirectory(directory(entry.directory()))
                        .setName(text(entry.name()))));
            } else if (subject instanceof RefusalSubject.ServerSubject server) {
                refusal.setSubject(to.setServerId(server.server().value()));
            }
        }

        void put(Detail detail) {
            if (detail instanceof Detail.Leader leader) {
                refusal.setLeader(
                        Refusal.Leader.newBuilder().setHost(text(leader.host())).setPort(leader.port()));
            } else if (detail instanceof Detail.LinkTarget link) {
                refusal.setLinkTarget(text(link.target()));
            } else if (detail instanceof Detail.HeldLease held) {
                refusal.setHeldLease(Refusal.HeldLease.newBuilder()
                        .setFileId(held.file().value())
                        .setSession(held.writer().value()));
            } else if (detail instanceof Detail.DamagedChunk chunk) {
                refusal.setDamagedChunkOffset(chunk.offsetBytes());
            } else if (detail instanceof Detail.RoomLeft room) {
                refusal.setRoomLeft(room.bytes());
            } else if (detail instanceof Detail.Obstacle obstacle) {
                refusal.setObstacle(text(obstacle.path()));
            } else if (detail instanceof Detail.StoredInline inline) {
                refusal.setStoredInline(text(inline.name()));
            } else if (detail instanceof Denial denial) {
                put(denial);
            }
        }

        private void put(Denial denial) {
            if (denial instanceof Denial.AccessRefused refused) {
                refusal.setAccessRefused(Refusal.AccessRefused.newBuilder()
                        .setUser(text(refused.user()))
                        .setAccess(refused.access())
                        .setInode(inode(refused.inode())));
            } else if (denial instanceof Denial.OwnerOnly owner) {
                refusal.setOwnerOnly(Refusal.OwnerOnly.newBuilder().setUser(text(owner.user())));
            } else if (denial instanceof Denial.StickyBit sticky) {
                refusal.setStickyBit(Refusal.StickyBit.newBuilder()
                        .setUser(text(sticky.user()))
                        .setEntry(inode(sticky.entry()))
                        .setDirectory(inode(sticky.directory())));
            }
        }

        private Refusal.Inode inode(Denial.Inode inode) {
            return Refusal.Inode.newBuilder()
                    .setOwner(text(inode.owner()))
                    .setGroup(text(inode.group()))
                    .setMode(inode.mode())
                    .setDirectory(inode.isDirectory())
                    .build();
        }

        private String text(String text) {
            return shortened(text, textCharsMax);
        }
    }

    private static Refusal.Directory directory(RequestDirectory directory) {
        return switch (directory) {
            case PARENT -> Refusal.Directory.PARENT;
            case SOURCE -> Refusal.Directory.SOURCE;
            case DESTINATION -> Refusal.Directory.DESTINATION;
        };
    }

    private static RefusalSubject subject(Refusal.Subject subject) {
        return switch (subject.getAboutCase()) {
            case PATH -> new RefusalSubject.PathSubject(subject.getPath());
            case ENTRY -> entry(subject.getEntry());
            case SERVER_ID ->
                subject.getServerId() < 0
                        ? RefusalSubject.NONE
                        : new RefusalSubject.ServerSubject(new ServerId(subject.getServerId()));
            case ABOUT_NOT_SET -> RefusalSubject.NONE;
        };
    }

    private static RefusalSubject entry(Refusal.Entry entry) {
        return switch (entry.getDirectory()) {
            case PARENT -> new RefusalSubject.EntrySubject(RequestDirectory.PARENT, entry.getName());
            case SOURCE -> new RefusalSubject.EntrySubject(RequestDirectory.SOURCE, entry.getName());
            case DESTINATION -> new RefusalSubject.EntrySubject(RequestDirectory.DESTINATION, entry.getName());
            case UNRECOGNIZED -> RefusalSubject.NONE;
        };
    }

    private static Detail detail(Refusal refusal) {
        return switch (refusal.getDetailCase()) {
            case LEADER -> leader(refusal.getLeader());
            case LINK_TARGET -> new Detail.LinkTarget(refusal.getLinkTarget());
            case HELD_LEASE -> heldLease(refusal.getHeldLease());
            case DAMAGED_CHUNK_OFFSET ->
                refusal.getDamagedChunkOffset() < 0
                        ? Detail.NONE
                        : new Detail.DamagedChunk(refusal.getDamagedChunkOffset());
            case ROOM_LEFT -> refusal.getRoomLeft() < 0 ? Detail.NONE : new Detail.RoomLeft(refusal.getRoomLeft());
            case OBSTACLE -> new Detail.Obstacle(refusal.getObstacle());
            case STORED_INLINE -> new Detail.StoredInline(refusal.getStoredInline());
            case ACCESS_REFUSED ->
                new Denial.AccessRefused(
                        refusal.getAccessRefused().getUser(),
                        refusal.getAccessRefused().getAccess(),
                        inode(refusal.getAccessRefused().getInode()));
            case OWNER_ONLY -> new Denial.OwnerOnly(refusal.getOwnerOnly().getUser());
            case STICKY_BIT ->
                new Denial.StickyBit(
                        refusal.getStickyBit().getUser(),
                        inode(refusal.getStickyBit().getEntry()),
                        inode(refusal.getStickyBit().getDirectory()));
            case DETAIL_NOT_SET -> Detail.NONE;
        };
    }

    private static Detail leader(Refusal.Leader leader) {
        return leader.getHost().isEmpty() || leader.getPort() < 0 || leader.getPort() > Detail.Leader.PORT_MAX
                ? Detail.NONE
                : new Detail.Leader(leader.getHost(), leader.getPort());
    }

    private static Detail heldLease(Refusal.HeldLease held) {
        return held.getFileId() < 0 || held.getSession() < 0
                ? Detail.NONE
                : new Detail.HeldLease(new FileId(held.getFileId()), new SessionId(held.getSession()));
    }

    private static Denial.Inode inode(Refusal.Inode inode) {
        return new Denial.Inode(inode.getOwner(), inode.getGroup(), inode.getMode(), inode.getDirectory());
    }
}
