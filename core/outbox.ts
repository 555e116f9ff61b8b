// Stores frames for subscribers with the transaction, and announces them after it.

import type { Bus } from "#core/bus.ts";
import type { Clock } from "#core/clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import type { Job } from "#core/schedule.ts";

/** Holds one message to the subscribers of a topic, before it has a number. */
export type Frame = { type: string; data: unknown };

/** Frames of one topic that were committed together and follow each other without a gap. */
export type FrameBatch = {
	topic: string;
	seqFirst: number;
	atMs: number;
	frames: readonly Frame[];
};

export type Outbox = {
	/**
	 * Adds frames to the transaction. They get their numbers as its last step, are stored with
	 * it, and are announced after its commit: nothing is published that was not committed, and
	 * what a crash left unannounced is still read from the table.
	 */
	append(tx: Tx, topic: string, frames: readonly Frame[]): void;
	/** Batches that hold numbers above `seq`, oldest first, and the topic's newest number. */
	read(topic: string, afterSeq: number): Promise<{ head: number; batches: FrameBatch[] }>;
	/** The newest number of each topic; a topic without one has 0. */
	heads(topics: readonly string[]): Promise<Map<string, number>>;
	/** Names this database's numbering; it changes when a backup is restored. */
	epoch(): Promise<string>;
	/** Deletes batches that the database has had for longer than this; answers how many. */
	prune(keptMs: number): Promise<number>;
};

/** A frame as it goes over a socket: the same text whether it was just committed or read back. */
export type RenderedFrame = { seq: number; text: string };

/** The bus channel on which committed batches are announced, whole, as JSON. */
export const FRAMES_CHANNEL = "frames";

/** A read ends with the batch that reaches this many frames: one is never cut in two. */
export const FRAMES_PER_READ_MAX = 1_000;

/** Deleted by one statement: a long backlog must not run into the statement's time limit. */
const BATCHES_PER_PRUNE_MAX = 5_000;

/** How long a client may be away and still resume. */
const FRAMES_KEPT_MS = 3_600_000;

/** Makes the outbox: frames are stored with a transaction, and announced on the bus after it. */
export function createOutbox(options: { db: Database; bus: Bus; clock: Clock }): Outbox {
	const { db, bus, clock } = options;
	const pending = new WeakMap<Tx, Map<string, Frame[]>>();
	return {
		append(tx, topic, frames) {
			if (frames.length === 0) return;
			const topics = pending.get(tx) ?? openPending(tx);
			const list = topics.get(topic);
			// Not `push(...frames)`: a million arguments do not fit on the stack.
			if (list) for (const frame of frames) list.push(frame);
			else topics.set(topic, [...frames]);
		},
		read: (topic, afterSeq) => readBatches(db, topic, afterSeq),
		async heads(topics) {
			const rows = await db.query<{ topic: string; seq: number }>(
				"select topic, seq from core.stream_head where topic = any($1::text[])",
				[topics],
			);
			const known = new Map(rows.map((row) => [row.topic, row.seq]));
			return new Map(topics.map((topic) => [topic, known.get(topic) ?? 0]));
		},
		epoch: () => readEpoch(db),
		prune: (keptMs) => pruneBatches(db, keptMs),
	};

	function openPending(tx: Tx): Map<string, Frame[]> {
		const topics = new Map<string, Frame[]>();
		pending.set(tx, topics);
		const store = async () => {
			// Messages that a later step appends are stored by a step of their own.
			pending.delete(tx);
			const announcements = await storeBatches(tx, topics, clock.nowMs());
			tx.afterCommit(() => {
				for (const announcement of announcements) bus.publish(FRAMES_CHANNEL, announcement);
			});
		};
		tx.beforeCommit(store, { singleStatement: true });
		return topics;
	}
}

/** Deletes frames that are too old to resume from. */
export function pruneFramesJob(outbox: Outbox): Job {
	return {
		name: "core.prune-frames",
		schedule: { everyMs: 60_000 },
		lock: "cluster",
		timeoutMs: 30_000,
		async run() {
			await outbox.prune(FRAMES_KEPT_MS);
		},
	};
}

/** Puts each frame of a batch into the envelope `{ type, seq, topic, at, data }`. */
export function renderFrames(batch: FrameBatch): RenderedFrame[] {
	const at = new Date(batch.atMs).toISOString();
	return batch.frames.map((frame, index) => {
		const seq = batch.seqFirst + index;
		const { type, data } = frame;
		return { seq, text: JSON.stringify({ type, seq, topic: batch.topic, at, data }) };
	});
}

async function readBatches(db: Database, topic: string, afterSeq: number) {
	const rows = await db.query<{ head: number; seqFirst: number; at: Date; frames: string }>(
		`select head.seq as head, frame.seq_first as "seqFirst", frame.at, frame.frames
		from core.stream_head as head
		left join lateral (
			select *, sum(seq_last - seq_first + 1) over (order by seq_last) as so_far
			from (
				select seq_first, seq_last, at, frames from core.stream_frame
				where topic = head.topic and seq_last > $2
				order by seq_last limit $3
			) as newer
		) as frame on so_far - (seq_last - seq_first + 1) < $3
		where head.topic = $1
		order by frame.seq_last`,
		[topic, afterSeq, FRAMES_PER_READ_MAX],
	);
	const batches = rows
		.filter((row) => row.frames !== null)
		.map((row) => ({
			topic,
			seqFirst: row.seqFirst,
			atMs: row.at.getTime(),
			frames: JSON.parse(row.frames) as Frame[],
		}));
	return { head: rows[0]?.head ?? 0, batches };
}

/**
 * Reads the name of the numbering: a hash of the stored name, the cluster's identifier and its
 * timeline. A dump restored elsewhere changes
 * the second, a point-in-time recovery the third, and either may have lost numbers.
 */
async function readEpoch(db: Database): Promise<string> {
	const rows = await db.query<{ epoch: string }>(
		`select md5(epoch || system_identifier || '/' || timeline_id) as epoch
		from core.stream_epoch, pg_control_system(), pg_control_checkpoint()`,
	);
	return rows[0]?.epoch ?? "unknown";
}

async function pruneBatches(db: Database, keptMs: number): Promise<number> {
	let pruned = 0;
	for (;;) {
		const deleted = await db.execute(
			`delete from core.stream_frame where ctid = any(array(
				select ctid from core.stream_frame
				where at < now() - $1 * interval '1 millisecond' limit $2
			))`,
			[keptMs, BATCHES_PER_PRUNE_MAX],
		);
		pruned += deleted;
		if (deleted < BATCHES_PER_PRUNE_MAX) return pruned;
	}
}

/**
 * Numbers and stores the frames; returns each batch as it is announced, before the commit is known.
 *
 * Topics are bumped in sorted order, so two transactions that share topics wait for each other and
 * never deadlock.
 *
 * The frames go as bytes, one list behind the other: in an array of texts each quote is escaped
 * here and read one by one there, which took as long as storing them.
 */
async function storeBatches(
	tx: Tx,
	topics: ReadonlyMap<string, readonly Frame[]>,
	atMs: number,
): Promise<string[]> {
	const names = [...topics.keys()].sort();
	const amounts = names.map((name) => topics.get(name)?.length ?? 0);
	const texts = names.map((name) => JSON.stringify(topics.get(name) ?? []));
	const bytes = texts.map((text) => Buffer.from(text));
	const rows = await tx.query<{ topic: string; seq: number }>(
		`with given as (
			select topic, amount, convert_from(
				substring($4::bytea from ends - size + 1 for size), 'UTF8'
			) as frames
			from (
				select *, (sum(size) over (order by place))::int4 as ends
				from unnest($1::text[], $2::int8[], $3::int4[]) with ordinality
					as t (topic, amount, size, place)
			) as t
		), bumped as (
			insert into core.stream_head as head (topic, seq)
			select topic, amount from given
			on conflict (topic) do update set seq = head.seq + excluded.seq
			returning topic, seq
		), stored as (
			insert into core.stream_frame (topic, seq_first, seq_last, at, frames)
			select topic, seq - amount + 1, seq, $5, frames from bumped join given using (topic)
		)
		select topic, seq from bumped`,
		[names, amounts, bytes.map(({ length }) => length), Buffer.concat(bytes), new Date(atMs)],
	);
	const seqs = new Map(rows.map(({ topic, seq }) => [topic, seq]));
	return names.map((name, index) => {
		const seqFirst = (seqs.get(name) ?? 0) - (amounts[index] ?? 0) + 1;
		return announce({ topic: name, seqFirst, atMs }, texts[index] ?? "[]");
	});
}

/** Writes a `FrameBatch` as JSON, around frames that are JSON already. */
function announce(batch: Omit<FrameBatch, "frames">, frames: string): string {
	return `${JSON.stringify(batch).slice(0, -1)},"frames":${frames}}`;
}
