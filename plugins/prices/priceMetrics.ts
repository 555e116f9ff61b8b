import type { Metrics } from "#core/metrics/createMetrics.ts";
import type { RoundProblem } from "#plugins/prices/feed/parseRound.ts";

export type PriceMetrics = {
	/** Counts an answer of a feed that cannot be a price. */
	rejected(reason: RoundProblem | "decimals"): void;
	/** Counts a failed poll of a chain's feeds. */
	failed(chain: string): void;
};

/** Registers the metrics of the feeds. */
export function priceMetrics(metrics: Metrics): PriceMetrics {
	const rejected = metrics.counter({
		name: "price_answers_rejected_total",
		help: "Answers of price feeds that cannot be prices, by what is wrong with them.",
		labels: ["reason"],
	});
	const failed = metrics.counter({
		name: "price_reads_failed_total",
		help: "Times that a chain's price feeds could not be asked.",
		labels: ["chain"],
	});
	return {
		rejected: (reason) => rejected.inc({ reason }),
		failed: (chain) => failed.inc({ chain }),
	};
}
