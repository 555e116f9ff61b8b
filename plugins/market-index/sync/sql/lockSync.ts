import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";

/** What a sync knows of its collection when it begins. */
export type SyncRow = {
	id: number;
	chainId: number;
	address: Address;
	slug: string;
	status: string;
	registeredAt: Date;
	providerSlug: string | null;
	startedAt: Date | null;
	syncedAt: Date | null;
	failures: number;
	/** True where no sync ever succeeded: its first one also brings the recent sales. */
	isFirst: boolean;
	/** The answers of a sync that did not end; `partsOf` reads it. */
	parts: unknown;
};

/** Locks the sync of a collection until the transaction ends; its row first, as everywhere. */
export async function lockSync(tx: Tx, collectionId: number): Promise<SyncRow | null> {
	await tx.execute(
		`insert into market_index.sync (collection_id, chain_id)
		select id, chain_id from market_index.collection where id = $1
		on conflict do nothing`,
		[collectionId],
	);
	await tx.query("select from market_index.sync where collection_id = $1 for update", [
		collectionId,
	]);
	const rows = await tx.query<SyncRow>(
		`select c.id, c.chain_id as "chainId", '0x' || encode(c.address, 'hex') as address, c.slug,
			c.sync_status as status, c.registered_at as "registeredAt",
			s.provider_slug as "providerSlug", s.started_at as "startedAt",
			s.synced_at as "syncedAt", s.failures, s.synced_at is null as "isFirst", s.parts
		from market_index.sync as s join market_index.collection as c on c.id = s.collection_id
		where s.collection_id = $1 and not c.excluded`,
		[collectionId],
	);
	return rows[0] ?? null;
}
