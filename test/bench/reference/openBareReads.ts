import { Client } from "pg";
import { DAY_MS } from "#core/time.ts";
import type { Ask } from "#test/bench/measure/openMarketService.ts";

const SUMS = `cross join lateral (
		select sum(sales) as sales, sum(volume) as volume from market_index.rollup_hour
		where collection_id = c.id and bucket >= $1::timestamptz
	) as day`;

const LIST = `select row ->> 'slug' as slug, row -> 'raw' as raw, c.*, day.*
	from market_index.discovery_list as list
	cross join lateral (
		select * from jsonb_array_elements(list.rows) with ordinality as r (row, place) limit 50
	) as r
	join market_index.collection as c on c.chain_id = list.chain_id
		and c.address = decode(substr(row ->> 'address', 3), 'hex')
	${SUMS}
	where list.chain_id = 1 and list.mode = 'v1:worker:trending' order by place`;

const DETAIL = `select c.*, day.*
	from market_index.collection as c ${SUMS}
	where c.chain_id = any('{1,8453}') and c.slug = $2`;

/**
 * Opens the least that the pages could do: one statement, prepared once, and its rows as JSON. No
 * routing, no check, no coverage, no freshness, no conversion of units.
 */
export async function openBareReads(
	connectionString: string,
	nowMs: number,
): Promise<{ ask: Ask; close(): Promise<void> }> {
	const client = new Client({ connectionString });
	await client.connect();
	const since = new Date(nowMs - DAY_MS);
	return {
		async ask(path) {
			const slug = /^\/collections\/([^?]+)$/.exec(path)?.[1];
			const { rows } = await client.query(
				slug === undefined
					? { name: "list", text: LIST, values: [since] }
					: { name: "detail", text: DETAIL, values: [since, slug] },
			);
			if (rows.length === 0) throw new Error(`${path}: no rows`);
			return JSON.stringify(rows);
		},
		close: () => client.end(),
	};
}
