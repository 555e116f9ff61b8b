// Describes what the oracle knows of a contract: facts, told answers, owners, rates.

import type { Hex } from "viem";
/** One event as its source told it: the chain's logs, or an answer of the provider. */
export type UnpricedFact = {
	kind: "sale" | "mint" | "transfer";
	contract: Hex;
	tokenId: string;
	quantity: bigint;
	from: Hex;
	to: Hex;
	atMs: number;
	/** Base units of `currency` for all units; null if no source told a price. */
	total: bigint | null;
	currency: Hex | null;
	accepted: boolean;
	transaction: Hex | null;
	/** Null where only the provider told it. */
	block: number | null;
	/** The provider's own words; null if it did not tell of the event. */
	words: any;
	/** Position among the events of its second: the later has the larger number. */
	place: number;
};

export type Fact = UnpricedFact & {
	/** Wei for all units; null if no source told a price, or its currency had no rate. */
	worth: bigint | null;
	/** Dollars for one ether at its time; null if no feed had a rate. */
	etherDollars: number | null;
};

/** An answer of the provider, with its time. */
export type Told<Answer = any> = { atMs: number; answer: Answer };

/** The provider's answers about one slug, each list with the newest last. */
export type ToldSlug = {
	pages: Told[];
	stats: Told[];
	listings: Told[];
	allListings: Told[];
	offers: Told[];
	drops: Told[];
	traits: Told[];
	traitFloors: Told[];
	/** By contract and id, in the provider's words. */
	tokens: Map<string, any>;
	/** Answers to requests for its events. */
	eventAnswers: Told[];
};

/**
 * All that can be known of one contract: what the product was told, and what happened on the chain.
 */
export type View = {
	chain: string;
	address: Hex;
	/** The provider's slug; null if it has none. */
	slug: string | null;
	/**
	 * False where the provider's slug has several contracts: its figures are then of no single one.
	 */
	isSole: boolean;
	/** What the lanes read and the provider answered, the oldest first. */
	known: readonly Fact[];
	/** All that happened, whether or not it can be known. */
	truth: readonly Fact[];
	told: ToldSlug;
	rates: Rates;
	/** From the chain at its head; null if the service did not walk it. */
	owners: Owners | null;
	/** When the lanes of its chain began; null if the chain is not read. */
	lanesFromMs: number | null;
	/** The time of the newest block; null if the chain is not read. */
	lanesUntilMs: number | null;
};

export type Owners = {
	units: Map<Hex, bigint>;
	minted: bigint;
	burned: bigint;
	ofToken: Map<string, Hex>;
};

/** Rates of money at any time; null where no feed had one. */
export type Rates = {
	/** The price of one ether in dollars at a time; null where no feed has one. */
	dollarsAt(atMs: number): number | null;
	/** The value of an amount (base units of a currency) in wei; null where no feed has a rate. */
	weiOf(currency: string, amount: bigint, atMs: number): bigint | null;
	/** The value in ether of an amount (whole coins) whose coin is known by its symbol only. */
	etherOfSymbol(symbol: string, value: number, atMs: number): number | null;
};

export type Move = {
	contract: Hex;
	tokenId: bigint;
	quantity: bigint;
	from: Hex;
	to: Hex;
};

export type Deed = Move & {
	kind: "sale" | "mint";
	transactionHash: Hex;
	block: number;
	atMs: number;
	/** Base units for all units; null if no single currency paid. */
	total: bigint | null;
	currency: Hex | null;
	accepted: boolean;
};
