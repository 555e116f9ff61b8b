import type { Metrics } from "#core/metrics/createMetrics.ts";

export type StreamName = "collection" | "discover";

export type StreamMetrics = {
	opened(stream: StreamName): void;
	ended(stream: StreamName): void;
	closed(code: number): void;
	published(): void;
};

/**
 * A client may close with any of a thousand codes; only those with a meaning are counted
 * separately.
 */
const CODES = new Set([1000, 1001, 1005, 1006, 1008, 1009, 1011, 1012, 1013, 4008, 4010, 4029]);

/** Registers the metrics of the streams. */
export function streamMetrics(metrics: Metrics): StreamMetrics {
	const connections = metrics.gauge({
		name: "ws_connections",
		help: "Open streams.",
		labels: ["stream"],
	});
	const closed = metrics.counter({
		name: "ws_closed_total",
		help: "Streams that ended, by close code.",
		labels: ["code"],
	});
	const published = metrics.counter({
		name: "ws_frames_published_total",
		help: "Frames of the log that were published to a topic with subscribers.",
	});
	return {
		opened: (stream) => connections.inc({ stream }),
		ended: (stream) => connections.inc({ stream }, -1),
		closed: (code) => closed.inc({ code: CODES.has(code) ? String(code) : "other" }),
		published: () => published.inc({}),
	};
}
