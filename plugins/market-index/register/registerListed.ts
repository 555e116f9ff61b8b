import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import type { JobQueue } from "#core/queue/JobQueue.ts";
import type { ListedRow } from "#plugins/market-index/register/ListedRow.ts";
import { registerCollections } from "#plugins/market-index/register/registerCollections.ts";
import { renameCollections } from "#plugins/market-index/sql/renameCollections.ts";

/** A row of the provider's lists that names a contract. */
type Listed = Pick<ListedRow, "slug" | "name" | "imageUrl"> & { chainId: number; address: Address };

/** Collections that one transaction registers: each takes a name, under a lock. */
const PER_TRANSACTION_MAX = 25;

/**
 * Registers the listed contracts of these chains that the index has not met, except where another
 * chain holds a collection of that slug already. Each takes the provider's slug.
 */
export async function registerListed(
	{ db, queue }: { db: Database; queue: JobQueue },
	chainIds: readonly number[],
	rows: readonly ListedRow[],
): Promise<void> {
	const named = rows.flatMap(({ slug, name, imageUrl, chainId, address }) => {
		return chainId === null || address === null ? [] : { slug, name, imageUrl, chainId, address };
	});
	for (const [chainId, here] of Map.groupBy(named, (row) => row.chainId)) {
		if (!chainIds.includes(chainId)) continue;
		const strangers = await findStrangers(db, chainId, here);
		for (let at = 0; at < strangers.length; at += PER_TRANSACTION_MAX) {
			const part = strangers.slice(at, at + PER_TRANSACTION_MAX);
			await db.transaction((tx) => register(tx, queue, { chainId, rows: part }));
		}
	}
}

async function findStrangers(
	db: Database,
	chainId: number,
	rows: readonly Listed[],
): Promise<Listed[]> {
	if (rows.length === 0) return [];
	const known = await db.query<{ place: number }>(
		`select place::int4 from unnest($2::text[], $3::bytea[]) with ordinality
			as given (slug, address, place)
		where exists (
				select from market_index.collection as own
				where own.chain_id = $1 and own.address = given.address
			)
			or exists (
				select from market_index.sync as other
				where other.provider_slug = given.slug and other.chain_id <> $1
			)`,
		[chainId, rows.map(({ slug }) => slug), rows.map(({ address }) => bytesOf(address))],
	);
	const places = new Set(known.map(({ place }) => place - 1));
	return rows.filter((_, place) => !places.has(place));
}

async function register(
	tx: Tx,
	queue: JobQueue,
	{ chainId, rows }: { chainId: number; rows: readonly Listed[] },
): Promise<void> {
	const contracts = rows.map(({ address, name, imageUrl }) => {
		return { address, standard: "erc721" as const, name, imageUrl };
	});
	const fresh = await registerCollections(tx, queue, { chainId, contracts });
	const slugs = new Map(rows.map(({ address, slug }) => [address, slug]));
	// Before any name: a sync, too, takes the provider's slug first and then the lock of names. Of
	// two contracts with one slug the first has it, and the sync finds out about the other.
	for (const { id, address } of fresh) {
		await tx.execute(
			`insert into market_index.sync (collection_id, chain_id, provider_slug)
			values ($1, $2, $3) on conflict do nothing`,
			[id, chainId, slugs.get(address) ?? null],
		);
	}
	const wishes = fresh.flatMap(({ id, address }) => {
		const wish = slugs.get(address);
		return wish !== undefined && ROUTABLE.test(wish) ? { collectionId: id, wish } : [];
	});
	await renameCollections(tx, { chainId, wishes });
}

/** Slugs that routes accept, without addresses: one would lead to another contract. */
const ROUTABLE = /^(?!0x[0-9a-f]*$)[a-z0-9][a-z0-9_.-]{0,127}$/;
