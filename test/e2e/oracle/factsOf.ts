import type { Hex } from "viem";
import type { UnpricedFact } from "#test/e2e/oracle/Known.ts";
import type { Deed } from "#test/e2e/oracle/readChain.ts";

/** Reads sales and mints of the chain as facts. */
export function chainFacts(deeds: readonly Deed[]): UnpricedFact[] {
	return deeds.map((deed, place) => ({
		kind: deed.kind,
		contract: deed.contract,
		tokenId: deed.tokenId.toString(),
		quantity: deed.quantity,
		from: deed.from,
		to: deed.to,
		atMs: deed.atMs,
		total: deed.total,
		currency: deed.currency,
		accepted: deed.accepted,
		transaction: deed.transactionHash,
		block: deed.block,
		words: null,
		place,
	}));
}

/** Reads events in the provider's words as facts, each once, the newest first in the answers. */
export function toldFacts(events: readonly any[]): UnpricedFact[] {
	const once = new Map<string, UnpricedFact>();
	for (const [at, words] of events.entries()) {
		const fact = { ...factOf(words), place: -at };
		once.set(`${fact.kind} ${fact.transaction} ${fact.tokenId} ${fact.atMs}`, fact);
	}
	return [...once.values()];
}

function factOf(words: any): UnpricedFact {
	const { nft, payment, quantity, transaction = null, event_timestamp: atS } = words;
	const from: Hex = words.seller ?? words.from_address;
	const to: Hex = words.buyer ?? words.to_address;
	// Section 1, rule 5 of the conventions: a transfer to oneself is a mint.
	const kind = words.event_type === "transfer" && from === to ? "mint" : words.event_type;
	const total = payment ? BigInt(payment.quantity) : null;
	const isPaid = (total ?? 0n) > 0n && from !== to;
	return {
		kind,
		contract: nft.contract,
		tokenId: nft.identifier,
		quantity: BigInt(quantity),
		from,
		to,
		atMs: atS * 1_000,
		total,
		currency: payment?.token_address ?? null,
		accepted: kind !== "sale" || isPaid,
		transaction,
		block: null,
		words,
		place: 0,
	};
}

/**
 * Merges what both told: one kind of one token in one transaction is one event, the chain's word
 * comes before the provider's, and a transfer of a token that the transaction minted is that mint.
 */
export function mergeFacts(
	chain: readonly UnpricedFact[],
	told: readonly UnpricedFact[],
): UnpricedFact[] {
	const keyOf = ({ transaction, contract, tokenId, kind }: UnpricedFact) =>
		`${transaction} ${contract} ${tokenId} ${kind}`;
	const merged = new Map(chain.map((fact) => [keyOf(fact), fact]));
	const left: UnpricedFact[] = [];
	for (const fact of told) {
		const mint = merged.get(keyOf({ ...fact, kind: "mint" }));
		const own = merged.get(keyOf(fact)) ?? (fact.kind === "transfer" ? mint : undefined);
		if (own) merged.set(keyOf(own), { ...own, words: own.words ?? fact.words });
		else left.push(fact);
	}
	return [...merged.values(), ...left].sort((a, b) => a.atMs - b.atMs || a.place - b.place);
}
