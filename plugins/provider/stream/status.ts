// Counts what happens to frames, and shares the stream's state through the database.

import type { Queryable } from "#core/db/Database.ts";
import type { Metrics } from "#core/metrics.ts";
import { sleep } from "#core/time.ts";
import type { ProviderStreamState } from "#plugins/provider/contract.ts";
import { LEASE_EVERY_MS, STATUS_BELIEVED_MS } from "#plugins/provider/stream/model.ts";

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
