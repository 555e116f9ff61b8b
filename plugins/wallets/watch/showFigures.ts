import type { Watched } from "#plugins/wallets/watch/createWatch.ts";
import { oldestAgeSeconds } from "#plugins/wallets/watch/oldestAgeSeconds.ts";
import type { AgedEntry, watchMetrics } from "#plugins/wallets/watch/watchMetrics.ts";

/** Shows in `/metrics` what was watched. */
export function showFigures(
	figures: ReturnType<typeof watchMetrics>,
	watched: Watched,
	chainName: (chainId: number) => string,
): void {
	const { atMs, open, waiting, queues, quarantined, flawed } = watched;
	figures.open.set(
		open.map(({ kind, state, count, oldest }) => {
			const age = oldestAgeSeconds([oldest?.getTime() ?? null], atMs);
			return { labels: { kind, state }, count, oldestAgeSeconds: age };
		}),
	);
	figures.waiting.set(grouped(waiting, atMs, ({ reason }) => ({ reason })));
	figures.queues.set(
		grouped(queues, atMs, ({ chainId, reason }) => ({ chain: chainName(chainId), reason })),
	);
	for (const table of ["wallets.intent", "wallets.submission"]) {
		const since = quarantined.find((one) => one.table === table)?.since.getTime() ?? null;
		figures.quarantined.set({ table }, oldestAgeSeconds([since], atMs));
	}
	const flaws = flawed.map(({ flaw, since }) => ({ flaw, sinceMs: since.getTime() }));
	figures.ledger.set(grouped(flaws, atMs, ({ flaw }) => ({ flaw })));
	figures.madeAt.set({}, atMs / 1_000);
}

function grouped<Item extends { sinceMs: number | null }, Label extends string>(
	items: readonly Item[],
	atMs: number,
	labelsOf: (item: Item) => Record<Label, string>,
): AgedEntry<Label>[] {
	const groups = Map.groupBy(items, (item) => JSON.stringify(labelsOf(item)));
	return [...groups.values()].flatMap((group) => {
		const [first] = group;
		if (!first) return [];
		const age = oldestAgeSeconds(
			group.map(({ sinceMs }) => sinceMs),
			atMs,
		);
		return [{ labels: labelsOf(first), count: group.length, oldestAgeSeconds: age }];
	});
}
