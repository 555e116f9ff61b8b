import { assert } from "#core/fault/assert.ts";
import { EVENT_KIND } from "#plugins/market-index/event/eventKind.ts";
import type { StoredEvent } from "#plugins/market-index/event/StoredEvent.ts";

/** An event as the driver returns it; `eventOf` makes a StoredEvent from it. */
export type EventColumns = Omit<
	StoredEvent,
	"kind" | "occurredAtMs" | "tokenId" | "quantity" | "totalRaw" | "totalNative"
> & {
	kind: number;
	chainId: number;
	occurredAt: Date;
	tokenId: string;
	quantity: string;
	totalRaw: string | null;
	totalNative: string | null;
};

/** The select list for an event `e` of a collection `c`. */
export const EVENT_COLUMNS = `e.kind, e.chain_id as "chainId",
	'0x' || encode(c.address, 'hex') as contract, e.accepted, e.reason,
	e.onchain_verified as "onchainVerified", e.block_number as "blockNumber",
	'0x' || encode(e.block_hash, 'hex') as "blockHash",
	'0x' || encode(e.transaction_hash, 'hex') as "transactionHash",
	e.log_index as "logIndex", e.sub_index as "subIndex", e.occurred_at as "occurredAt",
	e.token_id as "tokenId", e.quantity, '0x' || encode(e.from_address, 'hex') as "from",
	'0x' || encode(e.to_address, 'hex') as "to", e.venue,
	'0x' || encode(e.currency, 'hex') as currency, e.total_raw as "totalRaw",
	e.total_native as "totalNative", e.payload`;

export function eventOf(row: EventColumns): StoredEvent {
	const { kind, chainId: _, occurredAt, tokenId, quantity, totalRaw, totalNative, ...same } = row;
	return {
		...same,
		kind: kindOf(kind),
		occurredAtMs: occurredAt.getTime(),
		tokenId: BigInt(tokenId),
		quantity: BigInt(quantity),
		totalRaw: totalRaw === null ? null : BigInt(totalRaw),
		totalNative: totalNative === null ? null : BigInt(totalNative),
	};
}

const KINDS = ["sale", "mint", "transfer"] as const;

/** Returns the kind; a number that no kind is stored as must not pass for one of them. */
function kindOf(stored: number): StoredEvent["kind"] {
	const kind = KINDS.find((name) => EVENT_KIND[name] === stored);
	assert(kind, `no event is stored as kind ${stored}`);
	return kind;
}
