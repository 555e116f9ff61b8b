import type { Queryable } from "#core/db/Database.ts";
import type { SimBlock } from "#test/sim/chain/SimBlock.ts";

/** What keeps an index from being whole up to this block, in words; null when nothing does. */
export async function whatIsOwed(
	db: Queryable,
	chainId: number,
	head: SimBlock | undefined,
): Promise<string | null> {
	const lanes = await db.query<{
		lane: string;
		block: number;
		hash: string;
		gaps: number;
		missing: number;
	}>(
		`select lane, block_number as block, '0x' || encode(block_hash, 'hex') as hash,
			(select count(*) from chain_scanner.gap where chain_id = $1) as gaps,
			(select coalesce(sum(to_block - from_block + 1), 0)::int8 from chain_scanner.gap
				where chain_id = $1) as missing
		from chain_scanner.cursor where chain_id = $1`,
		[chainId],
	);
	const owed = lanes.flatMap(({ lane, block, hash, gaps, missing }) => {
		const where = `the ${lane} lane is at ${block} ${hash.slice(0, 10)}`;
		if (block !== head?.number || hash !== head.hash) return [`${where}, not at ${head?.number}`];
		return gaps > 0 ? [`${where}, and ${gaps} gaps of ${missing} blocks are owed`] : [];
	});
	if (lanes.length < 2) return `only ${lanes.length} lanes have begun`;
	return owed.length > 0 ? owed.join("; ") : null;
}
