import type { Gauge, Metrics } from "#core/metrics/createMetrics.ts";

/** One figure with the age of the oldest entry that it counts, by labels from small sets. */
export type AgedFigure<Label extends string> = {
	/** Series that are not named any more become 0. */
	set(entries: readonly AgedEntry<Label>[]): void;
};

export type AgedEntry<Label extends string> = {
	labels: Readonly<Record<Label, string>>;
	count: number;
	oldestAgeSeconds: number;
};

/** What an operator watches of money that waits. Alert rules over it: the README of wallets. */
export function watchMetrics(metrics: Metrics) {
	const aged = <Label extends string>(given: {
		name: string;
		age: string;
		labels: readonly Label[];
		help: string;
	}): AgedFigure<Label> => {
		const { name, age, labels, help } = given;
		const count = metrics.gauge<Label>({ name, help, labels });
		const ages = metrics.gauge<Label>({
			name: age,
			help: `Age of the oldest of these: ${help}`,
			labels,
		});
		return agedFigure(count, ages);
	};
	return {
		open: aged({
			name: "wallets_intents_open",
			age: "wallets_intents_oldest_age_seconds",
			labels: ["kind", "state"],
			help: "Intents that are not settled, by kind and state.",
		}),
		waiting: aged({
			name: "wallets_intents_waiting",
			age: "wallets_intents_waiting_oldest_age_seconds",
			labels: ["reason"],
			help: "Intents in doubt, or sent for longer than their chain needs, by reason.",
		}),
		queues: aged({
			name: "wallets_nonce_queues_blocked",
			age: "wallets_nonce_queues_blocked_oldest_age_seconds",
			labels: ["chain", "reason"],
			help: "Nonce queues in which something cannot go on, by chain and reason.",
		}),
		quarantined: metrics.gauge<"table">({
			name: "wallets_quarantined_oldest_age_seconds",
			help: "Since when the oldest row cannot be read that is in quarantine, by table.",
			labels: ["table"],
		}),
		ledger: aged({
			name: "wallets_ledger_flaws",
			age: "wallets_ledger_flaws_oldest_age_seconds",
			labels: ["flaw"],
			help: "Intents whose entries in the spend ledger do not fit where they stand, by flaw.",
		}),
		madeAt: metrics.gauge({
			name: "wallets_watch_timestamp_seconds",
			help: "When the figures of what waits were last made.",
		}),
	};
}

function agedFigure<Label extends string>(
	count: Gauge<Label>,
	ages: Gauge<Label>,
): AgedFigure<Label> {
	const shown = new Map<string, Readonly<Record<Label, string>>>();
	return {
		set(entries) {
			const present = new Map(entries.map((entry) => [JSON.stringify(entry.labels), entry]));
			for (const [name, { labels }] of present) shown.set(name, labels);
			for (const [name, labels] of shown) {
				const entry = present.get(name);
				count.set(labels, entry?.count ?? 0);
				ages.set(labels, entry?.oldestAgeSeconds ?? 0);
			}
		},
	};
}
