// States what other plugins may use of the scanner: venues, events, sinks, owners, progress.

import type { Address, Hex, RawLog } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { extensionPoint, serviceKey } from "#core/plugin/Plugin.ts";

/**
 * Names why a sale is kept but counts in no figure. `not_delivered`: the token's own logs were read
 * and do not show it reaching the buyer. `unproven`: they were read and say nothing of the token of
 * an accepted offer, so nobody knows who sold it.
 */
export type SaleRejection =
	| "zero_price"
	| "self_trade"
	| "several_currencies"
	| "swap"
	| "duplicate"
	| "not_delivered"
	| "unproven";

/**
 * Names what is said of a sale that counts. `price_unproven`: the price is far above the floor and
 * the delivery was not read, so it is in the number of sales and in no sum of prices.
 * `other_currency_tip`: somebody but the seller was paid in another currency, which is not in the
 * price.
 */
export type SaleNote = "price_unproven" | "other_currency_tip";

/** A payment of a sale in another currency than its price's, to somebody but the seller. */
export type Tip = { currency: Address; raw: bigint };

/**
 * One NFT changing hands, by a venue's logs.
 *
 * A bundle gives one sale for each item; a matched pair of orders gives one, not two.
 */
export type Sale = {
	/** The log of the sale; with `subIndex` its identity in the block. */
	logIndex: number;
	/** Numbers the sales of one log, from 0. */
	subIndex: number;
	contract: Address;
	standard: "erc721" | "erc1155";
	tokenId: bigint;
	/** Units of the token, at least 1. */
	quantity: bigint;
	/**
	 * The amount that the buyer paid for all `quantity` units, fees and tips included, in base units
	 * of `currency`. Null for an unknown price (a swap, several currencies).
	 */
	totalRaw: bigint | null;
	/** The ERC-20 of the payment, the zero address for the native currency; null with the price. */
	currency: Address | null;
	seller: Address;
	buyer: Address;
	/**
	 * True where the venue's logs state who was paid and not who gave the token. The lane then reads
	 * the token's own logs.
	 */
	sellerUnproven?: boolean;
	/** Payments that are not in the price; left out where there are none. */
	tips?: readonly Tip[];
	accepted: boolean;
	/** The reason why the sale does not count; null when it counts. */
	reason: SaleRejection | null;
};

/** Names a log that could not be decoded. It is counted and logged, and the lane goes on. */
export type UndecodedLog = { logIndex: number; problem: string };

export type VenueReading = { sales: Sale[]; undecoded: UndecodedLog[] };

/**
 * A contract that a venue's items name in place of the token that it moves, which has the same id.
 * A sale through it counts only where the token's own log shows it reaching the buyer.
 */
export type TokenAdapter = {
	/** In lower case, as the venue's logs name it. */
	adapter: Address;
	/** The token's contract, which logs its transfers. In lower case. */
	token: Address;
};

/**
 * A marketplace: which logs to read, and what they mean.
 *
 * Data and a pure function, so that a plugin adds a venue without changing a lane.
 */
export type Venue = {
	/** Stored in every event it produces, for example `seaport`. */
	id: string;
	/** The emitting contracts, in lower case. Forks emit the same topics, so the address decides. */
	contracts: readonly Address[];
	/** First topics of the logs to read. */
	topics: readonly Hex[];
	/** Contracts that replace the NFT's contract in the items of this venue; by default none. */
	adapters?: readonly TokenAdapter[];
	/** Reads all of the venue's logs of ONE transaction, in log order. Never throws on bad data. */
	decode(logs: readonly RawLog[]): VenueReading;
};

/** The extension point for venues of plugins. */
export const VenuePoint = extensionPoint<Venue>("chain-scanner.venue");

/** A lane's find, decoded and placed in its block. */
export type ChainEvent = {
	kind: "sale" | "mint";
	blockNumber: number;
	blockHash: Hex;
	transactionHash: Hex;
	logIndex: number;
	subIndex: number;
	occurredAtMs: number;
	contract: Address;
	standard: "erc721" | "erc1155";
	tokenId: bigint;
	quantity: bigint;
	/** A sale's seller; the zero address of a mint. */
	from: Address;
	/** A sale's buyer; a mint's recipient. */
	to: Address;
	/** The venue's id; null for a mint. */
	venue: string | null;
	/** The currency of the price, as in `Sale`; for a mint the zero address. */
	currency: Address | null;
	/**
	 * The price of all `quantity` units, as in `Sale`; for a mint its share of the transaction's
	 * value.
	 */
	totalRaw: bigint | null;
	accepted: boolean;
	reason: SaleRejection | SaleNote | null;
};

/** The part of a sale by which its price is compared with the floor. */
export type PricedSale = Pick<Sale, "contract" | "currency" | "totalRaw" | "quantity"> & {
	occurredAtMs: number;
};

export type LaneKind = "mint" | "sale" | "transfer";

/** Holds one run of a lane, ready to be written. Events are in chain order. */
export type EventBatch = {
	chainId: number;
	lane: LaneKind;
	fromBlock: number;
	toBlock: number;
	/** True while the run ends near the head: its frames are worth sending one by one. */
	live: boolean;
	events: readonly ChainEvent[];
};

/** Units that went from one account to another, by the token's own log. */
export type TokenMove = {
	blockNumber: number;
	blockHash: Hex;
	logIndex: number;
	/** Numbers the entries of one batch log, from 0. */
	subIndex: number;
	contract: Address;
	standard: "erc721" | "erc1155";
	/** The zero address where units were minted. */
	from: Address;
	/** The zero address where they were destroyed. */
	to: Address;
	tokenId: bigint;
	/** Equals `tokenId`, except in an ERC-2309 log, which moves a whole range of ids. */
	lastTokenId: bigint;
	/** Units of each id, at least 1. */
	quantity: bigint;
};

/** A span of blocks in which the transfer lane read some contracts. Moves in chain order. */
export type MoveBatch = {
	chainId: number;
	fromBlock: number;
	toBlock: number;
	/** The contracts that were read: others' moves in these blocks are not known. */
	watched: readonly Address[];
	moves: readonly TokenMove[];
	/** The first block whose moves a reorg may still remove. */
	unsettledFrom: number;
	/** Blocks below this one cannot leave the chain any more. */
	pruneBelow: number;
	/** True at the lane's cursor, false for a skipped span that is read later. */
	inOrder: boolean;
};

/**
 * The reading of one contract's history: everything up to and including `endBlock`, where the
 * transfer lane took over.
 */
export type Walk = {
	id: number;
	contract: Address;
	/** The first block not read yet; null until it is known where the contract's history begins. */
	nextBlock: number | null;
	endBlock: number;
};

/** Holds the next part of a walk, up to and including `toBlock`. */
export type WalkStep = Pick<MoveBatch, "chainId" | "toBlock" | "moves" | "unsettledFrom"> & {
	walk: Walk;
	/** The block at which the walk must be now. */
	fromBlock: number;
};

/**
 * Keeps the owners of some contracts, and decides which contracts. Each of their moves reaches it
 * exactly once: up to a contract's `endBlock` by its walk, above it by the transfer lane. Methods
 * with a `tx` are called under the chain's lock.
 */
export type Ownership = {
	/** Returns the contracts that the transfer lane must read. */
	watched(chainId: number): Promise<Address[]>;
	/** Returns collections that should be watched and are not, most urgent first; few at a time. */
	wanted(chainId: number): Promise<number[]>;
	/** Watches them from now on: their walks end at the lane's cursor. */
	watch(
		tx: Tx,
		watch: { chainId: number; wanted: readonly number[]; cursor: number },
	): Promise<void>;
	/** Stores what the lane read; false where it did not read a contract that it had to. */
	moved(tx: Tx, batch: MoveBatch): Promise<boolean>;
	/** Returns the walk to continue; null where there is none now. */
	nextWalk(chainId: number): Promise<Walk | null>;
	/** Stores a part of a walk; false where the walk is elsewhere by now. */
	walked(tx: Tx, step: WalkStep): Promise<boolean>;
	/** Pauses a walk for a while, after its read was refused. */
	rest(walk: Walk, restMs: number): Promise<void>;
};

/** A fork: every block above this one left the chain. */
export type Reorg = { chainId: number; forkBlock: number };

/**
 * Stores batches, and takes them back. Called inside the lane's transaction, which already holds
 * the chain's lock (except for `storeEarly`): what a sink writes commits with the cursor or not at
 * all, and it writes only its own tables.
 */
export type EventSink = {
	name: string;
	apply(tx: Tx, batch: EventBatch): Promise<void>;
	/**
	 * Called before `apply` while a lane catches up, in the lane's transaction but before the chain's
	 * lock: may write rows that no other lane touches. Returns the rest of the work under the lock,
	 * in place of `apply`, or null where `apply` must do it all. If the rest returns false, all is
	 * rolled back and the batch goes through `apply` in a new transaction.
	 */
	storeEarly?(tx: Tx, batch: EventBatch): Promise<((tx: Tx) => Promise<boolean>) | null>;
	/** Removes everything from blocks above the fork; lanes read those blocks again. */
	revert(tx: Tx, reorg: Reorg): Promise<void>;
	/**
	 * Returns for each of these sales whether it is too dear to count on the marketplace's word
	 * alone. Its receipt is then read, as far as one request for a range goes.
	 */
	areDear?(chainId: number, sales: readonly PricedSale[]): Promise<readonly boolean[]>;
	/** Set where the sink keeps owners; its `revert` takes back moves too. */
	ownership?: Ownership;
};

/** Holds how far a lane has come; `freshness` is made from the sale lane's. */
export type LaneProgress = {
	chainId: number;
	lane: LaneKind;
	headBlock: number | null;
	indexedBlock: number | null;
	indexedAtMs: number | null;
	/** True while backfill owes blocks that the lane skipped. */
	owes?: boolean;
	/**
	 * The time from which the lane has everything, without a hole; 0 for a chain read from its first
	 * block on. Null, or left out, where that is not known.
	 */
	coveredFromMs?: number | null;
	coveredUntilMs?: number | null;
};

export type Scanner = {
	/** Adds a sink. Called in `setup`; lanes start only after every plugin was set up. */
	addSink(sink: EventSink): void;
	/**
	 * Returns a lane's progress from the database, so that any process may ask; at most a second old.
	 * Within a transaction it is read there, in the transaction's own state.
	 */
	progress(chainId: number, lane: LaneKind, tx?: Tx): Promise<LaneProgress>;
	/** Locks a chain until the transaction ends: lanes, forks and other writers take turns. */
	lock(tx: Tx, chainId: number): Promise<void>;
};

export const ScannerKey = serviceKey<Scanner>()("chain-scanner");
