// Collects what can be known of every contract, from the chain and the provider.

import { decodeEventLog, type Hex, parseAbi } from "viem";
import type { Call } from "#test/conformance/provider/emulator/Asked.ts";
import { renderEvent } from "#test/conformance/provider/emulator/answers/tokens.ts";
import type { ConformanceLab } from "#test/conformance/provider/openConformanceLab.ts";
import { createRates, priced } from "#test/e2e/oracle/expected/worthOf.ts";
import type { Deed, Owners, Told, ToldSlug, UnpricedFact, View } from "#test/e2e/oracle/model.ts";
import { FIRST_BLOCK, type OracleLab, readChain } from "#test/e2e/oracle/openOracleLab.ts";

/** A token as the provider described it, in a list or alone. */
type ToldToken = { collection: string; contract: string; identifier: string };

const abi = parseAbi([
	"event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
	"event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
]);
const ZERO = "0x0000000000000000000000000000000000000000";

const LISTS: Record<string, keyof ToldSlug> = {
	"GET /api/v2/collections/{slug}": "pages",
	"GET /api/v2/collections/{slug}/stats": "stats",
	"GET /api/v2/listings/collection/{slug}/best": "listings",
	"GET /api/v2/listings/collection/{slug}/all": "allListings",
	"GET /api/v2/offers/collection/{slug}/all": "offers",
	"GET /api/v2/drops/{slug}": "drops",
	"GET /api/v2/traits/{slug}": "traits",
	"GET /api/v2/traits/{slug}/floors": "traitFloors",
	"GET /api/v2/events/collection/{slug}": "eventAnswers",
};

/** Returns the service's name of a chain, which the provider may call something else. */
const nameOf = (chain: string) => (chain === "ape_chain" ? "apechain" : chain);

/**
 * Returns what can be known of every contract now: from the chain's node by raw calls, and from
 * the answers and pushes that the provider gave.
 */
export async function createViews({
	lab,
	chain,
	feeds,
	firstRead,
	pushed,
}: OracleLab): Promise<View[]> {
	const { url } = lab.node("base");
	const headMs = await readHeadMs(url);
	const deeds = await readChain(url, FIRST_BLOCK);
	const read = deeds.filter(({ block }) => block >= firstRead.block);
	const toldOf = readTold(lab.provider.calls);
	const views: View[] = [];
	const add = async (address: Hex, chainName: string, slug: string | null) => {
		const told = toldOf(slug ?? "");
		const rates = createRates(feeds.all, chainName);
		const isMine = (fact: UnpricedFact) => fact.contract === address;
		const onChain = (all: readonly Deed[]) => (chainName === "base" ? chainFacts(all) : []);
		const answered = told.eventAnswers.flatMap(({ answer }) => answer.asset_events);
		const heard = [...answered, ...pushed(slug)].filter(({ nft }) => nft.contract === address);
		const known = mergeFacts(onChain(read).filter(isMine), toldFacts(heard)).map((fact) =>
			priced(fact, rates),
		);
		const truth = mergeFacts(
			onChain(deeds).filter(isMine),
			toldFacts(eventsOf(lab, slug)).filter(isMine),
		).map((fact) => priced(fact, rates));
		const found = await lab.service.get(
			`/v1/nft-market/collections/${address}/holders?chain=${chainName}`,
		);
		if (found.status === 404) {
			// By rule 7 of 4.1 a slug that is known on another chain gets no second row.
			const isHeld = views.some((view) => view.slug !== null && view.slug === slug);
			if (known.length > 0 && !isHeld) throw new Error(`${slug} ${address} is unknown`);
			return;
		}
		views.push({
			chain: chainName,
			address,
			slug,
			isSole: slug !== null && lab.of(slug).places.length === 1,
			known,
			truth: slug === "pages-omitted" ? known : truth,
			told,
			rates,
			owners: found.body.data ? await readOwners(url, address) : null,
			lanesUntilMs: chainName === "base" ? headMs : null,
			lanesFromMs: chainName === "base" ? Math.min(firstRead.atMs, lab.nowMs()) : null,
		});
	};
	for (const { slug, places } of lab.world.collections.values()) {
		for (const place of places) await add(place.address, nameOf(place.chain), slug);
	}
	for (const { address } of chain.contracts.values()) {
		if (!views.some((view) => view.address === address)) await add(address, "base", null);
	}
	return views;
}

/** Reads sales and mints of the chain as facts. */
function chainFacts(deeds: readonly Deed[]): UnpricedFact[] {
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
function toldFacts(events: readonly any[]): UnpricedFact[] {
	const once = new Map<string, UnpricedFact>();
	for (const [at, words] of events.entries()) {
		const fact = { ...factOf(words), place: -at };
		once.set(`${fact.kind} ${fact.transaction} ${fact.tokenId} ${fact.atMs}`, fact);
	}
	return [...once.values()];
}

/**
 * Merges what both told: one kind of one token in one transaction is one event, the chain's word
 * comes before the provider's, and a transfer of a token that the transaction minted is that mint.
 */
function mergeFacts(chain: readonly UnpricedFact[], told: readonly UnpricedFact[]): UnpricedFact[] {
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

/** Returns who owns what of a contract at the head, from every transfer that its logs tell. */
async function readOwners(url: string, contract: Hex): Promise<Owners> {
	const params = [{ address: contract, fromBlock: "0x0", toBlock: "latest" }];
	const response = await fetch(url, {
		method: "POST",
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params }),
	});
	const { result } = (await response.json()) as { result: { topics: [Hex]; data: Hex }[] };
	const owners: Owners = { units: new Map(), minted: 0n, burned: 0n, ofToken: new Map() };
	const add = (account: Hex, units: bigint) => {
		owners.units.set(account, (owners.units.get(account) ?? 0n) + units);
	};
	for (const { topics, data } of result) {
		const { args } = decodeEventLog({ abi, topics, data });
		if (!args?.from) continue;
		const [from, to] = [args.from, args.to].map((one) => one.toLowerCase() as Hex) as [Hex, Hex];
		const units = "value" in args ? args.value : 1n;
		if (from === ZERO) owners.minted += units;
		else add(from, -units);
		if (to === ZERO) owners.burned += units;
		else add(to, units);
		if ("tokenId" in args) owners.ofToken.set(args.tokenId.toString(), to);
	}
	for (const [account, units] of owners.units) if (units === 0n) owners.units.delete(account);
	return owners;
}

/** Sorts the provider's answers by slug; refused or unasked data is not there. */
function readTold(calls: readonly Call[]): (slug: string) => ToldSlug {
	const bySlug = new Map<string, ToldSlug>();
	const of = (slug: string) => {
		const told = bySlug.get(slug) ?? nothing();
		bySlug.set(slug, told);
		return told;
	};
	for (const { operation, path, status, answer, atMs } of calls) {
		const told = status === 200 ? (answer as { nft?: ToldToken; nfts?: ToldToken[] } | null) : null;
		for (const one of told?.nfts ?? (told?.nft ? [told.nft] : [])) {
			of(one.collection).tokens.set(`${one.contract} ${one.identifier}`, one);
		}
		const name = operation === null ? undefined : LISTS[operation];
		if (status !== 200 || answer === null || !name || path["slug"] === undefined) continue;
		(of(path["slug"])[name] as Told[]).push({ atMs, answer });
	}
	return of;
}

async function readHeadMs(url: string): Promise<number> {
	const params = ["latest", false];
	const response = await fetch(url, {
		method: "POST",
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params }),
	});
	const { result } = (await response.json()) as { result: { timestamp: string } };
	return Number(result.timestamp) * 1_000;
}

/** Returns every event of a slug, newest first, in the provider's words. */
function eventsOf(lab: ConformanceLab, slug: string | null): any[] {
	const collection = slug === null ? undefined : lab.world.collections.get(slug);
	return (collection?.events ?? []).map((event) => renderEvent(collection as never, event));
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

function nothing(): ToldSlug {
	return {
		pages: [],
		stats: [],
		listings: [],
		allListings: [],
		offers: [],
		drops: [],
		traits: [],
		traitFloors: [],
		tokens: new Map(),
		eventAnswers: [],
	};
}
