import type { Metrics } from "#core/metrics/createMetrics.ts";

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
