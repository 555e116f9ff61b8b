// Converts stored values into the numbers and texts that clients see.

import type { Chain } from "#core/chain/Chain.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { assert } from "#core/fault.ts";
import { toDisplayNumber } from "#core/money.ts";
import type { ProviderStreamState } from "#plugins/provider/contract.ts";

/** Holds what a process knows of the provider's health. */
export type ProviderHealth = {
	/** False where none is configured: then only the lanes' data exists. */
	isOn: boolean;
	/** True if its last call reached the provider; null before the first. */
	isConnected: boolean | null;
	stream: ProviderStreamState;
};

/** Decimal places between wei and ETH. */
const WEI_DECIMALS = 18;

/**
 * A sync is at most ten minutes old where the provider can be reached; the rest is for the queue.
 */
const SYNC_RECENT_MS = 1_200_000;

/** The currency of summed amounts, beside their exact integers: ETH, in wei. */
export const nativeCurrency = { symbol: "ETH", decimals: WEI_DECIMALS } as const;

/** Returns the chain of a row that was read for these chains. */
export function chainOfRow(chains: readonly Chain[], row: { chainId: number }): Chain {
	const chain = chains.find(({ id }) => id === row.chainId);
	assert(chain, `a row of chain ${row.chainId}, which was not asked for`);
	return chain;
}

/** Returns a stored supply for display. Zero means not counted yet: unknown. */
export function displayCount(count: string | null): number | null {
	return count === null ? null : Number(count) || null;
}

/** Returns a stored floor for display. Zero means not counted yet: unknown. */
export function displayFloor(wei: string | null): number | null {
	return displayNative(wei) || null;
}

/** Returns a stored amount of wei as the number that clients see; unknown stays unknown. */
export function displayNative(wei: string | null): number | null {
	return wei === null ? null : toDisplayNumber(BigInt(wei), WEI_DECIMALS);
}

/**
 * Returns the provider's state for one collection. A process that never calls it (role `api`)
 * judges by the collection's last sync. A collection that was never synced is not followed yet.
 */
export function displayProvider(
	{ isConnected, stream }: Pick<ProviderHealth, "isConnected" | "stream">,
	{ lastProviderAt, nowMs }: { lastProviderAt: Date | null; nowMs: number },
) {
	const isRecent = lastProviderAt !== null && nowMs - lastProviderAt.getTime() < SYNC_RECENT_MS;
	const isNew = stream === "live" && lastProviderAt === null;
	return {
		health: { providerConnected: isConnected ?? isRecent },
		provider_stream: isNew ? ("connecting" as const) : stream,
	};
}

/**
 * Returns the page of a transaction, or of a token, at the chain's explorer; null where the chain
 * names none, or the transaction is not known. An explorer that has no pages of single tokens shows
 * the contract's.
 */
export function explorerLink(
	{ explorerUrl }: Pick<Chain, "explorerUrl">,
	place: { transaction: Hex | null } | { contract: Address; tokenId: string | null },
): string | null {
	if (explorerUrl === undefined) return null;
	if ("transaction" in place) {
		return place.transaction && `${explorerUrl}/tx/${place.transaction}`;
	}
	const { contract, tokenId } = place;
	return `${explorerUrl}/token/${contract}${tokenId === null ? "" : `?a=${tokenId}`}`;
}

/** Returns a stored time in the form for clients: ISO 8601, UTC, milliseconds. */
export function displayTime(at: Date | null): string | null {
	return at === null ? null : at.toISOString();
}

/**
 * Converts wei to USD at a rate for one ETH. Made from the two numbers that clients see, so that
 * dividing them gives the rate; null where either is unknown.
 */
export function displayUsd(wei: bigint | null, ethUsd: number | null): number | null {
	return wei === null || ethUsd === null ? null : toDisplayNumber(wei, WEI_DECIMALS) * ethUsd;
}
