import { createRates } from "#test/e2e/oracle/expected/createRates.ts";
import type { OracleLab } from "#test/e2e/oracle/openOracleLab.ts";
import { until } from "#test/harness/until.ts";

const ROUNDS_MAX = 20;

/**
 * Has each feed read to its beginning. Before that, events are stored without a price; after it the
 * service knows all rates, up to the newest round.
 */
export async function readRates({ lab, feeds }: OracleLab): Promise<void> {
	if (feeds.all.length === 0) return;
	const { db } = lab.database;
	const prices = feeds.all.flatMap(({ aggregator }) => aggregator.rounds);
	const wanted = prices.filter(({ answer }) => answer > 0n).length;
	let known = 0;
	for (let round = 0; round < ROUNDS_MAX; round++) {
		await lab.runJob("prices.poll");
		await lab.runJob("prices.history");
		const [row] = await db.query<{ known: number }>(
			"select count(*)::int as known from prices.round",
		);
		known = row?.known ?? 0;
		if (known === wanted) return;
	}
	throw new Error(`${known} rounds were read, and not ${wanted}`);
}

/** Waits until events that were stored before their rate was known have their price. */
export async function arePriced({ lab, feeds }: OracleLab): Promise<void> {
	const { db } = lab.database;
	let left: string[] = [];
	await until(
		async () => {
			const rows = await db.query<{ chain: string; currency: Buffer; at: Date }>(
				`select case chain_id when 33139 then 'apechain' when 1 then 'ethereum' else 'base' end
						as chain, currency, occurred_at as at
				from market_index.event
				where total_native is null and total_raw > 0 and currency is not null`,
			);
			left = rows.flatMap(({ chain, currency, at }) => {
				const rates = createRates(feeds.all, chain);
				const isPriced = rates.weiOf(`0x${currency.toString("hex")}`, 1n, at.getTime()) !== null;
				return isPriced ? [at.toISOString()] : [];
			});
			if (left.length > 0 && feeds.all.length > 0) await lab.runJob("prices.retell");
			return left.length === 0;
		},
		() => `what was sold at ${left.slice(0, 5)} has a price`,
	);
}
