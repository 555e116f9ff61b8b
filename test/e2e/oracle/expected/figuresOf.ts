// Calculates the expected figures of a collection, each with source and coverage.

import { type Check, type Expected, isNear } from "#test/e2e/oracle/differences.ts";
import { asksOf, newestOf, unitOf } from "#test/e2e/oracle/expected/bookOf.ts";
import {
	ether,
	type Figure,
	UNKNOWN,
	unitWorthOf,
	windowFigures,
} from "#test/e2e/oracle/expected/worthOf.ts";
import type { Fact, Told, View } from "#test/e2e/oracle/model.ts";

/** How often each figure was a number, and how often null for each reason. */
export type Tally = Map<string, number>;

const MINUTE_MS = 60_000;
/** The time until an answer is stored: the test advances the clock while one may be under way. */
const TOLD_MS = 10 * MINUTE_MS;

const nameOf = ({ kind, transaction, tokenId, contract }: Fact) =>
	`${kind} ${transaction} ${contract} ${tokenId}`;

const timesOf = (all: readonly Told[]) => all.map(({ atMs }) => atMs);

/** Returns every figure of a collection's page, from the chain and the provider's answers alone. */
export function figuresOf(view: View, nowMs: number): Record<string, Figure> {
	const { sales, volume } = windowFigures(view, nowMs, "24h");
	return {
		floorNative: floorOf(view),
		// No floor of a day ago exists to compare with.
		floorChange24hPercent: { ...UNKNOWN, unit: "percent", window: "24h", reasons: ["not_read"] },
		volume24hNative: volume,
		sales24h: sales,
		ownersCount: ownersOf(view),
		listedCount: listedOf(view),
		totalSupply: supplyOf(view),
		mints1h: windowFigures(view, nowMs, "1h").mints,
		mintedSupply: mintedOf(view),
		mintPriceNative: mintPriceOf(view),
	};
}

/** Returns checks for each member of a figure that names its source, coverage and reason. */
export function figureOf(figure: Figure, name: string, tally: Tally): Record<string, Expected> {
	const { value, unit, window, sources, reasons, toldAt, span, mayBeNull } = figure;
	return {
		value: (actual) => {
			const key = `${name} ${actual === null ? "null" : span ? "counted" : "told"}`;
			tally.set(key, (tally.get(key) ?? 0) + 1);
			return numberOf(figure)(actual);
		},
		valueRaw: unit === "ETH" ? rawOf(figure) : null,
		unit,
		source: (actual) => {
			if (mayBeNull || value === null || sources.includes(actual)) return undefined;
			return `${actual}, and not one of ${sources}`;
		},
		window,
		asOf: (actual) => {
			if (mayBeNull) return undefined;
			if (value === null) return actual === null ? undefined : "an unknown figure has a time";
			if (toldAt === null || actual === null) return undefined;
			const isThen = toldAt.some((atMs) => {
				const lateMs = Date.parse(actual) - atMs;
				return lateMs >= -MINUTE_MS && lateMs <= TOLD_MS;
			});
			const times = toldAt.map((atMs) => new Date(atMs).toISOString());
			return isThen ? undefined : `${actual}, and it was told at ${times}`;
		},
		coverage: (actual) => {
			return value === null || mayBeNull ? undefined : coverageProblem(figure, actual);
		},
		reason: (actual) => {
			if (mayBeNull) return undefined;
			if (value !== null) return actual === null ? undefined : `${actual} of a known figure`;
			const key = `${name} because ${actual}`;
			tally.set(key, (tally.get(key) ?? 0) + 1);
			return reasons.includes(actual) ? undefined : `${actual}, and not one of ${reasons}`;
		},
	};
}

/** Checks a plain member: the figure's number, or null where it is unknown. */
export function numberOf(figure: Figure): Check {
	return (actual) => {
		const { value, mayBeNull } = figure;
		if (actual === null && mayBeNull) return undefined;
		if (value === null) return actual === null ? undefined : `${actual}, and it is not known`;
		return isNear(actual, value) ? undefined : `${actual}, and not ${value}`;
	};
}

/** Returns what the exact integer beside an amount must be, or a check of it. */
export function rawOf({ raw, value, mayBeNull }: Figure): Expected {
	const exact = value === null || raw === null ? null : raw.toString();
	if (!mayBeNull) return exact;
	return (actual) => (actual === null || actual === exact ? undefined : `${actual}`);
}

/**
 * Checks the member `coverage` of a row: it names the figures covered in part; all others are
 * whole.
 */
export function partialOf(figures: Record<string, Figure>): Check {
	return (actual) => {
		if (typeof actual !== "object" || actual === null) return "no coverage by field";
		const strange = Object.keys(actual).filter((name) => !Object.hasOwn(figures, name));
		if (strange.length > 0) return `names ${strange}, which the row does not have`;
		const wrong = Object.entries(figures).flatMap(([name, figure]) => {
			if (figure.mayBeNull) return [];
			if (figure.value === null) return actual[name] ? [`${name} is unknown and covered`] : [];
			const problem = coverageProblem(figure, actual[name] ?? null);
			return problem === undefined ? [] : [`${name}: ${problem}`];
		});
		return wrong.length === 0 ? undefined : wrong.join("; ");
	};
}

/** Returns the provider's floor if it is in ether, else the best ask; zero is unknown. */
function floorOf(view: View): Figure {
	const stats = newestOf(view.told.stats);
	const { floor_price: told = 0, floor_price_symbol: symbol } = stats?.answer.total ?? {};
	const asks = asksOf(view);
	const units = (asks ?? []).flatMap((ask) => unitOf(ask) ?? []);
	const best = units.reduce<bigint | null>(
		(low, one) => (low === null || one < low ? one : low),
		null,
	);
	const isTold = view.isSole && told > 0 && symbol === "ETH";
	const value = isTold ? told : best && ether(best);
	// The provider's words are decimals of a few places; a double of wei would have more.
	const raw = isTold ? BigInt(Math.round(told * 1e9)) * 10n ** 9n : best;
	const isAsked = stats !== null || asks !== null;
	return {
		...UNKNOWN,
		unit: "ETH",
		value,
		raw,
		sources: ["provider"],
		reasons: isAsked ? ["not_read", "not_counted"] : ["not_read"],
		toldAt: timesOf([...view.told.stats, ...view.told.listings, ...view.told.allListings]),
	};
}

/**
 * Counts owners by a finished walk, else by the provider, else by the recipients that the index
 * saw.
 */
function ownersOf(view: View): Figure {
	const figure = { ...UNKNOWN, unit: "count" as const };
	if (view.owners)
		return { ...figure, value: view.owners.units.size, sources: ["walk"], reasons: [] };
	const counted = view.told.stats.filter(({ answer }) => answer.total.num_owners > 0);
	const told = view.isSole ? newestOf(counted) : null;
	if (told) {
		const value = told.answer.total.num_owners;
		return { ...figure, value, sources: ["provider"], reasons: [], toldAt: timesOf(counted) };
	}
	const got = view.known.filter(({ kind, accepted }) => kind !== "transfer" && accepted);
	const recipients = new Set(got.map(({ to }) => to)).size;
	const value = recipients === 0 ? null : recipients;
	// A zero of a provider that has not counted is no figure.
	const zero = view.isSole && view.told.stats.length > 0 ? ["not_counted"] : [];
	return { ...figure, value, sources: ["chain"], reasons: ["not_read", ...zero] };
}

/** Counts tokens with a listing, each once, if the whole book was read. */
function listedOf(view: View): Figure {
	const asks = asksOf(view);
	const toldAt = timesOf([...view.told.listings, ...view.told.allListings]);
	const value = asks && new Set(asks.map(({ tokenId }) => tokenId)).size;
	return { ...UNKNOWN, unit: "count", value, sources: ["provider"], reasons: ["not_read"], toldAt };
}

/** Returns minted less burned for a walked contract, else what the provider told. */
function supplyOf(view: View): Figure {
	const figure = { ...UNKNOWN, unit: "count" as const, reasons: ["not_read"] };
	if (view.owners) {
		const value = Number(view.owners.minted - view.owners.burned);
		return { ...figure, value, sources: ["walk"] };
	}
	const counted = view.told.pages.filter(({ answer }) => answer.total_supply > 0);
	const told = view.isSole ? newestOf(counted) : null;
	const zero = view.isSole && view.told.pages.length > 0 ? ["not_counted"] : [];
	if (!told) return { ...figure, reasons: ["not_read", ...zero] };
	const value = told.answer.total_supply;
	// Its time is not compared: a delayed sync may store it minutes after it was told.
	return { ...figure, value, sources: ["provider"] };
}

/** Counts units ever minted: by a walk all of them, else those that the index saw. */
function mintedOf(view: View): Figure {
	const figure = { ...UNKNOWN, unit: "count" as const };
	if (view.owners)
		return { ...figure, value: Number(view.owners.minted), sources: ["walk"], reasons: [] };
	const mints = view.known.filter(({ kind, accepted }) => kind === "mint" && accepted);
	const minted = Number(mints.reduce((sum, { quantity }) => sum + quantity, 0n));
	const supply = supplyOf(view).value;
	return {
		...figure,
		value: minted === 0 ? null : minted,
		sources: ["chain"],
		reasons: supply === null ? ["not_covered"] : ["not_covered", "contradicted"],
		share: supply === null ? null : Math.min(1, minted / supply),
	};
}

/** Returns the price of a unit at the newest mint; a free mint is 0, an untold price is unknown. */
function mintPriceOf({ known }: View): Figure {
	const last = known.filter(({ kind, accepted }) => kind === "mint" && accepted).at(-1);
	const raw = last ? unitWorthOf(last) : null;
	// No source told the price of a mint that only the provider told, without a payment.
	const reasons = [last && last.total !== null ? "no_price" : "not_read"];
	return {
		...UNKNOWN,
		unit: "ETH",
		value: raw === null ? null : ether(raw),
		raw,
		sources: ["chain"],
		reasons,
	};
}

/**
 * Returns what is false about a stated coverage, or undefined. All events of the time that it calls
 * read must have been told.
 */
function coverageProblem(figure: Figure, coverage: any): string | undefined {
	const { span, share } = figure;
	if (!span) return shareProblem(share, coverage);
	const { startMs, endMs, known, truth, priced, lanesFromMs } = span;
	const part = coverage ?? { from: null, until: null, fraction: 1 };
	const fromMs =
		part.from === null ? startMs + MINUTE_MS : Math.max(startMs, Date.parse(part.from));
	const untilMs = part.until === null ? endMs - MINUTE_MS : Math.min(endMs, Date.parse(part.until));
	const isKnown = new Set(known.map(nameOf));
	const left = truth.filter((fact) => {
		// An event that the lanes did not find where they read was never on the chain: only the
		// provider has it.
		const isElsewhere = fact.block === null && lanesFromMs !== null && fact.atMs >= lanesFromMs;
		const isInside = fact.atMs >= fromMs && fact.atMs <= untilMs;
		return isInside && !isElsewhere && !isKnown.has(nameOf(fact));
	});
	if (left.length > 0) return `${left.length} events of what it covers were never told`;
	const lengthMs = endMs - startMs;
	const exact = Math.min(1, Math.max(0, (untilMs - fromMs) / lengthMs)) * priced;
	const slack = (3 * MINUTE_MS) / lengthMs + 0.001;
	const isRight = part.fraction !== null && Math.abs(part.fraction - exact) <= slack;
	return isRight ? undefined : `a fraction of ${part.fraction}, and not ${exact.toFixed(4)}`;
}

function shareProblem(share: number | null, coverage: any): string | undefined {
	const told = coverage?.fraction ?? null;
	if (share === null) return told === null || told === 1 ? undefined : `a fraction of ${told}`;
	const exact = told ?? 1;
	return Math.abs(exact - share) < 0.001 ? undefined : `a fraction of ${told}, and not ${share}`;
}
