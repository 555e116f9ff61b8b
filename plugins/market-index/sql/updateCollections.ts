import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { AMOUNT_MAX } from "#plugins/market-index/apply/capAmount.ts";

/** What one batch adds to a collection's own figures. */
export type CollectionChange = {
	collectionId: number;
	mints: number;
	mintedUnits: bigint;
	firstMintAtMs: number | null;
	/** The latest time, which on a chain whose clock goes back is not that of the last mint. */
	lastMintAtMs: number | null;
	lastMint: { position: bigint; totalRaw: bigint | null; quantity: bigint } | null;
	sales: number;
	volume: bigint;
	lastSale: {
		atMs: number;
		position: bigint;
		tokenId: bigint;
		unitNative: bigint | null;
		transactionHash: Hex;
	} | null;
};

/**
 * Adds changes to collections, by primary key. The last mint and the last sale are those with the
 * greatest position, so a batch from the past (backfill) never replaces a newer one.
 */
export async function updateCollections(
	tx: Tx,
	changes: readonly CollectionChange[],
): Promise<void> {
	if (changes.length === 0) return;
	const at = (ms: number | null | undefined) => (ms == null ? null : new Date(ms));
	await tx.execute(
		`update market_index.collection as kept set
			mints = kept.mints + given.mints,
			minted_units = least(kept.minted_units + given.minted_units, ${AMOUNT_MAX}),
			first_mint_at = least(kept.first_mint_at, given.first_mint_at),
			last_mint_at = greatest(kept.last_mint_at, given.last_mint_at),
			last_mint_position = greatest(kept.last_mint_position, given.last_mint_position),
			${newest("mint", "total_raw")},
			${newest("mint", "quantity")},
			sales = kept.sales + given.sales,
			volume_native = least(kept.volume_native + given.volume, ${AMOUNT_MAX}),
			last_sale_position = greatest(kept.last_sale_position, given.last_sale_position),
			${newest("sale", "at")},
			${newest("sale", "token_id")},
			${newest("sale", "unit_native")},
			${newest("sale", "transaction")}
		from unnest(
			$1::int4[], $2::int8[], $3::numeric[], $4::timestamptz[], $5::timestamptz[], $6::int8[],
			$7::numeric[], $8::numeric[], $9::int8[], $10::numeric[], $11::timestamptz[], $12::int8[],
			$13::numeric[], $14::numeric[], $15::bytea[]
		) as given (
			id, mints, minted_units, first_mint_at, last_mint_at, last_mint_position,
			last_mint_total_raw, last_mint_quantity, sales, volume, last_sale_at, last_sale_position,
			last_sale_token_id, last_sale_unit_native, last_sale_transaction
		)
		where kept.id = given.id`,
		[
			changes.map((change) => change.collectionId),
			changes.map((change) => change.mints),
			changes.map((change) => change.mintedUnits),
			changes.map((change) => at(change.firstMintAtMs)),
			changes.map((change) => at(change.lastMintAtMs)),
			changes.map((change) => change.lastMint?.position ?? null),
			changes.map((change) => change.lastMint?.totalRaw ?? null),
			changes.map((change) => change.lastMint?.quantity ?? null),
			changes.map((change) => change.sales),
			changes.map((change) => change.volume),
			changes.map((change) => at(change.lastSale?.atMs)),
			changes.map((change) => change.lastSale?.position ?? null),
			changes.map((change) => change.lastSale?.tokenId ?? null),
			changes.map((change) => change.lastSale?.unitNative ?? null),
			changes.map((change) => transactionBytes(change)),
		],
	);
}

/** One figure of the last mint or sale: the given one's, if that stands later in the chain. */
function newest(kind: "mint" | "sale", figure: string): string {
	const position = `last_${kind}_position`;
	const column = `last_${kind}_${figure}`;
	return `${column} = case when given.${position} > coalesce(kept.${position}, -1)
				then given.${column} else kept.${column} end`;
}

function transactionBytes({ lastSale }: CollectionChange): Buffer | null {
	return lastSale ? Buffer.from(lastSale.transactionHash.slice(2), "hex") : null;
}
