import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { isRowsRefused } from "#core/db/isRowsRefused.ts";
import type { Core } from "#core/plugin/Core.ts";
import { contractDocumentJob } from "#plugins/market-index/jobs/contractDocumentJob.ts";
import { slugOf } from "#plugins/market-index/metadata/slugOf.ts";
import { renameCollections } from "#plugins/market-index/sql/renameCollections.ts";

/** What a collection's contract says of itself. */
export type ContractFacts = {
	/** The collection as it was when its contract was asked. */
	id: number;
	address: Address;
	slug: string;
	/** True: it was never asked before. */
	isFirst: boolean;
	name: string | null;
	imageUrl: string | null;
	/** The URL of the contract's metadata document (`contractURI`), where it is not embedded. */
	documentUri: string | null;
	maxSupply: bigint | null;
	totalSupply: bigint | null;
};

type StoringCore = Pick<Core, "db" | "queue" | "clock">;

/**
 * Stores what contracts of one chain say, and gives them slugs by it, in one transaction. Returns
 * those that the database refused: they count as asked, and the others are stored.
 *
 * A collection that another transaction is writing now is stored afterwards, alone: lanes write
 * many in an order of their own, and two that wait for each other's rows would stop for a second.
 */
export async function storeFacts(
	core: StoringCore,
	chainId: number,
	facts: readonly ContractFacts[],
): Promise<{ refused: { row: ContractFacts; error: unknown }[] }> {
	const refused: { row: ContractFacts; error: unknown }[] = [];
	for (const row of await storeTogether(core, chainId, facts)) {
		try {
			await core.db.transaction((tx) => store(core, tx, { chainId, facts: [row] }));
		} catch (error) {
			if (!isRowsRefused(error)) throw error;
			await core.db.execute(
				"update market_index.collection set metadata_at = coalesce(metadata_at, $2) where id = $1",
				[row.id, new Date(core.clock.nowMs())],
			);
			refused.push({ row, error });
		}
	}
	return { refused };
}

/** Returns those that are left to be stored one by one. */
async function storeTogether(
	core: StoringCore,
	chainId: number,
	facts: readonly ContractFacts[],
): Promise<readonly ContractFacts[]> {
	if (facts.length < 2) return facts;
	try {
		return await core.db.transaction(async (tx) => {
			const rows = await tx.query<{ id: number }>(
				`select id from market_index.collection where id = any($1::int4[])
				for update skip locked`,
				[facts.map(({ id }) => id)],
			);
			const free = new Set(rows.map(({ id }) => id));
			const [now, later] = [
				facts.filter(({ id }) => free.has(id)),
				facts.filter(({ id }) => !free.has(id)),
			];
			await store(core, tx, { chainId, facts: now });
			return later;
		});
	} catch (error) {
		if (isRowsRefused(error)) return facts;
		throw error;
	}
}

/**
 * Stores in one round trip: while a chain is being caught up, thousands of collections are named.
 */
async function store(
	core: StoringCore,
	tx: Tx,
	{ chainId, facts }: { chainId: number; facts: readonly ContractFacts[] },
): Promise<void> {
	if (facts.length === 0) return;
	// A missing answer never erases an earlier one. Names from the provider were checked by people,
	// so they stay.
	const told = tx.execute(
		`update market_index.collection as mine set
			name = case when provider_row is null then coalesce(given.name, mine.name)
				else coalesce(mine.name, given.name) end,
			image_url = case when provider_row is null then coalesce(given.image, mine.image_url)
				else coalesce(mine.image_url, given.image) end,
			max_supply = coalesce(given.max_supply, mine.max_supply),
			total_supply = coalesce(given.total_supply, mine.total_supply),
			supply_at = case when given.total_supply is null then supply_at else $6 end,
			supply_mints = mints,
			metadata_at = coalesce(metadata_at, $6)
		from unnest($1::int4[], $2::text[], $3::text[], $4::numeric[], $5::numeric[])
			as given (id, name, image, max_supply, total_supply)
		where mine.id = given.id`,
		[
			facts.map(({ id }) => id),
			facts.map(({ name }) => name),
			facts.map(({ imageUrl }) => imageUrl),
			facts.map(({ maxSupply }) => maxSupply),
			facts.map(({ totalSupply }) => totalSupply),
			new Date(core.clock.nowMs()),
		],
	);
	// Once: a contract that changes its name at every block must not take every slug.
	const wishes = facts.flatMap(({ id, name, slug, address }) => {
		const wish = name === null || slug !== address ? null : slugOf(name);
		return wish === null ? [] : { collectionId: id, wish };
	});
	const documents = facts.flatMap(({ id, isFirst, documentUri }) => {
		return isFirst && documentUri !== null ? contractDocumentJob(id, documentUri) : [];
	});
	await Promise.all([
		told,
		renameCollections(tx, { chainId, wishes }),
		core.queue.add(tx, documents),
	]);
}
