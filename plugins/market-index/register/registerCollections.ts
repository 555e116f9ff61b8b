// Registers new collections with their first jobs, and queues those again that never ended.

import { z } from "zod";
import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Database, Queryable, Tx } from "#core/db/Database.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { JobQueue } from "#core/queue.ts";
import type { Job } from "#core/schedule.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import type { KnownCollection } from "#plugins/market-index/event/MarketEvent.ts";
import { byLevel } from "#plugins/market-index/jobs/collectionMetadataTask.ts";
import {
	collectionJobs,
	owedNamesJob,
	repairJobs,
} from "#plugins/market-index/metadata/metadataJobs.ts";
import { storablePayload } from "#plugins/market-index/payload.ts";
import {
	findCollections,
	ROUTABLE_SLUG,
	renameCollections,
} from "#plugins/market-index/sql/collectionNames.ts";
import { learnTokensJob } from "#plugins/market-index/tokens/tokenJobs.ts";
import type { ProviderCollection } from "#plugins/provider/contract.ts";

/** A contract that was met, with what is known of it already. */
export type MetContract = {
	address: Address;
	standard: "erc721" | "erc1155";
	name?: string | null;
	imageUrl?: string | null;
};

type Registration = {
	chainId: number;
	contracts: readonly MetContract[];
	/** True where lanes are behind: names wait, and one job of the chain covers all. */
	areOwed?: boolean;
};

/** A row of the provider's lists that names a contract. */
type Listed = Pick<ListedRow, "slug" | "name" | "imageUrl"> & { chainId: number; address: Address };

type Resolving = {
	chainId: number;
	contracts: ReadonlyMap<Address, "erc721" | "erc1155">;
	/** As in `Registration`. */
	areOwed?: boolean;
};

/** A row of the provider's list as it is stored, in the provider's order. */
export const listedRowSchema = z.object({
	/** The provider's slug. */
	slug: z.string(),
	/** The chain by the provider: the list's chain if the collection is there too. */
	chainId: z.int().nullable(),
	address: z.templateLiteral(["0x", z.string()]).nullable(),
	/** True where it has other contracts too: its figures are then none of this contract's. */
	isShared: z.boolean(),
	name: z.string().nullable(),
	imageUrl: z.string().nullable(),
	/** The provider's row, without what may not be shown. */
	raw: z.record(z.string(), z.unknown()),
});

export type ListedRow = z.output<typeof listedRowSchema>;

/** Collections that one transaction registers: each takes a name, under a lock. */
const PER_TRANSACTION_MAX = 25;

// Queues first jobs again for collections whose metadata or tokens never arrived.

/**
 * Limits the search for collections that lack metadata or tokens: how often, how long after
 * registration, and how many of either are queued at once.
 */
const REPAIR_EVERY_MS = 600_000;
export const LACKING_AFTER_MS = 600_000;
const REPAIRED_PER_TICK_MAX = 2_000;

/**
 * Registers the contracts of a chain that the index does not have, under their addresses and as
 * `queued`, and queues the jobs for their metadata, tokens, traits and ranks. Returns the new ones.
 *
 * It is the only writer of new collections, so none is left without these jobs: they commit with
 * the row or not at all. Rows are written in order of address: lanes and the provider's lists
 * register at the same time, and only lanes hold the chain's lock.
 */
export async function registerCollections(
	tx: Tx,
	queue: JobQueue,
	{ chainId, contracts, areOwed = false }: Registration,
): Promise<{ id: number; address: Address }[]> {
	if (contracts.length === 0) return [];
	const fresh = await tx.query<{ id: number; address: Address }>(
		`insert into market_index.collection (chain_id, address, slug, standard, name, image_url)
		select distinct on (address) $1, decode(substr(address, 3), 'hex'), address, standard, name,
			image
		from unnest($2::text[], $3::text[], $4::text[], $5::text[])
			as given (address, standard, name, image)
		order by address
		on conflict do nothing
		returning id, '0x' || encode(address, 'hex') as address`,
		[
			chainId,
			contracts.map(({ address }) => address),
			contracts.map(({ standard }) => standard),
			contracts.map(({ name }) => name ?? null),
			contracts.map(({ imageUrl }) => imageUrl ?? null),
		],
	);
	const jobs = areOwed ? [owedNamesJob(chainId)] : collectionJobs(fresh);
	if (fresh.length > 0) await queue.add(tx, jobs);
	return fresh;
}

/**
 * Returns one row for each collection, in the given order; collections that the provider took down
 * are left out.
 */
export function listedRows(chainId: number, listed: readonly ProviderCollection[]): ListedRow[] {
	const rows = new Map<string, ListedRow>();
	for (const { slug, name, imageUrl, contracts, isDisabled, raw } of listed) {
		if (isDisabled || rows.has(slug)) continue;
		const own = contracts.find((contract) => contract.chainId === chainId) ?? contracts[0];
		rows.set(slug, {
			slug,
			chainId: own?.chainId ?? null,
			address: own?.address ?? null,
			isShared: contracts.length > 1,
			name,
			imageUrl,
			raw: { ...storablePayload(raw) },
		});
	}
	return [...rows.values()];
}

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

/**
 * Finds the collections of contracts, registering new ones. The chain's lock is held, so no lane
 * registers the same one meanwhile; the provider's lists may.
 */
export async function resolveCollections(
	tx: Tx,
	queue: JobQueue,
	{ chainId, contracts, areOwed = false }: Resolving,
): Promise<Map<Address, KnownCollection>> {
	const found = await findCollections(tx, chainId, [...contracts.keys()]);
	const known = new Map(found.map((collection) => [collection.address, collection]));
	const missing = [...contracts].flatMap(([address, standard]) => {
		return known.has(address) ? [] : { address, standard };
	});
	if (missing.length === 0) return known;
	const fresh = await registerCollections(tx, queue, { chainId, contracts: missing, areOwed });
	const isFresh = new Set(fresh.map(({ id }) => id));
	const addresses = missing.map(({ address }) => address);
	for (const collection of await findCollections(tx, chainId, addresses)) {
		known.set(collection.address, { ...collection, isNew: isFresh.has(collection.id) });
	}
	return known;
}

/**
 * Makes a job that queues first jobs of collections again that never finished: jobs that an older
 * release did not queue, and jobs that were given up while a node was away.
 */
export function repairJob({
	db,
	clock,
	queue,
	indexed,
	log,
	scanner,
}: Pick<Core, "db" | "clock" | "queue" | "indexed" | "log"> & {
	scanner: Pick<Scanner, "progress">;
}): Job {
	return {
		name: "market-index.repair",
		schedule: { everyMs: REPAIR_EVERY_MS },
		lock: "cluster",
		timeoutMs: REPAIR_EVERY_MS,
		async run() {
			const chainIds = indexed.map(({ chain }) => chain.id);
			const { level, behind } = await byLevel(scanner, chainIds);
			const { unread, unlearned } = await lackingJobs(db, {
				...{ indexed: chainIds, level },
				before: new Date(clock.nowMs() - LACKING_AFTER_MS),
				limit: REPAIRED_PER_TICK_MAX,
			});
			// A chain that owes names has this job queued already, unless it was given up.
			const owed = behind.map((chainId) => owedNamesJob(chainId));
			if (owed.length > 0) await db.transaction((tx) => queue.add(tx, owed));
			if (unread.length + unlearned.length === 0) return;
			log.info("collections lack what follows from their registration", {
				unread: unread.length,
				unlearned: unlearned.length,
			});
			const learning = unlearned.map((id) => learnTokensJob(id));
			await db.transaction((tx) => queue.add(tx, [...repairJobs(unread), ...learning]));
		},
	};
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
		return wish !== undefined && ROUTABLE_SLUG.test(wish) ? { collectionId: id, wish } : [];
	});
	await renameCollections(tx, { chainId, wishes });
}

/**
 * Returns collections registered before a time whose first jobs never finished: `unread` were
 * never asked what their contract says, `unlearned` never had their tokens looked for. The first
 * few of each, by the index `collection_lacking`.
 *
 * Contracts of chains that are not indexed here cannot be asked; their tokens can be looked for.
 * Of those that are, only `level` ones are: the others' names are owed.
 */
async function lackingJobs(
	db: Queryable,
	query: { indexed: readonly number[]; level: readonly number[]; before: Date; limit: number },
): Promise<{ unread: number[]; unlearned: number[] }> {
	const { indexed, level, before, limit } = query;
	const [unread, unlearned] = await Promise.all([
		db.query<{ id: number }>(
			`select id from market_index.collection
			where metadata_at is null and chain_id = any($1::int8[])
				and not excluded and registered_at < $2
			order by id limit $3`,
			[level, before, limit],
		),
		db.query<{ id: number }>(
			`select id from market_index.collection
			where learned_at is null and (metadata_at is not null or chain_id <> all($1::int8[]))
				and not excluded and registered_at < $2
			order by id limit $3`,
			[indexed, before, limit],
		),
	]);
	const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);
	return { unread: idsOf(unread), unlearned: idsOf(unlearned) };
}
