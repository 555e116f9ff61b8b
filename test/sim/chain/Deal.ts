import type { Address } from "#core/chain/Hex.ts";
import type { FakeLog } from "#test/harness/fakeChain.ts";

/**
 * What really happened in a transaction, as the one who made it up knows it. The oracle computes
 * every row from these and never from logs, so it shares no line with what it judges.
 */
export type Fact = {
	kind: "mint" | "sale";
	/** The log within its transaction. */
	logOffset: number;
	subIndex: number;
	contract: Address;
	standard: "erc721" | "erc1155";
	tokenId: bigint;
	quantity: bigint;
	from: Address;
	to: Address;
	venue: string | null;
	currency: Address;
	totalRaw: bigint;
	accepted: boolean;
	reason: string | null;
};

/** One transaction's content, before it has a hash or a block. */
export type Deal = { value: bigint; logs: readonly FakeLog[]; facts: readonly Fact[] };
