// Makes the queued jobs that read names and supplies, and cleans names.

import type { Chain } from "#core/chain/Chain.ts";
import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { cleanLine } from "#core/outside.ts";
import type { NewJob } from "#core/queue.ts";
import {
	type EventRow,
	foreignCurrencies,
	type KnownCollection,
} from "#plugins/market-index/event/MarketEvent.ts";

/** Characters kept of a contract's name or image. */
const NAME_LENGTH_MAX = 256;
export const IMAGE_LENGTH_MAX = 32_768;

/**
 * The delay after a mint until a contract is asked for its supply again, once for all mints until
 * then.
 */
const SUPPLY_REFRESH_MS = 10_000;

/** The shortest rest between missing names while a lane is behind. */
export const OWED_REST_MIN_MS = 1_000;

/** Contracts of one metadata job: their four views each fill one request of 100 calls. */
export const COLLECTIONS_PER_JOB_MAX = 25;

export const COLLECTION_METADATA_TASK = "market-index.collection-metadata";
export const OWED_NAMES_TASK = "market-index.owed-names";
export const CURRENCY_METADATA_TASK = "market-index.currency-metadata";

/** Names can wait: jobs that move a figure go first. */
const LOW_PRIORITY = 10;

/** The interval at which a job checks whether the chain that it needs is back in `CHAINS`. */
export const CHAIN_AWAY_MS = 86_400_000;

const SLUG_LENGTH_MAX = 64;

/** Returns a name from a stranger as one clean line of at most 256 characters, or null. */
export function cleanName(text: string | null): string | null {
	return cleanLine(text, { lengthMax: NAME_LENGTH_MAX });
}

/**
 * Returns the job for all contracts of a chain that were never asked what they say of themselves. A
 * waiting one keeps its time: lanes that are behind queue it with each range.
 */
export function owedNamesJob(
	chainId: number,
	{ afterId = 0, delayMs = OWED_REST_MIN_MS }: { afterId?: number; delayMs?: number } = {},
): NewJob {
	return {
		task: OWED_NAMES_TASK,
		payload: { chainId, afterId },
		key: `${OWED_NAMES_TASK}:${chainId}`,
		priority: LOW_PRIORITY,
		delayMs,
		keepsTime: true,
	};
}

/**
 * Returns the same jobs for collections that were registered long ago. They have keys of their own
 * and keep the time of a queued job: one that waits for an unavailable node goes on waiting.
 */
export function repairJobs(collectionIds: readonly number[]): NewJob[] {
	return collectionJobs(collectionIds.map((id) => ({ id }))).map((job) => {
		return { ...job, key: `${job.key}:repair`, keepsTime: true };
	});
}

/**
 * Returns jobs for newly registered collections, which read what their contracts say of themselves.
 * A block with many of them asks the node in few requests.
 */
export function collectionJobs(fresh: readonly Pick<KnownCollection, "id">[]): NewJob[] {
	const jobs: NewJob[] = [];
	for (let at = 0; at < fresh.length; at += COLLECTIONS_PER_JOB_MAX) {
		const collectionIds = fresh.slice(at, at + COLLECTIONS_PER_JOB_MAX).map(({ id }) => id);
		jobs.push({
			task: COLLECTION_METADATA_TASK,
			payload: { collectionIds },
			key: `${COLLECTION_METADATA_TASK}:${collectionIds[0]}`,
			priority: LOW_PRIORITY,
		});
	}
	return jobs;
}

/**
 * Returns a job for each collection that minted: its contract is asked again a little later. The
 * first mint decides when, so that mints at every block do not postpone it forever.
 */
export function supplyJobs(minted: Iterable<number>): NewJob[] {
	return [...minted].map((collectionId) => ({
		task: COLLECTION_METADATA_TASK,
		payload: { collectionIds: [collectionId] },
		key: `${COLLECTION_METADATA_TASK}:${collectionId}:again`,
		priority: LOW_PRIORITY,
		delayMs: SUPPLY_REFRESH_MS,
		keepsTime: true,
	}));
}

/**
 * Returns a job for each ERC-20 that is paid with for the first time, which reads its symbol and
 * decimals.
 */
export async function currencyJobs(
	tx: Tx,
	chain: Chain,
	events: readonly EventRow[],
): Promise<NewJob[]> {
	const paidWith = foreignCurrencies(events);
	if (paidWith.length === 0) return [];
	const rows = await tx.query<{ address: Address }>(
		`insert into market_index.currency (chain_id, address)
		select $1, address from unnest($2::bytea[]) as given (address)
		where not exists (
			select from market_index.currency as kept
			where kept.chain_id = $1 and kept.address = given.address
		)
		on conflict do nothing
		returning '0x' || encode(address, 'hex') as address`,
		[chain.id, paidWith.map((address) => bytesOf(address))],
	);
	return rows.map(({ address }) => currencyJob(chain.id, address));
}

/** Returns the job for one ERC-20. */
export function currencyJob(chainId: number, address: Address): NewJob {
	return {
		task: CURRENCY_METADATA_TASK,
		payload: { chainId, address },
		key: `${CURRENCY_METADATA_TASK}:${chainId}:${address}`,
		priority: LOW_PRIORITY,
	};
}

/**
 * Returns a name as a slug: lower-case letters, digits and dashes. Null where nothing is left, and
 * where the result looks like an address: it must never hide another contract.
 */
export function slugOf(name: string): string | null {
	const slug = name
		.normalize("NFKD")
		.replace(/\p{M}+/gu, "")
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, "-")
		.slice(0, SLUG_LENGTH_MAX)
		.replace(/^-+|-+$/g, "");
	return slug === "" || /^0x[0-9a-f]*$/.test(slug) ? null : slug;
}
