// Defines a chain, the registry of all chains, and the numbers that nodes write.

import { z } from "zod";
import { type Address, BLOCK_NUMBER_MAX, PLACE_MAX, SECONDS_MAX } from "#core/chain/Hex.ts";
import type { CoreConfig } from "#core/config/coreConfig.ts";
import { defineFaults } from "#core/fault.ts";
import type { Currency } from "#core/money.ts";

/** The facts about an EVM chain that indexing needs. A plugin may contribute more chains. */
export type Chain = {
	/** The chain's name in routes and answers: lower case, without blanks. */
	readonly slug: string;
	readonly id: number;
	/** The chain's name for people. */
	readonly name: string;
	readonly nativeCurrency: Currency;
	/** True: one native coin is one ETH, so neither it nor its wrapped form needs a price feed. */
	readonly nativeIsEth: boolean;
	/** The token that wraps the native coin one to one; null if we are not certain which it is. */
	readonly wrappedNative: Address | null;
	/** Other spellings by providers and people; accepted wherever a chain is named. */
	readonly aliases: readonly string[];
	/** The usual time between two blocks, if it is several seconds. */
	readonly blockMs?: number;
	/** The site that shows its transactions and tokens, without a last slash; left out: none. */
	readonly explorerUrl?: string;
	/** Used if the deployment configures none. `http(s)` before `ws(s)`. */
	readonly publicRpcUrls: readonly string[];
};

/** All defined chains, by every name they have. */
export type ChainRegistry = {
	readonly all: readonly Chain[];
	/**
	 * Finds a chain by slug, alias or decimal chain id, in any case: `matic`, `Ape_Chain`, `8453`.
	 */
	bySlug(text: string): Chain | undefined;
	byId(id: number): Chain | undefined;
};

const isQuantity = (text: string): text is `0x${string}` => /^0x[0-9a-f]{1,64}$/i.test(text);

/** Any number of at most 256 bits, without a narrower range. */
const quantity = z
	.string()
	.refine(isQuantity, "is no quantity")
	.transform((text) => BigInt(text));

/**
 * Numbers as JSON-RPC writes them, each parsed with the range that its meaning allows. A node that
 * sends a number outside of it is wrong: a nonce of 2^53 that was accepted once could not be read
 * back from the database, and stopped settlement for all users.
 *
 * Values that are stored as int8 or used in arithmetic become safe numbers. Amounts become bigints.
 */
export const chainNumbers = {
	quantity,
	blockNumber: wholeUpTo(BLOCK_NUMBER_MAX),
	/**
	 * Reads an account's nonce. EIP-2681 allows 2^64 - 2; at a thousand transactions a second an
	 * account needs 8,900 years to reach this bound.
	 */
	nonce: wholeUpTo(2 ** 48 - 1),
	/** Reads a block's time in seconds since 1970. */
	seconds: wholeUpTo(SECONDS_MAX),
	/** Reads the position of a transaction or a log in its block. */
	place: wholeUpTo(PLACE_MAX),
	/** Reads a chain's id. EIP-2294 allows ids below 2^63; ours are safe integers. */
	chainId: wholeUpTo(Number.MAX_SAFE_INTEGER),
	/** Reads an amount of gas. The bound is far above the gas limit of every chain's blocks. */
	gas: unitsUpTo(2n ** 48n - 1n),
	/** Reads a gas price in wei. The bound is one ETH for each unit of gas. */
	gasPrice: unitsUpTo(10n ** 18n),
	wei: quantity,
	/** Reads whether a transaction succeeded (EIP-658). There is no third value. */
	succeeded: quantity
		.refine((value) => value <= 1n, "is neither success nor failure")
		.transform((value) => value === 1n),
};

const chainFault = defineFaults({
	chainDefinitionInvalid: {
		status: 500,
		retry: "never",
		public: "Two chains share a name or an id, or one is named badly.",
	},
});

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** The chain where wallets are linked, by the specification. */
export const SPECIFIED_HOME_ID = 4663;

/**
 * Makes the registry; throws for definitions that could be confused: with two chains under one
 * name, money would go to the one defined last.
 */
export function createChainRegistry(chains: readonly Chain[]): ChainRegistry {
	const byName = new Map<string, Chain>();
	for (const chain of chains) {
		if (!Number.isSafeInteger(chain.id) || chain.id <= 0) {
			throw invalid(`the chain "${chain.slug}" has the id ${chain.id}`);
		}
		// Ids are names too, so one map finds every conflict, even of a slug with an id.
		for (const name of [chain.slug, ...chain.aliases, String(chain.id)]) {
			if (!NAME.test(name)) throw invalid(`"${name}" cannot name a chain`);
			const other = byName.get(name);
			if (other) {
				throw invalid(
					`"${name}" means both ${other.slug} (${other.id}) and ${chain.slug} (${chain.id})`,
				);
			}
			byName.set(name, chain);
		}
	}
	return {
		all: [...chains],
		bySlug: (text) => byName.get(text.toLowerCase()),
		byId: (id) => byName.get(String(id)),
	};
}

/**
 * Returns the configured home chain, by default 4663. Undefined if it is not defined, and in a
 * sandbox that configures none: its service must not use the real chain.
 */
export function homeChainOf(
	chains: Pick<ChainRegistry, "byId" | "bySlug">,
	{ TRADING_HOME_CHAIN: name, SANDBOX }: Pick<CoreConfig, "TRADING_HOME_CHAIN" | "SANDBOX">,
): Chain | undefined {
	if (name !== undefined) return chains.bySlug(name);
	return SANDBOX ? undefined : chains.byId(SPECIFIED_HOME_ID);
}

function invalid(detail: string) {
	return chainFault.chainDefinitionInvalid({ public: `Chain definitions: ${detail}.`, detail });
}

function wholeUpTo(max: number) {
	return quantity
		.refine((value) => value <= BigInt(max), `is above ${max}`)
		.transform((value) => Number(value));
}

function unitsUpTo(max: bigint) {
	return quantity.refine((value) => value <= max, `is above ${max}`);
}
