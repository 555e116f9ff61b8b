import type { Address, Hex } from "viem";

export type Item = { itemType: number; token: Address; identifier: bigint; amount: bigint };

export type Fulfilment = {
	orderHash: Hex;
	offerer: Address;
	recipient: Address;
	offer: Item[];
	consideration: (Item & { recipient: Address })[];
};

/** A log that affects the market; addresses are in lower case. */
export type ChainLog =
	| {
			kind: "transfer";
			standard: "erc721" | "erc1155";
			contract: Address;
			from: Address;
			to: Address;
			id: bigint;
			units: bigint;
	  }
	| ({ kind: "fulfilled" } & Fulfilment)
	| { kind: "cancelled"; orderHash: Hex }
	| { kind: "counter"; offerer: Address }
	| { kind: "metadata"; contract: Address; fromId: bigint; toId: bigint };

export type ChainBlock = {
	number: number;
	hash: string;
	parentHash: string;
	timeS: number;
	transactions: { hash: Hex; logs: ChainLog[] }[];
};
