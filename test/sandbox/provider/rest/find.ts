import { type Address, isAddress } from "viem";
import type { Collection } from "../market/Market.ts";
import { CHAIN, type Office } from "./Office.ts";
import { Refusal } from "./Refusal.ts";

/** Other chains that the provider knows; they are empty here. */
const OTHER_CHAINS = new Set(
	"ethereum optimism unichain polygon monad shape flow hyperevm sei soneium ronin abstract megaeth robinhood somnia b3 base ape_chain arbitrum avalanche gunzilla ink animechain bera_chain blast zora solana".split(
		" ",
	),
);

export function collectionBySlug(office: Office, slug: string | undefined): Collection {
	const found = office.market().collections.get(slug ?? "");
	if (!found) throw new Refusal(404, `Collection ${slug} not found`);
	return found;
}

export function collectionByContract(
	office: Office,
	at: { chain: string | undefined; address: string | undefined },
): Collection {
	checkChain(at.chain);
	const found = office.market().byAddress.get(addressOf(at.address));
	if (!found || at.chain !== CHAIN) throw new Refusal(404, `Contract ${at.address} not found`);
	return found;
}

export function tokenOf(collection: Collection, identifier: string | undefined): bigint {
	const id = /^\d{1,78}$/.test(identifier ?? "") ? BigInt(identifier ?? "") : null;
	if (id === null || !collection.holders.has(id)) {
		throw new Refusal(404, `Nft ${identifier} not found`);
	}
	return id;
}

export function addressOf(text: string | undefined): Address {
	if (!text || !isAddress(text, { strict: false })) throw new Refusal(400, "Invalid address");
	return `0x${text.slice(2).toLowerCase()}`;
}

export function checkChain(chain: string | undefined): void {
	if (chain !== CHAIN && !OTHER_CHAINS.has(chain ?? "")) {
		throw new Refusal(400, `Invalid chain: ${chain}`);
	}
}

/**
 * Returns whether a `chain` or `chains` parameter includes this chain. Unknown names are ignored,
 * unless there is no other.
 */
export function hasOurChain(query: URLSearchParams): boolean {
	const asked = [...query.getAll("chains"), ...query.getAll("chain")]
		.flatMap((text) => text.split(","))
		.filter((name) => name !== "");
	if (asked.length === 0 || asked.includes(CHAIN)) return true;
	if (!asked.some((name) => OTHER_CHAINS.has(name))) {
		throw new Refusal(400, `Invalid chain: ${asked.join()}`);
	}
	return false;
}

/** Returns one of these words, or the default for none. */
export function choiceOf<Choice extends string>(
	query: URLSearchParams,
	name: string,
	choices: readonly [Choice, ...Choice[]],
): Choice {
	const text = query.get(name);
	if (text === null) return choices[0];
	const found = choices.find((choice) => choice === text);
	if (found === undefined) throw new Refusal(400, `Invalid ${name}: ${text}`);
	return found;
}
