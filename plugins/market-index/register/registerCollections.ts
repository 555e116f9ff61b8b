import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { JobQueue } from "#core/queue/JobQueue.ts";
import { collectionJobs, owedNamesJob } from "#plugins/market-index/metadata/metadataJobs.ts";

/** A contract that was met, with what is known of it already. */
export type MetContract = {
	address: Address;
	standard: "erc721" | "erc1155";
	name?: string | null;
	imageUrl?: string | null;
};

export type Registration = {
	chainId: number;
	contracts: readonly MetContract[];
	/** True where lanes are behind: names wait, and one job of the chain covers all. */
	areOwed?: boolean;
};

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
