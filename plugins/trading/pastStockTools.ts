// Records what stock tokens cost, and offers the agent's tools about past prices and moves.

import { z } from "zod";
import type { Clock } from "#core/clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import { httpFault } from "#core/http/faults.ts";
import { field } from "#core/http/openapi/schema.ts";
import { toDisplayNumber } from "#core/money.ts";
import { isPeriodName, minutesOf, type Period, periodOf } from "#core/period.ts";
import { type AnyTool, defineTool } from "#core/plugin/Tool.ts";
import type { Job } from "#core/schedule.ts";
import { MINUTE_MS } from "#core/time.ts";
import { registryFault } from "#plugins/trading/faults.ts";
import type { References } from "#plugins/trading/prices/createReference.ts";
import { type Asset, type Assets, assetOf } from "#plugins/trading/registry/createAssets.ts";
import { MICROS_DECIMALS } from "#plugins/trading/renderAsset.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";
import {
	addStockPrices,
	dropStockPrices,
	readStockKeptFrom,
	readStockSpans,
	type StockPrice,
	type StockSpan,
} from "#plugins/trading/sql/stockPrices.ts";
import { assetInput, dollarWords, findAsset } from "#plugins/trading/stockTools.ts";

type PastStockDeps = {
	core: { db: Queryable; clock: Clock };
	chainId: number;
	assets: Pick<Assets, "find">;
	reference: Pick<References, "last">;
};

const NOTE_EVERY_MS = 15 * MINUTE_MS;
const NOTE_TIMEOUT_MS = 30_000;
const DROP_EVERY_MS = 24 * 60 * MINUTE_MS;
const DROP_TIMEOUT_MS = 120_000;

/** Limits the stocks that a line names. */
const MOVERS_SHOWN = 10;
const NAMED_IN_LINE = 4;
const LINE_MAX = 160;

const periodInput = z
	.string()
	.max(40)
	.refine(isPeriodName, "must be a time such as 7d, yesterday-utc, october-utc or 2026-10-14")
	.meta({
		description:
			"So long until now (`24h`, `since-monday-utc`), a day (`2026-10-14`), a month (`2026-10`), or " +
			"a moment (`7d-ago`, `2026-10-14-14:00`); UTC.",
		examples: ["7d"],
	});

const usd = (description: string) => field.number(description, 412.5).nullable();

const moveSchema = z.object({
	symbol: field.text("Its ticker.", "TSLA"),
	from: field.time("When the time that was asked for begins."),
	until: field.time("When it ends; the same as `from` for a moment."),
	firstUsd: usd("The price at its beginning, or the first that is kept after it; null: none is."),
	firstAt: field.time("When that was.").nullable(),
	lastUsd: usd("The price at its end: of now, where it ends now; null: not known."),
	lastAt: field.time("When that was; null: not known.").nullable(),
	lowestUsd: usd("The lowest that is kept of that time; null for a moment."),
	highestUsd: usd("The highest that is kept of that time; null for a moment."),
	nowUsd: usd("The price of now, or the last before the market closed; null: not known."),
	changePercent: field
		.number("From `firstUsd` to `lastUsd`, for a moment to `nowUsd`; null: not known.", 1.2)
		.nullable(),
	keptFrom: field.time("Since when prices of it are kept; null: none is.").nullable(),
	asOf: field.time("When this was read."),
});
type Move = z.output<typeof moveSchema>;

/** Returns the tools about past prices of stock tokens: one's, two's, and whose moved most. */
export function pastStockTools(deps: PastStockDeps): AnyTool[] {
	return [pastTool(deps), compareTool(deps), moversTool(deps)];
}

/**
 * Returns the jobs that record prices each quarter of an hour while the market is open, and delete
 * old ones. What is not known, or only the last price before a close, is not recorded.
 */
export function stockPriceJobs({ core: { db, clock }, chainId, reference }: PastStockDeps): Job[] {
	return [
		{
			name: "trading.note_stock_prices",
			schedule: { everyMs: NOTE_EVERY_MS },
			lock: "cluster",
			timeoutMs: NOTE_TIMEOUT_MS,
			async run({ signal }) {
				const at = new Date(Math.floor(clock.nowMs() / MINUTE_MS) * MINUTE_MS);
				const prices: StockPrice[] = [];
				for (const asset of await stocksOf(db, chainId)) {
					signal.throwIfAborted();
					const price = await reference.last(asset);
					if (price?.market !== "open") continue;
					prices.push({ token: asset.address, at, micros: price.microsPerUnit });
				}
				await addStockPrices(db, prices);
			},
		},
		{
			name: "trading.drop_stock_prices",
			schedule: { everyMs: DROP_EVERY_MS },
			lock: "cluster",
			timeoutMs: DROP_TIMEOUT_MS,
			run: () => dropStockPrices(db),
		},
	];
}

async function stocksOf(db: Queryable, chainId: number): Promise<Asset[]> {
	const rows = await assetRows.all(db, chainId);
	return rows.filter(({ kind, status }) => kind === "stock" && status === "active").map(assetOf);
}

const shared = { capability: "trading", effect: "read", access: "everybody" } as const;

function pastTool(deps: PastStockDeps): AnyTool {
	return defineTool({
		...shared,
		name: "read_past_stock",
		title: "A stock token's past price",
		description:
			"Returns what one whole stock token cost in USD at a past moment, or at both ends of a time " +
			"with its lowest, highest and change. Prices are kept each 15 minutes for 30 days, then the " +
			"last of each day for two years; null is not known.",
		input: z.strictObject({ asset: assetInput, window: periodInput.default("24h") }),
		output: moveSchema.extend({ window: z.string() }),
		async run({ asset: text, window }) {
			const period = periodFor(deps, window);
			const found = await findAsset({ db: deps.core.db, assets: deps.assets }, text);
			if (found.kind === "choose") return found;
			return { kind: "done", output: { ...(await moveOf(deps, found.asset, period)), window } };
		},
		line: (move) => pastLine(move, spanWords(move)),
		asOfMs: ({ asOf }) => Date.parse(asOf),
	});
}

function compareTool(deps: PastStockDeps): AnyTool {
	return defineTool({
		...shared,
		name: "read_stock_comparison",
		title: "Two stock tokens compared",
		description:
			"Returns how the prices of two stock tokens changed in a time, in percent, and what each costs " +
			"now in USD. Null is not known.",
		input: z.strictObject({
			asset: assetInput,
			other: assetInput,
			window: periodInput.default("24h"),
		}),
		output: z.object({ window: z.string(), moves: z.array(moveSchema) }),
		async run({ asset, other, window }) {
			const period = periodFor(deps, window);
			const moves: Move[] = [];
			for (const [slot, text] of Object.entries({ asset, other })) {
				const found = await findAsset({ db: deps.core.db, assets: deps.assets }, text);
				if (found.kind === "choose") return { ...found, slot };
				moves.push(await moveOf(deps, found.asset, period));
			}
			return { kind: "done", output: { window, moves } };
		},
		line({ window, moves: [one, other] }) {
			if (!one || !other) return "Nothing is known.";
			return `${spanWords({ ...one, window })}: ${[one, other].map(changeWords).join(", ")}.`;
		},
		asOfMs: ({ moves }) => Math.min(...moves.map(({ asOf }) => Date.parse(asOf))),
	});
}

function moversTool(deps: PastStockDeps): AnyTool {
	return defineTool({
		...shared,
		name: "read_stock_movers",
		title: "Stock tokens that moved most",
		description:
			"Returns up to ten stock tokens whose price in USD changed most in a time, up or down, the " +
			"largest change first. One whose price of then or now is not known is left out.",
		input: z.strictObject({ window: periodInput.default("24h") }),
		output: z.object({
			window: z.string(),
			movers: z.array(
				z.object({ symbol: z.string(), changePercent: z.number(), nowUsd: z.number() }),
			),
			compared: z.int().meta({ description: "How many stock tokens were compared." }),
			asOf: z.string().meta({ description: "When this was read, ISO 8601." }),
		}),
		async run({ window }) {
			const { core, chainId, reference } = deps;
			const { fromMs } = periodFor(deps, window);
			const stocks = await stocksOf(core.db, chainId);
			const tokens = stocks.map(({ address }) => address);
			const [from, nowMs] = [new Date(fromMs), core.clock.nowMs()];
			const spans = await readStockSpans(core.db, { tokens, from, until: from });
			const before = new Map(spans.map(({ token, before: held }) => [token, held]));
			const moved: { symbol: string; changePercent: number; nowUsd: number }[] = [];
			for (const asset of stocks) {
				const now = await reference.last(asset);
				const nowUsd = now && usdOf(now.microsPerUnit);
				const changePercent = percentOf(usdOf(before.get(asset.address)?.micros), nowUsd);
				if (changePercent === null || nowUsd === null) continue;
				moved.push({ symbol: asset.symbol, changePercent, nowUsd });
			}
			const movers = moved
				.toSorted((a, b) => Math.abs(b.changePercent) - Math.abs(a.changePercent))
				.slice(0, MOVERS_SHOWN);
			const asOf = new Date(nowMs).toISOString();
			return { kind: "done", output: { window, movers, compared: moved.length, asOf } };
		},
		line({ window, movers }) {
			if (movers.length === 0) return `No price of stock tokens is kept of ${window} ago.`;
			const named = movers.slice(0, NAMED_IN_LINE).map(({ symbol, changePercent, nowUsd }) => {
				return `${symbol} ${percentWords(changePercent)} to ${dollarWords(nowUsd)}`;
			});
			return `Moved most, ${window}: ${named.join(", ")}.`;
		},
		asOfMs: ({ asOf }) => Date.parse(asOf),
	});
}

function periodFor({ core: { clock } }: PastStockDeps, name: string): Period {
	const period = periodOf(name, clock.nowMs());
	if (period !== null) return period;
	const message = `"${name}" is still to come, is no date, or is more than ten years ago.`;
	throw httpFault.malformedBody({ public: message });
}

async function moveOf(
	{ core: { db, clock }, chainId, reference }: PastStockDeps,
	asset: Asset,
	{ fromMs, untilMs }: Period,
): Promise<Move> {
	const row = await assetRows.read(db, chainId, asset.address);
	if (row?.kind !== "stock") throw registryFault.notFound();
	const [from, until] = [new Date(fromMs), new Date(untilMs)];
	const [[span], keptFrom, now] = await Promise.all([
		readStockSpans(db, { tokens: [asset.address], from, until }),
		readStockKeptFrom(db, asset.address),
		reference.last(assetOf(row)),
	]);
	const nowMs = clock.nowMs();
	const isNow = untilMs >= nowMs;
	const last = isNow
		? now && { at: new Date(nowMs - now.ageMs), micros: now.microsPerUnit }
		: (span?.last ?? span?.before ?? null);
	const isMoment = fromMs === untilMs;
	const first = isMoment ? (span?.before ?? null) : (span?.before ?? span?.first ?? null);
	const nowUsd = usdOf(now?.microsPerUnit);
	const ends = isMoment ? nowUsd : usdOf(last?.micros);
	return {
		symbol: asset.symbol,
		from: from.toISOString(),
		until: until.toISOString(),
		firstUsd: usdOf(first?.micros),
		firstAt: first?.at.toISOString() ?? null,
		lastUsd: usdOf((isMoment ? first : last)?.micros),
		lastAt: (isMoment ? first : last)?.at.toISOString() ?? null,
		...(isMoment ? { lowestUsd: null, highestUsd: null } : boundsOf(span, [first, last])),
		nowUsd,
		changePercent: percentOf(usdOf(first?.micros), ends),
		keptFrom: keptFrom?.toISOString() ?? null,
		asOf: new Date(nowMs).toISOString(),
	};
}

/** Returns the lowest and the highest of the record and of both ends. */
function boundsOf(
	span: StockSpan | undefined,
	ends: readonly ({ micros: bigint } | null)[],
): Pick<Move, "lowestUsd" | "highestUsd"> {
	const known = [span?.least, span?.greatest, ...ends.map((end) => end?.micros)].flatMap(
		(micros) => usdOf(micros) ?? [],
	);
	if (known.length === 0) return { lowestUsd: null, highestUsd: null };
	return { lowestUsd: Math.min(...known), highestUsd: Math.max(...known) };
}

function usdOf(micros: bigint | null | undefined): number | null {
	return micros === null || micros === undefined ? null : toDisplayNumber(micros, MICROS_DECIMALS);
}

function percentOf(from: number | null, to: number | null): number | null {
	return from === null || to === null || from <= 0 ? null : ((to - from) / from) * 100;
}

function pastLine(move: Move, when: string): string {
	const { symbol, firstUsd, firstAt, lastUsd, lowestUsd, highestUsd, nowUsd, keptFrom } = move;
	if (firstUsd === null || firstAt === null) {
		const since = keptFrom === null ? "none is kept yet" : `kept since ${timeWords(keptFrom)}`;
		return `1 ${symbol} ${when}: not known, ${since}. Now ${priceWords(nowUsd)}.`;
	}
	const change = percentWords(move.changePercent);
	if (move.from === move.until) {
		const seen = ` (${timeWords(firstAt)})`;
		return `1 ${symbol} ${when}: ${dollarWords(firstUsd)}${seen}. Now ${priceWords(nowUsd)}, ${change}.`;
	}
	// A price long after the beginning is none of it.
	const late = firstAt > move.from ? ` from ${timeWords(firstAt)}` : "";
	const bounds = `, lowest ${priceWords(lowestUsd)}, highest ${priceWords(highestUsd)}`;
	const ends = `1 ${symbol} ${when}${late}: ${dollarWords(firstUsd)} to ${priceWords(lastUsd)}, ${change}`;
	return `${ends}${ends.length + bounds.length < LINE_MAX ? bounds : ""}.`;
}

function changeWords({ symbol, changePercent, nowUsd, firstAt, from }: Move): string {
	const late = firstAt !== null && firstAt > from ? ` (from ${timeWords(firstAt)})` : "";
	return `${symbol} ${percentWords(changePercent)}${late}, now ${priceWords(nowUsd)}`;
}

function priceWords(price: number | null): string {
	return price === null ? "not known" : dollarWords(price);
}

function percentWords(percent: number | null): string {
	if (percent === null) return "change not known";
	const size = Math.abs(percent).toFixed(1);
	return `${size === "0.0" ? "" : percent < 0 ? "−" : "+"}${size} %`;
}

/** Returns the time that an answer is about: `7d`, or its dates. */
function spanWords({ window, from, until }: Pick<Move, "from" | "until"> & { window: string }) {
	if (minutesOf(window) !== undefined) return window;
	if (from === until) return timeWords(from);
	return `${timeWords(from).replace(" UTC", "")} to ${timeWords(until)}`;
}

function timeWords(iso: string): string {
	return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}
