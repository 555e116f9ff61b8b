import { areWalked, type OracleLab } from "#test/e2e/oracle/openOracleLab.ts";
import { until } from "#test/harness/until.ts";

const BASE_ID = 8_453;

/**
 * Waits until the service has read all of its chain: each lane to the head with nothing owed below,
 * and each contract's owners where it walks them. After that it learns only from the provider's
 * answers, which the oracle sees.
 */
export async function areLevel({ lab, seed }: OracleLab): Promise<void> {
	const { db } = lab.database;
	const isWalked = areWalked(seed);
	const lanes = isWalked ? ["sale", "mint", "transfer"] : ["sale", "mint"];
	const head = lab.node("base").head();
	let left: string[] = [];
	await until(
		async () => {
			const rows = await db.query<{ what: string }>(
				`select wanted.lane as what from unnest($2::text[]) as wanted (lane)
				left join chain_scanner.cursor as c on c.chain_id = $1 and c.lane = wanted.lane
				where coalesce(c.block_number, 0) < $3
				union all
				select lane || ' owes' from chain_scanner.gap
				where chain_id = $1 and lane = any($2::text[])
				union all
				select 'a walk of ' || c.slug || coalesce(' at ' || o.next_block, '')
				from market_index.collection as c
				left join market_index.ownership as o on o.collection_id = c.id
				where $4 and c.chain_id = $1 and not c.excluded
					and coalesce(o.next_block, 0) <= coalesce(o.end_block, 0)`,
				[BASE_ID, lanes, head, isWalked],
			);
			left = rows.map(({ what }) => what);
			return left.length === 0;
		},
		() => `everything up to block ${head} was read, and not ${left.slice(0, 5)}`,
	);
}
