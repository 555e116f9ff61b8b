// Offers the agent's tools about the NFTs of a profile's wallets: held, traded, and realised.

import { z } from "zod";
import type { Clock } from "#core/clock.ts";
import { httpFault } from "#core/http/faults.ts";
import { isPeriodName, minutesOf, periodOf } from "#core/period.ts";
import { type AnyTool, defineTool, type ToolAnswer, type ToolContext } from "#core/plugin/Tool.ts";
import type { FoundCollection, MarketIndex } from "#plugins/market-index/contract.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

type OwnNftDeps = {
	clock: Clock;
	wallets: Pick<Wallets, "principalOf">;
	market: Pick<MarketIndex, "resolve" | "accounts">;
};

type Scope = { collection?: string | undefined; chain?: string | undefined };

/** Limits the wallets that are looked at, the rows of each, and what a line names. */
const WALLETS_MAX = 10;
const ROWS_MAX = 50;
const NAMED_IN_LINE = 4;
const LINE_MAX = 160;
const NAME_MAX = 32;
const WEI_PER_ETH = 1e18;

const scopeInput = z.strictObject({
	collection: z
		.string()
		.regex(/^(?=.*\S)[^\p{Cc}]*$/u, "must be text on one line")
		.max(200)
		.optional()
		.meta({ description: "Only of this collection: its slug, address or whole name." }),
	chain: z.string().max(64).optional().meta({ description: "Only on this chain." }),
});

const eth = (description: string) =>
	z
		.number()
		.nullable()
		.meta({ description: `${description}, in ETH equivalents.` });
const count = (description: string) => z.int().meta({ description });
const text = (description: string) => z.string().meta({ description });

const heldOutput = z.object({
	collection: z.string().nullable().meta({ description: "What was asked for; null: all." }),
	isKnown: z.boolean().meta({ description: "False: nobody walked any contract of these chains." }),
	tokens: z
		.array(
			z.object({
				chain: text("Slug of the chain."),
				collection: text("The collection's name, else its slug."),
				tokenId: text("The token's id."),
				units: text("Units that the wallet holds."),
				rank: z.int().nullable().meta({ description: "OpenRarity rank; null without one." }),
				floorNative: eth("The collection's floor; null: not known"),
			}),
		)
		.meta({ description: `Up to ${ROWS_MAX} tokens of each wallet.` }),
	collections: z
		.array(z.object({ name: z.string(), units: z.int(), valueNative: eth("At the floor") }))
		.meta({ description: "Units by collection, the most valuable first." }),
	units: count("Units of walked collections."),
	valueNative: eth("What they are worth at their floors; null: none has one"),
	unitsWithoutFloor: count("Units that are in no sum."),
	notKnown: z
		.array(z.string())
		.meta({ description: "Collections that it got tokens of, and whose owners are not known." }),
});
type Held = z.output<typeof heldOutput>;

const tradedOutput = z.object({
	type: z.enum(["bought", "sold", "minted"]),
	window: z.string().nullable().meta({ description: "The time that was asked for; null: all." }),
	from: text("When it begins, ISO 8601."),
	until: text("When it ends, ISO 8601."),
	trades: z
		.array(
			z.object({
				collection: text("The collection's name, else its slug."),
				chain: text("Slug of the chain."),
				tokenId: text("The token's id."),
				quantity: text("Units."),
				priceNative: eth("What was paid for all of them; null: not known"),
				occurredAt: text("When, ISO 8601."),
				transactionHash: text("The transaction.").nullable(),
			}),
		)
		.meta({ description: `The newest ${ROWS_MAX} of each wallet, newest first.` }),
	hasMore: z.boolean().meta({ description: "Whether there are more than these." }),
	isPartial: z.boolean().meta({ description: "Whether events of that time may be missing." }),
});

const resultOutput = z.object({
	collection: z.string().nullable().meta({ description: "What was asked for; null: all." }),
	tokens: count("Tokens of which units were sold."),
	unitsSold: count("Units sold."),
	unitsRealised: count("Units whose price and cost are both known; the sums are of these."),
	proceedsNative: eth("What these were sold for"),
	costNative: eth("What these were bought or minted for"),
	realisedNative: eth("Proceeds less cost, without fees and gas; null: nothing is realised"),
	realisedUsd: z.number().nullable().meta({ description: "The same in US dollars of each time." }),
	isPartial: z.boolean().meta({ description: "Whether events may be missing." }),
});

/** Returns the tools about what a profile's wallets hold of NFTs, traded and realised. */
export function ownNftTools(deps: OwnNftDeps): AnyTool[] {
	return [heldTool(deps), tradedTool(deps), resultTool(deps)];
}

const shared = { capability: "market", effect: "read", access: "profile" } as const;

function heldTool(deps: OwnNftDeps): AnyTool {
	return defineTool<z.output<typeof scopeInput>, Held>({
		...shared,
		name: "read_own_nfts",
		title: "Your NFTs",
		description:
			"Returns the NFTs that your wallets hold, by the service's own walks over contracts, with what " +
			"they are worth at their collections' floors. Collections that are not walked are named, and " +
			"in no sum.",
		input: scopeInput,
		output: heldOutput,
		async run({ collection, chain }, context) {
			const scope = await scopeOf(deps, { collection, chain });
			if (scope.kind === "choose") return scope;
			const found = await Promise.all(
				(await addressesOf(deps, context)).map((address) =>
					deps.market.accounts.holdings({ ...scope.asked, address, limit: ROWS_MAX }),
				),
			);
			return { kind: "done", output: heldOf(found, scope.found?.slug ?? null) };
		},
		line: heldLine,
		asOfMs: () => null,
	});
}

type Holdings = Awaited<ReturnType<MarketIndex["accounts"]["holdings"]>>;

function heldOf(found: readonly Holdings[], collection: string | null): Held {
	const known = found.flatMap(({ collections }) => collections ?? []);
	const byName = Map.groupBy(known, ({ chain, contractAddress }) => `${chain} ${contractAddress}`);
	const collections = [...byName.values()].map((rows) => ({
		name: rows[0]?.name ?? rows[0]?.slug ?? "",
		units: sumOf(rows.map(({ units }) => Number(units))),
		valueNative: knownSum(rows.map(({ valueNative }) => valueNative)),
	}));
	const summaries = found.flatMap(({ summary }) => summary ?? []);
	const unknown = found.flatMap(({ coverage }) => coverage.notWalked);
	return {
		collection,
		isKnown: summaries.length > 0,
		tokens: found
			.flatMap(({ data }) => data ?? [])
			.map(({ chain, collectionName, slug, tokenId, units, rank, floorNative }) => {
				return { chain, collection: collectionName ?? slug, tokenId, units, rank, floorNative };
			}),
		collections: collections.toSorted((a, b) => (b.valueNative ?? 0) - (a.valueNative ?? 0)),
		units: sumOf(summaries.map(({ units }) => Number(units))),
		valueNative: knownSum(summaries.map(({ valueNative }) => valueNative)),
		unitsWithoutFloor: sumOf(summaries.map((one) => Number(one.unitsWithoutFloor))),
		notKnown: [...new Set(unknown.map(({ name, slug }) => name ?? slug))],
	};
}

function heldLine(held: Held): string {
	const { isKnown, units, valueNative, unitsWithoutFloor, collections, tokens, notKnown } = held;
	const [first] = notKnown;
	const more = notKnown.length > 1 ? ` and ${notKnown.length - 1} more` : "";
	const unknown = first === undefined ? [] : [`not known: ${short(first)}${more}`];
	if (!isKnown) return lineOf("What your wallets hold is not known yet:", unknown);
	if (units === 0) return lineOf("Your wallets hold none that is known;", unknown);
	const isOne = held.collection !== null;
	const named = isOne
		? [
				`${short(collections[0]?.name ?? "")} ${tokens.slice(0, NAMED_IN_LINE).map(idText).join(" ")}`,
			]
		: collections.slice(0, NAMED_IN_LINE).map((one) => `${one.units} ${short(one.name)}`);
	const worth = valueNative === null ? "no floor is known" : `${ethText(valueNative)} at the floor`;
	const without = unitsWithoutFloor > 0 ? [`${unitsWithoutFloor} without a floor`] : [];
	return lineOf(`You hold ${units}:`, [...named, worth, ...without, ...unknown]);
}

function tradedTool(deps: OwnNftDeps): AnyTool {
	const input = scopeInput.extend({
		type: z.enum(["bought", "sold", "minted"]).default("bought").meta({ description: "Which." }),
		window: z
			.string()
			.max(40)
			.refine(isPeriodName, "must be a time such as 7d, yesterday-utc, october-utc or 2026-10-14")
			.default("all-time")
			.meta({ description: "Only of this time: `7d`, `2026-10`, `since-monday-utc`; UTC." }),
	});
	return defineTool<z.output<typeof input>, z.output<typeof tradedOutput>>({
		...shared,
		name: "read_own_nft_trades",
		title: "Your NFT trades",
		description:
			"Returns the NFTs that your wallets bought, sold or minted, one by one, newest first, with what " +
			"was paid in ETH equivalents. Fees and gas are not in it; null is not known.",
		input,
		output: tradedOutput,
		async run({ collection, chain, type, window }, context) {
			const period = periodOf(window, deps.clock.nowMs());
			if (period === null) {
				throw httpFault.malformedBody({ public: `"${window}" is still to come, or is no date.` });
			}
			const scope = await scopeOf(deps, { collection, chain });
			if (scope.kind === "choose") return scope;
			const [since, until] = [new Date(period.fromMs), new Date(period.untilMs)];
			const found = await Promise.all(
				(await addressesOf(deps, context)).map((address) => {
					const asked = { ...scope.asked, address, type, since, until, limit: ROWS_MAX };
					return deps.market.accounts.activity(asked);
				}),
			);
			const trades = found
				.flatMap(({ data }) => data)
				.filter(({ accepted }) => accepted)
				.map((one) => ({
					collection: one.collectionName ?? one.slug,
					chain: one.chain,
					tokenId: one.tokenId,
					quantity: one.quantity,
					priceNative: one.priceNative === null ? null : one.priceNative * Number(one.quantity),
					occurredAt: one.occurredAt,
					transactionHash: one.transactionHash,
				}))
				.toSorted((a, b) => b.occurredAt.localeCompare(a.occurredAt));
			const isAll = window === "all-time";
			const output = {
				...{ type, window: isAll ? null : window, trades },
				...{ from: since.toISOString(), until: until.toISOString() },
				hasMore: found.some((one) => one.hasMore),
				isPartial: found.some(({ coverage }) => coverage.some(({ partial }) => partial !== null)),
			};
			return { kind: "done", output };
		},
		line({ type, window, from, until, trades, hasMore, isPartial }) {
			const dates = `${from.slice(0, 10)} to ${until.slice(0, 10)}`;
			const when =
				window === null ? "" : minutesOf(window) === undefined ? ` ${dates}` : ` ${window}`;
			const part = isPartial ? [" (not all of that time is known)"] : [];
			if (trades.length === 0) return lineOf(`You ${type} none that is known${when}.`, part);
			const prices = trades.map(({ priceNative }) => priceNative);
			const isSum = prices.every((price) => price !== null) && type !== "minted";
			const sum = isSum ? [`${ethText(sumOf(prices.map(Number)))} together`] : [];
			const named = trades.slice(0, NAMED_IN_LINE).map((one) => {
				const price = one.priceNative === null ? "" : ` ${ethText(one.priceNative)}`;
				return `${short(one.collection)} ${idText(one)}${price} ${one.occurredAt.slice(0, 10)}`;
			});
			return lineOf(
				`You ${type} ${trades.length}${hasMore ? "+" : ""}${when}${part.length > 0 ? " (in part)" : ""}:`,
				[...(hasMore ? [] : sum), ...named],
			);
		},
		asOfMs: () => null,
	});
}

function resultTool(deps: OwnNftDeps): AnyTool {
	return defineTool<z.output<typeof scopeInput>, z.output<typeof resultOutput>>({
		...shared,
		name: "read_own_nft_result",
		title: "What you realised with NFTs",
		description:
			"Returns what your wallets' sales of NFTs brought less what these cost, first in, first out, in " +
			"ETH equivalents and US dollars; fees and gas are not taken off. What is still held is not in " +
			"it, nor units whose price or cost is not known.",
		input: scopeInput,
		output: resultOutput,
		async run({ collection, chain }, context) {
			const scope = await scopeOf(deps, { collection, chain });
			if (scope.kind === "choose") return scope;
			const found = await Promise.all(
				(await addressesOf(deps, context)).map((address) =>
					deps.market.accounts.result({ ...scope.asked, address, limit: 1 }),
				),
			);
			const sums = found.map(({ summary }) => summary);
			const realised = sums.filter(({ unitsRealised }) => unitsRealised !== "0");
			const wei = (raw: readonly string[]) =>
				Number(raw.reduce((sum, one) => sum + BigInt(one), 0n)) / WEI_PER_ETH;
			const isNone = realised.length === 0;
			const hasUsd = realised.every(
				(one) => one.realisedUsd !== null && one.unitsWithoutUsd === "0",
			);
			const output = {
				collection: scope.found?.slug ?? null,
				tokens: sumOf(sums.map(({ tokens }) => tokens)),
				unitsSold: sumOf(sums.map(({ unitsSold }) => Number(unitsSold))),
				unitsRealised: sumOf(sums.map(({ unitsRealised }) => Number(unitsRealised))),
				proceedsNative: isNone ? null : wei(realised.map(({ proceedsRaw }) => proceedsRaw)),
				costNative: isNone ? null : wei(realised.map(({ costRaw }) => costRaw)),
				realisedNative: isNone ? null : wei(realised.map(({ realisedRaw }) => realisedRaw)),
				realisedUsd: isNone || !hasUsd ? null : sumOf(realised.map((one) => one.realisedUsd ?? 0)),
				isPartial: found.some(
					({ readFrom, coverage }) =>
						readFrom !== null || coverage.some(({ partial }) => partial !== null),
				),
			};
			return { kind: "done", output };
		},
		line(output) {
			const { unitsSold, unitsRealised, realisedNative, realisedUsd, isPartial } = output;
			const part = isPartial ? ["not all that you did is known"] : [];
			if (unitsSold === 0) return lineOf("You sold none that is known;", part);
			const left = unitsSold - unitsRealised;
			const without = left > 0 ? [`${left} more sold, price or cost not known`] : [];
			if (realisedNative === null || output.costNative === null) {
				return lineOf("Realised: not known,", [...without, ...part]);
			}
			const dollars =
				realisedUsd === null
					? ""
					: ` (${realisedUsd < 0 ? "−" : "+"}$${Math.abs(realisedUsd).toFixed(2)})`;
			const sign = realisedNative < 0 ? "−" : "+";
			return lineOf(
				`Realised ${sign}${ethText(Math.abs(realisedNative))}${dollars} of ${unitsRealised} sold,`,
				[`cost ${ethText(output.costNative)}, without fees and gas`, ...without, ...part],
			);
		},
		asOfMs: () => null,
	});
}

type Asked = { chain: string | undefined; collectionId: number | null };
type Chosen = Extract<ToolAnswer<never>, { kind: "choose" }>;

/** Returns what to ask of each wallet, or a question where several collections fit. */
async function scopeOf(
	{ market }: Pick<OwnNftDeps, "market">,
	{ collection, chain }: Scope,
): Promise<{ kind: "scope"; asked: Asked; found: FoundCollection | null } | Chosen> {
	if (collection === undefined) {
		return { kind: "scope", asked: { chain, collectionId: null }, found: null };
	}
	const resolved = await market.resolve(collection, chain);
	if (resolved.kind === "choose") return resolved;
	const { found } = resolved;
	return { kind: "scope", asked: { chain: found.chain, collectionId: found.id }, found };
}

async function addressesOf(
	{ wallets }: Pick<OwnNftDeps, "wallets">,
	{ caller }: ToolContext,
): Promise<`0x${string}`[]> {
	const { profile } = await wallets.principalOf(caller);
	return [...new Set(profile.wallets.map(({ address }) => address))].slice(0, WALLETS_MAX);
}

function sumOf(values: readonly number[]): number {
	return values.reduce((sum, one) => sum + one, 0);
}

function knownSum(values: readonly (number | null)[]): number | null {
	const known = values.filter((one) => one !== null);
	return known.length === 0 ? null : sumOf(known);
}

function ethText(value: number): string {
	return `${value.toLocaleString("en-US", { maximumSignificantDigits: 4 })} ETH`;
}

function idText({ tokenId }: { tokenId: string }): string {
	return tokenId.length <= 12 ? `#${tokenId}` : `#${tokenId.slice(0, 5)}…${tokenId.slice(-5)}`;
}

function short(name: string): string {
	const letters = [...name];
	return letters.length <= NAME_MAX ? name : `${letters.slice(0, NAME_MAX - 1).join("")}…`;
}

/** Joins the parts that fit behind the head. */
function lineOf(head: string, parts: readonly string[]): string {
	let line = head;
	for (const [index, part] of parts.entries()) {
		const longer = `${line}${index === 0 ? " " : ", "}${part}`;
		if ([...longer].length > LINE_MAX) return line;
		line = longer;
	}
	return line.replace(/[;:,]$/, ".");
}
