import type { Queryable } from "#core/db/Database.ts";
import type { Metrics } from "#core/metrics.ts";
import { sleep } from "#core/time.ts";
import type { ProviderStreamState } from "#plugins/provider/contract.ts";

/** What happened to a frame, or to the push in it. */
export type StreamOutcome =
	| "handled"
	| "repeated"
	| "unknown_type"
	| "unknown_chain"
	| "no_price"
	| "no_roles"
	| "unreadable"
	| "stray"
	| "refused"
	| "full"
	| "failed";

export type StreamMetrics = {
	count(outcome: StreamOutcome, pushes?: number): void;
	observe(now: { isLive: boolean; joined: number }): void;
	waiting(pushes: number): void;
	socketEnded(): void;
};

/** The stream's state for the whole deployment: one process listens, and any can be asked. */
export type StreamStatus = {
	/** Returns what was last learned of the listening process. */
	state(): ProviderStreamState;
	/** Stores the state; called by the listening process. */
	tell(state: ProviderStreamState): Promise<void>;
	/** Reads the state; called by all others. */
	learn(): Promise<void>;
};

/** A larger frame is refused; the largest known event, with its signed order, is below 20 KiB. */
export const FRAME_BYTES_MAX = 1_048_576;
/** Levels of a frame; the deepest known event has ten. */
export const FRAME_DEPTH_MAX = 32;
/** Unreadable frames in a row, after which the other end is taken for another service. */
export const UNREADABLE_IN_A_ROW_MAX = 100;

/** Frames that are read in one turn of the event loop: about 1 ms. */
export const FRAMES_PER_TURN_MAX = 10;
/** After a part of a flood it rests for so many times as long as reading it took. */
export const INBOX_REST_SHARE = 3;
export const INBOX_REST_MS_MAX = 8;
/**
 * With more waiting frames it does not rest: frames that do not fit are lost, and read over HTTP.
 */
export const INBOX_UNHURRIED_MAX = 10_000;
/** The bytes of a socket's frames that may wait; with more, the socket is closed. */
export const INBOX_BYTES_MAX = 67_108_864;

/** The time until a socket must be open. */
export const OPEN_TIMEOUT_MS = 10_000;
/** A heartbeat must be answered before the next one is due. */
export const HEARTBEAT_MS = 30_000;
/** Requests of a socket that are remembered, to recognize their answers. */
export const UNANSWERED_MAX = 4_000;
/**
 * The wait before each attempt to open the socket again; the last one holds for all that follow.
 */
export const RECONNECT_DELAYS_MS = [10, 50, 100, 150, 200, 250, 500, 1_000, 2_000, 5_000] as const;
/**
 * With more in a minute, each attempt waits for the longest delay: a server that answers and then
 * hangs up would otherwise be called a hundred times a second.
 */
export const CONNECTS_PER_MINUTE_MAX = 30;
/** Says how long a socket must live, in ms, until its end is logged again. */
export const STEADY_MS = 60_000;

export const TOPICS_MAX = 1_000;
export const SLUG_LENGTH_MAX = 256;
export const JOIN_TIMEOUT_MS = 10_000;
/** Joins go out in small groups: a thousand at once would look like an attack. */
export const JOINS_PER_BEAT = 10;
export const JOIN_BEAT_MS = 100;
/** The wait before each attempt to join a topic again that was refused or that broke. */
export const REJOIN_DELAYS_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000] as const;

/** Events remembered, so that one that is sent twice is handed on once. */
export const RECENT_EVENTS_MAX = 10_000;
export const RECENT_EVENTS_MS = 600_000;
/** Orders whose maker and side are remembered, to know the seller when one is filled. */
export const KNOWN_ORDERS_MAX = 20_000;
/** An event further in the future than this has a wrong clock. */
export const CLOCK_AHEAD_MAX_MS = 300_000;

export const QUEUE_PUSHES_MAX = 10_000;
export const QUEUE_BYTES_MAX = 67_108_864;
/** Pushes of one collection that are handed on together. */
export const PUSHES_TOGETHER_MAX = 50;
/** Collections whose pushes are handled at the same time: the rest of the pool is for readers. */
export const SLUGS_AT_ONCE_MAX = 2;
/** While more wait, it rests after a part for so many times as long as the part took. */
export const QUEUE_REST_SHARE = 2;
export const QUEUE_REST_MS_MAX = 60;
/** With more waiting it does not rest: pushes that do not fit are lost, and read over HTTP. */
export const QUEUE_UNHURRIED_MAX = QUEUE_PUSHES_MAX / 2;
/** The time for a part that is handed on together; then the collection goes on without it. */
export const PUSH_TIMEOUT_MS = 60_000;
/** Single pushes that fail in a row, after which the pushes are not to blame. */
export const FAILED_IN_A_ROW_MAX = 3;

/** Gaps within this time are reported together. */
export const GAP_GATHER_MS = 1_000;
/** One collection's gaps are reported at most this often: each costs calls of the shared limit. */
export const GAP_EVERY_MS = 30_000;
export const GAP_TIMEOUT_MS = 600_000;

/** How often a process tries to take the stream's lease. */
export const LEASE_EVERY_MS = 1_000;
/** How long the listening process's stored state is valid: a few of its beats. */
export const STATUS_BELIEVED_MS = 5_000;
/** The time for pushes under way when the stream is stopped. */
export const STOP_TIMEOUT_MS = 5_000;

const STATES: ReadonlySet<string> = new Set<ProviderStreamState>(["off", "connecting", "live"]);

/** Registers the metrics of the stream; one set is shared by all streams of a service. */
export function createStreamMetrics(metrics: Metrics): StreamMetrics {
	const frames = metrics.counter({
		name: "provider_stream_frames_total",
		help: "Frames of the provider's stream, by what became of them",
		labels: ["outcome"],
	});
	const ended = metrics.counter({
		name: "provider_stream_sockets_ended_total",
		help: "Sockets of the provider's stream that were open and ended",
	});
	const live = metrics.gauge({
		name: "provider_stream_live",
		help: "1 while the provider's stream is live in this process",
	});
	const topics = metrics.gauge({
		name: "provider_stream_topics",
		help: "Collections whose events arrive over the provider's stream",
	});
	const queue = metrics.gauge({
		name: "provider_stream_queue_pushes",
		help: "Pushes of the provider's stream that wait to be handled",
	});
	return {
		count: (outcome, pushes = 1) => frames.inc({ outcome }, pushes),
		observe({ isLive, joined }) {
			live.set({}, isLive ? 1 : 0);
			topics.set({}, joined);
		},
		waiting: (pushes) => queue.set({}, pushes),
		socketEnded: () => ended.inc({}),
	};
}

/**
 * Shares the state through the database, and by its clock alone. Where no state is stored the
 * stream is not `off`, which would mean disabled: a process is about to listen.
 */
export function createStreamStatus(db: Queryable): StreamStatus {
	let known: ProviderStreamState = "connecting";
	return {
		state: () => known,
		async tell(state) {
			await db.execute(
				`insert into provider.stream_status as kept (state, told_at) values ($1, now())
				on conflict (one) do update set state = excluded.state, told_at = excluded.told_at`,
				[state],
			);
		},
		async learn() {
			const [row] = await db.query<{ state: string }>(
				`select state from provider.stream_status
				where told_at > now() - $1 * interval '1 millisecond'`,
				[STATUS_BELIEVED_MS],
			);
			known = row && isState(row.state) && row.state !== "off" ? row.state : "connecting";
		},
	};
}

/** Keeps a process that never listens up to date about the one that does, until the signal. */
export async function followStreamStatus(options: {
	status: Pick<StreamStatus, "learn">;
	signal: AbortSignal;
	everyMs?: number;
}): Promise<void> {
	const { status, signal, everyMs = LEASE_EVERY_MS } = options;
	while (!signal.aborted) {
		// Without the database the last known state stays; routes that need the database fail anyway.
		await status.learn().catch(() => {});
		await sleep(everyMs, signal);
	}
}

function isState(text: string): text is ProviderStreamState {
	return STATES.has(text);
}
