import type { Address } from "#core/chain/Hex.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import type { ListedRow } from "#plugins/market-index/discovery/ListedRow.ts";
import { renameCollection } from "#plugins/market-index/sql/renameCollection.ts";

type Listed = ListedRow & { address: Address };

/** Collections that one transaction registers: each takes a name, under a lock. */
const PER_TRANSACTION_MAX = 25;

/**
 * Registers the listed contracts of a chain that the index has not met, except where another chain
 * holds a collection of that slug already. Answers the new ones.
 */
export async function registerListed(
	db: Database,
	chainId: number,
	rows: readonly ListedRow[],
): Promise<number[]> {
	const here = rows.filter((row): row is Listed => row.chainId === chainId && row.address !== null);
	const strangers = await findStrangers(db, chainId, here);
	const ids: number[] = [];
	for (let at = 0; at < strangers.length; at += PER_TRANSACTION_MAX) {
		const part = strangers.slice(at, at + PER_TRANSACTION_MAX);
		ids.push(...(await db.transaction((tx) => register(tx, chainId, part))));
	}
	return ids;
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

async function register(tx: Tx, chainId: number, rows: readonly Listed[]): Promise<number[]> {
	const fresh = await tx.query<{ id: number; address: Address }>(
		`insert into market_index.collection (chain_id, address, slug, standard, name, image_url)
		select distinct on (address) $1, address, '0x' || encode(address, 'hex'), 'erc721', name, image
		from unnest($2::bytea[], $3::text[], $4::text[]) as given (address, name, image)
		order by address
		on conflict do nothing
		returning id, '0x' || encode(address, 'hex') as address`,
		[
			chainId,
			rows.map(({ address }) => bytesOf(address)),
			rows.map(({ name }) => name),
			rows.map(({ imageUrl }) => imageUrl),
		],
	);
	const slugs = new Map(rows.map(({ address, slug }) => [address, slug]));
	// Before any name: whoever syncs takes the provider's slug first as well, and then the lock of
	// names. Two contracts of one slug: the first has it, and the sync finds out about the other.
	for (const { id, address } of fresh) {
		await tx.execute(
			`insert into market_index.sync (collection_id, chain_id, provider_slug)
			values ($1, $2, $3) on conflict do nothing`,
			[id, chainId, slugs.get(address) ?? null],
		);
	}
	for (const { id, address } of fresh) {
		const slug = slugs.get(address);
		if (slug !== undefined && ROUTABLE.test(slug)) {
			await renameCollection(tx, { chainId, collectionId: id, wish: slug });
		}
	}
	return fresh.map(({ id }) => id);
}

/** Slugs that routes take, and that are no address: that would lead to another contract. */
const ROUTABLE = /^(?!0x[0-9a-f]*$)[a-z0-9][a-z0-9_.-]{0,127}$/;

function bytesOf(address: Address): Buffer {
	return Buffer.from(address.slice(2), "hex");
}
