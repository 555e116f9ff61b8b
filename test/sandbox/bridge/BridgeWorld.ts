import type { Address, Hex } from "viem";
import type { Clock } from "#core/clock/Clock.ts";
import type { Rpc } from "../Rpc.ts";

/** A currency that the bridge carries. */
export type BridgeCurrency = {
	/** Twenty zero bytes: the chain's own coin. */
	address: Address;
	symbol: string;
	name: string;
	decimals: number;
	/** Of one whole unit, in millionths of a dollar. */
	usdMicros: bigint;
	isVerified?: boolean;
	/** What its owner signs is enough to take it (EIP-3009). */
	supportsPermit?: boolean;
};

/** A chain that the bridge reaches. */
export type BridgeChainSetup = {
	id: number;
	rpcUrl: string;
	/** How its protocol names the chain. */
	name: string;
	currencies: readonly BridgeCurrency[];
	/** It is listed, and nothing ever happens there. */
	isListedOnly?: boolean;
	isDisabled?: boolean;
	isLagging?: boolean;
	vmType?: string;
};

export type BridgeChain = BridgeChainSetup & {
	rpc: Rpc;
	depository: Address;
	approvalProxy: Address;
};

/** A payment on a chain, as the bridge made it or saw it. */
export type BridgePayment = {
	chainId: number;
	hash: Hex;
	currency: Address;
	raw: bigint;
	/** Of a deposit, who paid; else who got it. */
	party: Address;
};

/** What an owner is asked to sign in place of a deposit, and what became of it. */
export type BridgePermit = {
	authorization: {
		token: Address;
		from: Address;
		value: bigint;
		validAfter: bigint;
		validBefore: bigint;
		nonce: Hex;
	};
	signature: Hex | null;
	/** How often each kind of signature was handed over. */
	handed: string[];
	/** It waits for the owner's signature of the order as well. */
	asksForOrder: boolean;
};

/** One request from its quote to its end: a row of the bridge's own ledger. */
export type BridgeEntry = {
	requestId: Hex;
	orderId: Hex;
	user: Address;
	recipient: Address;
	refundTo: Address;
	origin: { chain: BridgeChain; currency: BridgeCurrency; raw: bigint };
	destination: { chain: BridgeChain; currency: BridgeCurrency; raw: bigint; minimumRaw: bigint };
	deadlineMs: number;
	status: string;
	failReason: string | null;
	updatedAtMs: number;
	/** Null: it is deposited by its owner. */
	permit: BridgePermit | null;
	deposits: BridgePayment[];
	fill: BridgePayment | null;
	refund: BridgePayment | null;
	/** Hashes that it tells, where they are not those of fill or refund. */
	told: Hex[] | null;
};

export type BridgeWorld = {
	chains: readonly BridgeChain[];
	clock: Clock;
	/** Newest last. */
	entries: BridgeEntry[];
	/** Moves an entry, and tells whoever listens. */
	move(entry: BridgeEntry, status: string): void;
};
