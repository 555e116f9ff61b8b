import type { Address, Hex } from "#core/chain/Hex.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import type { Tx } from "#core/db/Database.ts";
import { extensionPoint } from "#core/plugin/extensionPoint.ts";
import { serviceKey } from "#core/plugin/serviceKey.ts";

/**
 * Why a sale is kept but counts in no figure. `not_delivered`: the token's own logs were asked for
 * and do not show it reaching the buyer.
 */
export type SaleRejection =
	| "zero_price"
	| "self_trade"
	| "several_currencies"
	| "swap"
	| "duplicate"
	| "not_delivered";

/**
 * One NFT changing hands, as a venue's logs tell it.
 *
 * A bundle gives one sale for each item; a matched pair of orders gives one, not two.
 */
export type Sale = {
	/** The log that stands for the sale; with `subIndex` its identity in the block. */
	logIndex: number;
	/** Counts the sales that one log stands for, from 0. */
	subIndex: number;
	contract: Address;
	standard: "erc721" | "erc1155";
	tokenId: bigint;
	/** Units of the token, at least 1. */
	quantity: bigint;
	/**
	 * What the buyer paid for all `quantity` units, fees and tips included, in base units of
	 * `currency`. Null where no price can be told (a swap, several currencies).
	 */
	totalRaw: bigint | null;
	/** The ERC-20 paid with, the zero address for the native currency; null with the price. */
	currency: Address | null;
	seller: Address;
	buyer: Address;
	/**
	 * True where the venue's logs say who was paid and not who gave the token. The lane then asks
	 * the token's own logs.
	 */
	sellerUnproven?: boolean;
	accepted: boolean;
	/** Why it is not accepted; null when it is. */
	reason: SaleRejection | null;
};

/** A log that should have decoded and did not. It is counted and named, and the lane goes on. */
export type UndecodedLog = { logIndex: number; problem: string };

export type VenueReading = { sales: Sale[]; undecoded: UndecodedLog[] };

/**
 * A contract that a venue's items name in place of the token that it moves, which has the same id.
 * A sale through it counts only where the token's own log shows it reaching the buyer.
 */
export type TokenAdapter = {
	/** Lower case, as the venue's logs name it. */
	adapter: Address;
	/** Whose token it is, and who logs that it moved. Lower case. */
	token: Address;
};

/**
 * A marketplace: which logs to ask for, and what they mean.
 *
 * Data and a pure function, so that a plugin adds a venue without touching a lane.
 */
export type Venue = {
	/** Stands in every event it produces, for example `seaport`. */
	id: string;
	/** Who emits, lower case. Forks emit the same topics, so the address decides. */
	contracts: readonly Address[];
	/** First topics worth fetching. */
	topics: readonly Hex[];
	/** Contracts that stand for others in its items; none unless given. */
	adapters?: readonly TokenAdapter[];
	/** Reads all of the venue's logs of ONE transaction, in log order. Never throws on bad data. */
	decode(logs: readonly RawLog[]): VenueReading;
};

/** Where plugins put venues. */
export const VenuePoint = extensionPoint<Venue>("chain-scanner.venue");

/** What a lane found, decoded and placed in its block. */
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
	/** As in `Sale`; for a mint the zero address. */
	currency: Address | null;
	/** As in `Sale`; for a mint its share of the transaction's value, for all `quantity` units. */
	totalRaw: bigint | null;
	accepted: boolean;
	reason: SaleRejection | null;
};

export type LaneKind = "mint" | "sale" | "transfer";

/** One lane run, ready to be written. Events are in chain order. */
export type EventBatch = {
	chainId: number;
	lane: LaneKind;
	fromBlock: number;
	toBlock: number;
	/** True while the run ends near the head: its frames are worth sending one by one. */
	live: boolean;
	events: readonly ChainEvent[];
};

/** Units that went from one account to another, as the token's own log says. */
export type TokenMove = {
	blockNumber: number;
	blockHash: Hex;
	logIndex: number;
	/** Counts the entries of one batch log, from 0. */
	subIndex: number;
	contract: Address;
	standard: "erc721" | "erc1155";
	/** The zero address where units came into being. */
	from: Address;
	/** The zero address where they were destroyed. */
	to: Address;
	tokenId: bigint;
	/** The same as `tokenId`, except in an ERC-2309 log, which moves a whole range of ids. */
	lastTokenId: bigint;
	/** Units of each id, at least 1. */
	quantity: bigint;
};

/** A span of blocks in which the transfer lane looked at some contracts. Moves in chain order. */
export type MoveBatch = {
	chainId: number;
	fromBlock: number;
	toBlock: number;
	/** Who was looked at: what others did in these blocks is not known. */
	watched: readonly Address[];
	moves: readonly TokenMove[];
	/** What these blocks and later ones did may have to be taken back. */
	unsettledFrom: number;
	/** Blocks below this one no longer leave the chain. */
	pruneBelow: number;
	/** True at the lane's cursor, false for a span that was left out and is read later. */
	inOrder: boolean;
};

/**
 * One contract's history on its way in: everything up to and including `endBlock`, where the
 * transfer lane took over.
 */
export type Walk = {
	id: number;
	contract: Address;
	/** The first block not read yet; null until it is known where the contract's history begins. */
	nextBlock: number | null;
	endBlock: number;
};

/** The next part of a walk, up to and including `toBlock`. */
export type WalkStep = Pick<MoveBatch, "chainId" | "toBlock" | "moves" | "unsettledFrom"> & {
	walk: Walk;
	/** Where the walk must stand now. */
	fromBlock: number;
};

/**
 * Keeps who owns what of some contracts, and decides which. Each move of theirs reaches it exactly
 * once: up to a contract's `endBlock` by its walk, above it by the transfer lane. Whatever takes a
 * `tx` is called under the chain's lock.
 */
export type Ownership = {
	/** The contracts that the transfer lane is to look at. */
	watched(chainId: number): Promise<Address[]>;
	/** Collections that ought to be watched and are not, most urgent first; few at a time. */
	wanted(chainId: number): Promise<number[]>;
	/** Watches them from now on: their walks end at the lane's cursor. */
	watch(
		tx: Tx,
		watch: { chainId: number; wanted: readonly number[]; cursor: number },
	): Promise<void>;
	/** Takes in what the lane saw; false where it did not look at a contract that it had to. */
	moved(tx: Tx, batch: MoveBatch): Promise<boolean>;
	/** The walk to go on with; null where there is none to do now. */
	nextWalk(chainId: number): Promise<Walk | null>;
	/** Takes in a part of a walk; false where the walk stands elsewhere. */
	walked(tx: Tx, step: WalkStep): Promise<boolean>;
	/** Leaves a walk alone for a while: what it asked for was refused. */
	rest(walk: Walk, restMs: number): Promise<void>;
};

/** Every block above this one left the chain. */
export type Reorg = { chainId: number; forkBlock: number };

/**
 * Takes batches in, and takes them back. Called inside the lane's transaction, which already holds
 * the chain's lock (but for `storeEarly`): what a sink writes commits with the cursor or not at
 * all, and it writes only its own tables.
 */
export type EventSink = {
	name: string;
	apply(tx: Tx, batch: EventBatch): Promise<void>;
	/**
	 * Asked before `apply` while a lane catches up, in the lane's transaction but before the chain's
	 * lock: may write what no other lane touches. Answers what is left to do under the lock, in
	 * place of `apply`, or null where that is to do it all. Where the rest answers false, all is
	 * rolled back and the batch goes through `apply` in a new transaction.
	 */
	storeEarly?(tx: Tx, batch: EventBatch): Promise<((tx: Tx) => Promise<boolean>) | null>;
	/** Takes out everything that came of blocks above the fork; lanes read those numbers again. */
	revert(tx: Tx, reorg: Reorg): Promise<void>;
	/** Given where the sink keeps owners; its `revert` takes back moves too. */
	ownership?: Ownership;
};

/** How far a lane has come; `freshness` is made of the sale lane's. */
export type LaneProgress = {
	chainId: number;
	lane: LaneKind;
	headBlock: number | null;
	indexedBlock: number | null;
	indexedAtMs: number | null;
	/** True while backfill owes blocks that the lane left out. */
	owes?: boolean;
	/**
	 * From when and until when the lane holds all there was, without a hole; in a chain read from its
	 * first block on from 0. Null, or left out, where it does not know.
	 */
	coveredFromMs?: number | null;
	coveredUntilMs?: number | null;
};

export type Scanner = {
	/** Call in `setup`; lanes start only after every plugin was set up. */
	addSink(sink: EventSink): void;
	/**
	 * Read from the database, so that any process may ask; at most a second old. Within a transaction
	 * it is read there, as that transaction leaves it.
	 */
	progress(chainId: number, lane: LaneKind, tx?: Tx): Promise<LaneProgress>;
	/** Holds a chain until the transaction ends: lanes, forks and whoever adds to them take turns. */
	lock(tx: Tx, chainId: number): Promise<void>;
};

export const ScannerKey = serviceKey<Scanner>()("chain-scanner");
