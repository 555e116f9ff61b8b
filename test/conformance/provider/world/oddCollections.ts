// Lists collections and texts that are allowed but unusual.

import {
	addEvent,
	type Growing,
	list,
	placeOf,
	steps,
	trade,
	ZERO,
} from "#test/conformance/provider/world/growCollection.ts";
import {
	addressOf,
	coins,
	hashOf,
	type WorldCollection,
	type WorldToken,
} from "#test/conformance/provider/world/World.ts";

export type HostileText = {
	name: string;
	token: Partial<WorldToken>;
	/** What no answer may contain, whatever it shows in its place. */
	never: RegExp;
};

const images = (url: string) => ({ imageUrl: url, displayImageUrl: url });

/** What a token of a stranger says of itself, and what of that must not be passed on. */
export const hostileTexts: readonly HostileText[] = [
	{
		name: "a script in the place of an image",
		token: images("javascript:alert(document.cookie)"),
		never: /javascript:/i,
	},
	{
		name: "a page in the place of an image",
		token: images("data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=="),
		never: /data:text\/html/i,
	},
	{
		name: "an address of the machine's own network",
		token: images("http://169.254.169.254/latest/meta-data/iam"),
		never: /169\.254\.169\.254/,
	},
	{
		name: "credentials in an address",
		token: images("https://admin:hunter2@pictures.example/a.png"),
		never: /hunter2/,
	},
	{
		name: "a trait that is an object",
		token: {
			traits: [
				{ trait_type: "Colour", value: { $ne: "planted-object" } },
				{ trait_type: "Shape", value: "Round" },
			],
		},
		never: /planted-object/,
	},
	{
		name: "a trait of 10,000 characters",
		token: { traits: [{ trait_type: "Essay", value: "w".repeat(10_000) }] },
		never: /w{5000}/,
	},
	{
		name: "a name that turns the text around",
		token: { name: "abc\u202eexe.gpj" },
		never: /\u202e/,
	},
];

const onBase = (slug: string) => [placeOf(slug, "base")];

/** Collections of which the document allows, or the field has seen, something unusual. */
export function oddCollections(growing: Growing): void {
	uncounted(growing);
	volumeWithoutAmount(growing);
	units(growing);
	transfers(growing);
	hugeIds(growing);
	doubtfulSales(growing);
	withoutHashes(growing);
	hostile(growing);
}

/** A launch that nobody has counted: the provider says 0 of everything. */
function uncounted({ grow }: Growing): void {
	const geese = grow({
		slug: "uncounted-geese",
		places: onBase("uncounted-geese"),
		tokens: 3,
		ageDays: 0,
	});
	geese.claims = { owners: 0, totalSupply: 0, floor: { price: 0, symbol: "" } };
}

/** 57 sales for nothing: the amount is not known, the count is. */
function volumeWithoutAmount(growing: Growing): void {
	const slug = "volume-mystery";
	const mystery = growing.grow({ slug, places: onBase(slug), tokens: 5 });
	mystery.claims = {
		day: { volume: 0, volumeSymbol: "", sales: 57 },
		total: { volume: 0, volumeSymbol: "", sales: 570 },
	};
	list(mystery, { listings: 2, coin: coins.eth }, growing);
}

/** ERC-1155: one sale of many units, and prices that are for all of them. */
function units(growing: Growing): void {
	const slug = "river-editions";
	const editions = growing.grow({ slug, places: [placeOf(slug, "base", "erc1155")], tokens: 4 });
	const { random, nowS } = growing;
	for (const [ago, quantity, total] of [
		[600, 4, 4_000],
		[1_800, 3, 1_000],
		[5_400, 1, 700],
	] as const) {
		const price = steps(total, coins.eth);
		addEvent(editions, { kind: "sale", atS: nowS - ago, quantity, price }, random);
	}
}

/** A mint that is told as a transfer to oneself, a mint told as one, and plain transfers. */
function transfers(growing: Growing): void {
	const slug = "passing-hands";
	const hands = growing.grow({ slug, places: onBase(slug), tokens: 6 });
	const { random, nowS } = growing;
	const [first, second, third] = hands.tokens;
	const self = addressOf("minted to itself");
	const given = addressOf("minted from nobody");
	if (!first || !second || !third) throw new Error(`${slug} has three tokens`);
	addEvent(
		hands,
		{ kind: "transfer", atS: nowS - 500, token: first, from: self, to: self },
		random,
	);
	addEvent(hands, { kind: "mint", atS: nowS - 700, token: second, from: ZERO, to: given }, random);
	addEvent(hands, { kind: "transfer", atS: nowS - 900, token: third }, random);
}

function hugeIds(growing: Growing): void {
	const slug = "endless-numbers";
	const numbers = growing.grow({ slug, places: onBase(slug), tokens: 3 });
	for (const [at, token] of numbers.tokens.entries()) token.id = String(2n ** 200n + BigInt(at));
	trade(numbers, { sales: 3, overS: 7_200, coin: coins.eth }, growing);
	list(numbers, { listings: 2, coin: coins.eth }, growing);
}

/** Sales that count in no figure: for nothing, and with oneself. */
function doubtfulSales(growing: Growing): void {
	const slug = "doubtful-deals";
	const deals = growing.grow({ slug, places: onBase(slug), tokens: 6 });
	const { random, nowS } = growing;
	const washer = addressOf("who sells to itself");
	trade(deals, { sales: 3, overS: 7_200, coin: coins.eth }, growing);
	const free = { total: 0n, coin: coins.eth };
	addEvent(deals, { kind: "sale", atS: nowS - 4_000, price: free }, random);
	const price = steps(90_000, coins.eth);
	addEvent(deals, { kind: "sale", atS: nowS - 4_500, from: washer, to: washer, price }, random);
}

/** `transaction` is optional in the document. */
function withoutHashes(growing: Growing): void {
	const slug = "nameless-trades";
	const trades = growing.grow({ slug, places: onBase(slug), tokens: 6 });
	const { random, nowS } = growing;
	for (const [at, token] of trades.tokens.slice(0, 4).entries()) {
		const price = steps(400 + at, coins.eth);
		const atS = nowS - 900 * (at + 1);
		addEvent(trades, { kind: "sale", atS, token, price, transaction: null }, random);
	}
}

/** Each token says something that nobody should be shown, and was sold once. */
function hostile(growing: Growing): void {
	const slug = "false-faces";
	const faces = growing.grow({ slug, places: onBase(slug), tokens: hostileTexts.length });
	faces.description = "Harmless \u202etxet desrever\u202c and \u0007bell";
	const { random, nowS } = growing;
	for (const [at, token] of faces.tokens.entries()) {
		const text = hostileTexts[at];
		if (!text) continue;
		Object.assign(token, text.token);
		const transaction = hashOf(`${slug} ${text.name}`);
		const price = steps(500, coins.eth);
		const atS = nowS - 300 - 60 * at;
		addEvent(faces, { kind: "sale", atS, token, price, transaction }, random);
	}
	nameOf(faces);
}

function nameOf(collection: WorldCollection): void {
	collection.name = "False\u202e secaF\u202c";
}
