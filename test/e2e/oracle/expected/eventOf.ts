import { coins } from "#test/conformance/provider/world/coins.ts";
import { ZERO } from "#test/conformance/provider/world/growCollection.ts";
import type { Expected } from "#test/e2e/oracle/differences.ts";
import { priceOf, timeOf } from "#test/e2e/oracle/expected/collectionOf.ts";
import { stripped } from "#test/e2e/oracle/expected/ranksOf.ts";
import { dollarsOf } from "#test/e2e/oracle/expected/worthOf.ts";
import type { Fact } from "#test/e2e/oracle/Known.ts";
import { notAFigure } from "#test/e2e/oracle/notAFigure.ts";

/** Returns a row of activity, a mint of discover and a frame of the stream. */
export function eventOf(fact: Fact, chain: string): Record<string, Expected> {
	const { kind, accepted, block, total, quantity } = fact;
	const words = fact.words && withoutEdges(fact.words);
	return {
		id: notAFigure("a name of the event"),
		chain,
		contractAddress: fact.contract,
		eventType: kind,
		accepted,
		reason: accepted ? null : reasonOf(fact),
		onchainVerified: block !== null,
		transactionHash: fact.transaction,
		blockNumber: block,
		logIndex: (actual) => ((actual === null) === (block === null) ? undefined : `${actual}`),
		tokenId: fact.tokenId,
		quantity: quantity.toString(),
		// Also for a mint that was told as a transfer to oneself.
		from: kind === "mint" ? ZERO : fact.from,
		to: fact.to,
		venue: notAFigure("the name of a marketplace"),
		priceNative: priceOf(fact),
		priceUsd: dollarsOf(fact),
		amountRaw: total === null ? null : (total / quantity).toString(),
		totalRaw: total === null ? null : total.toString(),
		settlementCurrency: currencyOf(fact),
		occurredAt: timeOf(fact),
		imageUrl: words ? (words.nft.image_url ?? null) : notAFigure("the token's own picture"),
		traits: words ? (actual) => same(actual, words.nft.traits) : notAFigure("the token's own"),
		providerPayload: words ? (actual) => same(actual, words) : null,
	};
}

/**
 * Returns the provider's words as they are stored: texts of traits without the space around them.
 */
function withoutEdges(words: any): any {
	const traits = words.nft.traits.map((trait: any) => {
		return typeof trait.value === "string" ? { ...trait, value: stripped(trait.value) } : trait;
	});
	return { ...words, nft: { ...words.nft, traits } };
}

function reasonOf({ from, to }: Fact): string {
	return from === to ? "self_trade" : "zero_price";
}

/** Checks the currency. A payment of zero may have any currency. */
function currencyOf({ total, currency, words }: Fact): Expected {
	if (total === null) return null;
	const isIn = ({ address }: { address: string }) => address === currency;
	const coin = Object.values(coins).find(isIn);
	return (actual) => {
		if (total === 0n && actual === null) return undefined;
		if (actual?.address !== currency) return `${JSON.stringify(actual)}, and not ${currency}`;
		// Until its contract was read, or the provider told them, a token has neither symbol nor
		// decimals.
		const isNative = currency === coins.eth.address;
		const { symbol, decimals } = words?.payment ?? coin ?? {};
		const isNamed = actual.symbol === symbol && actual.decimals === decimals;
		const isUnnamed = !isNative && actual.symbol === null && actual.decimals === null;
		return isNamed || isUnnamed ? undefined : `${JSON.stringify(actual)} of ${symbol} ${decimals}`;
	};
}

function same(actual: unknown, expected: unknown): string | undefined {
	return Bun.deepEquals(actual, expected) ? undefined : `${JSON.stringify(actual)?.slice(0, 300)}`;
}
