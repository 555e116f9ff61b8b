// Fills the provider's world with one collection for each way to be known.

import {
	addEvent,
	addOrder,
	DAY_S,
	type Growing,
	growingIn,
	placeOf,
	steps,
	trade,
	ZERO,
} from "#test/conformance/provider/world/growCollection.ts";
import {
	addressOf,
	type Coin,
	coins,
	type World,
	type WorldCollection,
} from "#test/conformance/provider/world/World.ts";
import type { Deed } from "#test/e2e/oracle/model.ts";

const TOKENS_MAX = 60;
const PAGES_AND_HALF = 450;
const HOUR_S = 3_600;
/**
 * A time ago at which ether has no price where its feed pauses or begins, and has one where it
 * ends.
 */
const SILENT_S = 17 * HOUR_S;

/**
 * Fills the provider's world with one collection for each way in which it can be known: whole, in
 * part, contradicted, uncounted, refused, of several contracts, of a chain that is not read.
 */
export function fillWorld(world: World, nowMs: number, deeds: readonly Deed[]): void {
	const growing = growingIn(world, nowMs);
	const { random } = growing;
	const some = (least: number, more: number) => least + random.below(more);
	const grow = (slug: string, chains = ["base"], tokens = 12, ageDays = 90) => {
		const places = chains.map((chain) => placeOf(slug, chain));
		return growing.grow({ slug, places, tokens, ageDays });
	};
	for (const slug of ["shared-whole", "shared-stuck"]) {
		const shared = grow(slug, ["base"], TOKENS_MAX);
		tell(shared, deeds, growing);
		list(shared, { listings: some(4, 9), offers: some(2, 5), coin: coins.eth }, growing);
	}
	const whole = grow("told-whole", ["base"], 20);
	trade(whole, { sales: some(20, 30), overS: 30 * HOUR_S, coin: coins.eth }, growing);
	list(whole, { listings: some(5, 9), offers: 4, coin: coins.eth }, growing);
	distinguish(whole);

	const mixed = grow("told-mixed");
	trade(mixed, { sales: some(4, 9), overS: 20 * HOUR_S, coin: coins.wethOnBase }, growing);
	trade(mixed, { sales: some(2, 5), overS: 9 * HOUR_S, coin: coins.usdcOnBase, from: 40 }, growing);
	list(mixed, { listings: some(2, 5), coin: coins.eth }, growing);

	const usdc = grow("told-usdc");
	trade(usdc, { sales: some(2, 7), overS: 18 * HOUR_S, coin: coins.usdcOnBase }, growing);
	// Whatever the feeds are, one of these had a price at its time, and one had none.
	for (const from of [SILENT_S, 75]) {
		trade(usdc, { sales: 1, overS: 1, coin: coins.usdcOnBase, from }, growing);
	}
	list(usdc, { listings: 3, coin: coins.usdcOnBase }, growing);

	// On a chain whose own coin is not ether.
	const apes = grow("told-apes", ["ape_chain"], 5);
	trade(apes, { sales: some(3, 5), overS: 20 * HOUR_S, coin: coins.ape, from: 80 }, growing);
	trade(apes, { sales: 2, overS: 9 * HOUR_S, coin: coins.wape, from: HOUR_S }, growing);
	list(apes, { listings: 3, coin: coins.ape }, growing);

	// Mints are paid in the currency that the contract takes.
	const minted = grow("minted-for-dollars", ["base"], 6, 1);
	for (const [at, from] of [SILENT_S, 75].entries()) {
		const price = steps(40_000 + random.below(9_000), coins.usdcOnBase);
		addEvent(minted, { kind: "mint", atS: growing.nowS - from - at, price }, random);
	}

	grow("told-nothing");
	const old = grow("told-old");
	trade(old, { sales: some(3, 9), overS: 3 * DAY_S, coin: coins.eth, from: 2 * DAY_S }, growing);
	list(old, { listings: 1, coin: coins.eth }, growing);

	const shores = grow("told-shores", ["base", "ethereum"], 10);
	trade(shores, { sales: some(8, 9), overS: 20 * HOUR_S, coin: coins.eth }, growing);
	list(shores, { listings: 6, coin: coins.eth }, growing);

	const far = grow("far-away", ["ethereum"]);
	trade(far, { sales: some(3, 9), overS: 20 * HOUR_S, coin: coins.wethOnEthereum }, growing);
	list(far, { listings: some(2, 4), coin: coins.eth }, growing);

	for (const slug of ["stats-refused", "book-refused", "never-synced"]) {
		const refused = grow(slug);
		trade(refused, { sales: some(3, 9), overS: 20 * HOUR_S, coin: coins.eth }, growing);
		// Of a book that is refused only the floors of traits are told.
		const coin = slug === "book-refused" ? coins.usdcOnBase : coins.eth;
		list(refused, { listings: some(2, 4), coin }, growing);
	}
	for (const slug of ["pages-omitted", "pages-stuck"]) {
		const busy = grow(slug, ["base"], 40);
		trade(busy, { sales: PAGES_AND_HALF, overS: 22 * HOUR_S, coin: coins.eth }, growing);
		list(busy, { listings: 3, coin: coins.eth }, growing);
	}
	oddities(grow, growing);
}

/** Gives traits in each form that the document allows: missing, unique, null, no text. */
function distinguish({ tokens }: WorldCollection): void {
	const [alone, lacking, nothing, level, spaced] = tokens;
	alone?.traits.push({ trait_type: "Crown", value: "Gold" });
	lacking?.traits.pop();
	nothing?.traits.splice(0, 1, { trait_type: "Colour", value: "None" });
	level?.traits.push({ trait_type: "Level", value: 4, display_type: "number" });
	spaced?.traits.splice(0, 1, { trait_type: "Colour", value: " TEAL\u001f" });
}

type Book = { listings: number; coin: Coin; offers?: number };

/** Adds listings and offers at distinct prices: no two floors are equal, so that a mix-up shows. */
function list(to: WorldCollection, { listings, coin, offers = 0 }: Book, growing: Growing): void {
	const draw = (least: number) => least + growing.random.below(20_000);
	for (let at = 0; at < listings; at++) {
		const token = to.tokens[at % Math.max(1, to.tokens.length - 1)];
		addOrder(
			to,
			{ kind: "listing", token: token ?? null, price: steps(draw(30_000), coin) },
			growing,
		);
	}
	// A second listing of a listed token, and one that only one account may fill.
	const [first] = to.tokens;
	if (first)
		addOrder(to, { kind: "listing", token: first, price: steps(draw(60_000), coin) }, growing);
	const taker = addressOf("the only taker");
	addOrder(to, { kind: "listing", taker, price: steps(5, coin) }, growing);
	for (let at = 0; at < offers; at++) {
		const kind = at % 2 === 0 ? "item_offer" : "collection_offer";
		addOrder(to, { kind, price: steps(draw(1_000), coins.wethOnBase) }, growing);
	}
}

type Grow = (slug: string, chains?: string[], tokens?: number, ageDays?: number) => WorldCollection;

function oddities(grow: Grow, growing: Growing): void {
	const { random, nowS } = growing;
	const uncounted = grow("uncounted", ["base"], 3, 0);
	uncounted.claims = { owners: 0, totalSupply: 0, floor: { price: 0, symbol: "" } };

	const contradicted = grow("contradicted");
	contradicted.claims = { day: { volume: 0, volumeSymbol: "", sales: 57 } };

	const editions = growing.grow({
		slug: "told-editions",
		places: [placeOf("told-editions", "base", "erc1155")],
		tokens: 4,
	});
	for (let at = 1; at <= 5; at++) {
		const price = steps(700 + random.below(4_000), coins.eth);
		const quantity = 1 + random.below(5);
		addEvent(editions, { kind: "sale", atS: nowS - at * 3_000, quantity, price }, random);
	}

	const minting = grow("told-minting", ["base"], 8, 1);
	const stage = { uuid: "stage", type: "public_sale", label: "All", price: 2n * 10n ** 16n };
	const times = { startS: nowS - 2 * HOUR_S, endS: nowS + 9 * HOUR_S };
	const later = { startS: times.endS, endS: times.endS + DAY_S };
	const inDollars = { ...stage, uuid: "later", price: 25_000_000n, coin: coins.usdcOnBase };
	const inWrapped = { ...stage, uuid: "last", coin: coins.wethOnBase };
	minting.drop = {
		stages: [
			{ ...stage, ...times },
			{ ...inDollars, ...later },
			{ ...inWrapped, ...later },
		],
		totalSupply: "8",
		maxSupply: "500",
	};
	for (const [at, token] of minting.tokens.entries()) {
		const atS = nowS - 400 - at * 900;
		const self = addressOf(`minter ${at}`);
		const isTransfer = at % 2 === 0;
		const from = isTransfer ? self : ZERO;
		const kind = isTransfer ? "transfer" : "mint";
		addEvent(minting, { kind, atS, token, from, to: self }, random);
	}
	addEvent(minting, { kind: "transfer", atS: nowS - 90, price: null }, random);

	const doubtful = grow("doubtful");
	const washer = addressOf("who sells to itself");
	const price = steps(90_000, coins.eth);
	trade(doubtful, { sales: 3, overS: 2 * HOUR_S, coin: coins.eth }, growing);
	addEvent(
		doubtful,
		{ kind: "sale", atS: nowS - 4_000, price: { total: 0n, coin: coins.eth } },
		random,
	);
	addEvent(doubtful, { kind: "sale", atS: nowS - 4_500, from: washer, to: washer, price }, random);
}

/** Adds to the provider all events of the chain in its collection, in the provider's form. */
export function tell(shared: WorldCollection, deeds: readonly Deed[], { random }: Growing): void {
	const [place] = shared.places;
	for (const deed of deeds.filter(({ contract }) => contract === place?.address)) {
		const token = shared.tokens.find(({ id }) => id === deed.tokenId.toString());
		if (!token) throw new Error(`${shared.slug} has no token ${deed.tokenId}`);
		const coin = coinOf(deed);
		const { kind, from, to, transactionHash: transaction } = deed;
		const price = kind === "sale" && deed.total !== null ? { total: deed.total, coin } : null;
		const atS = deed.atMs / 1_000;
		addEvent(shared, { kind, atS, token, from, to, price, transaction }, random);
		token.owner = to;
	}
}

function coinOf({ currency }: Deed): Coin {
	const coin = Object.values(coins).find(({ address }) => address === currency);
	return coin ?? coins.eth;
}
