// Makes a lab with a chain, a lane and the merge of a provider's events.

import type { Chain } from "#core/chain/Chain.ts";
import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import { createApplierLab } from "#plugins/market-index/apply/testing/applierLab.ts";
import { mergeEvents } from "#plugins/market-index/merge/mergeEvents.ts";
import { ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";

/** Blocks of the lab's chain come every twelve seconds. */
const BLOCK_MS = 12_000;
export const HEAD_BLOCK = 20_000_000;

/** When a block of the lab's chain was. */
export function timeOf(blockNumber: number): number {
	return NOW_MS - (HEAD_BLOCK - blockNumber) * BLOCK_MS;
}

type StoredRow = {
	kind: string;
	token: string;
	hash: string;
	verified: boolean;
	venue: string | null;
	payload: unknown;
};

const KINDS = ["", "sale", "mint", "transfer"];

/** The applier's lab with a provider beside the chain. */
export function createMergeLab(db: Database) {
	const lab = createApplierLab(db);
	const head = { block: HEAD_BLOCK as number | null };
	const merge = mergeEvents({
		...lab.options,
		db,
		record: lab.applier,
		providerId: "opensea",
		keptFromMs: () => Date.UTC(2020, 0, 1),
		scanner: {
			progress: async (chainId, lane) => {
				return { chainId, lane, headBlock: head.block, indexedBlock: null, indexedAtMs: null };
			},
			async lock(tx, chainId) {
				await tx.execute("select pg_advisory_xact_lock($1)", [chainId]);
			},
		},
	});
	return {
		...lab,
		head,
		/** A collection that the provider knows: it stays, whatever leaves the chain. */
		async register(address: Address, standard = "erc721", chain: Chain = ethereum) {
			const rows = await db.query<{ id: number }>(
				`insert into market_index.collection (chain_id, address, slug, standard, last_provider_at)
				values ($1, $2, $3, $4, now()) returning id`,
				[chain.id, bytesOf(address), address, standard],
			);
			return { id: rows[0]?.id ?? 0, chainId: chain.id, address };
		},
		merge,
		/** Everything that is stored, oldest first. */
		async rows(): Promise<StoredRow[]> {
			const rows = await db.query<Omit<StoredRow, "kind"> & { kind: number }>(
				`select kind, token_id::text as token, '0x' || encode(transaction_hash, 'hex') as hash,
					onchain_verified as verified, venue, payload
				from market_index.event order by occurred_at, kind, token_id, transaction_hash`,
			);
			return rows.map((row) => ({ ...row, kind: KINDS[row.kind] ?? "" }));
		},
		async unconfirmed(): Promise<number> {
			const rows = await db.query<{ count: number }>(
				"select count(*)::int4 as count from market_index.unconfirmed",
			);
			return rows[0]?.count ?? 0;
		},
	};
}
