import type { Figure } from "#test/e2e/oracle/expected/Figure.ts";
import { ether, worthOf } from "#test/e2e/oracle/expected/worthOf.ts";
import type { Fact, View } from "#test/e2e/oracle/Known.ts";

const MINUTE_MS = 60_000;
export const WINDOWS = {
	"5m": 5 * MINUTE_MS,
	"1h": 60 * MINUTE_MS,
	"6h": 360 * MINUTE_MS,
	"24h": 1_440 * MINUTE_MS,
	"7d": 7 * 1_440 * MINUTE_MS,
} as const;

export type Window = keyof typeof WINDOWS;

/** Returns the start of a window: windows begin at a whole minute. */
export const windowStart = (nowMs: number, window: Window) =>
	Math.floor((nowMs - WINDOWS[window]) / MINUTE_MS) * MINUTE_MS;

export function factsSince(facts: readonly Fact[], kind: Fact["kind"], startMs: number): Fact[] {
	return facts.filter((fact) => fact.kind === kind && fact.accepted && fact.atMs >= startMs);
}

/**
 * Returns sales, volume and mints of a window, by sections 2.1 to 2.6 and "Windows" of the
 * decisions.
 */
export function windowFigures(view: View, nowMs: number, window: Window) {
	const startMs = windowStart(nowMs, window);
	const { lanesFromMs } = view;
	const count = (kind: Fact["kind"]): Figure => {
		const known = factsSince(view.known, kind, startMs);
		const truth = factsSince(view.truth, kind, startMs);
		const isLooked = known.length > 0 || looked(view, nowMs);
		const wasLooked = known.length > 0 || lookedAfter(view, startMs + 2 * MINUTE_MS);
		return {
			unit: "count",
			window,
			value: isLooked ? known.length : null,
			mayBeNull: isLooked && !wasLooked,
			raw: null,
			reasons: isLooked ? [] : ["not_covered"],
			sources: sourcesOf(view),
			span: { startMs, endMs: nowMs, known, truth, priced: 1, lanesFromMs },
			share: null,
			toldAt: null,
		};
	};
	const sales = denied(count("sale"), view);
	return { sales, mints: count("mint"), volume: volumeOf(sales) };
}

/** Turns a zero into unknown for a day on which the provider's stats count sales. */
function denied(sales: Figure, { told, isSole, lanesFromMs }: View): Figure {
	const isNone = sales.value === 0 && sales.window === "24h";
	const day = told.stats.at(-1)?.answer.intervals.find((one: any) => one.interval === "one_day");
	if (!isNone || !isSole || !((day?.sales ?? 0) > 0)) return sales;
	const figure = { ...sales, reasons: ["contradicted"] };
	// The chain's own zero stands where its lanes read the whole day.
	const isWhole = lanesFromMs !== null && lanesFromMs <= (sales.span?.startMs ?? 0) + MINUTE_MS;
	return isWhole ? { ...figure, mayBeNull: true } : { ...figure, value: null };
}

function volumeOf(sales: Figure): Figure {
	const known = sales.span?.known ?? [];
	const worths = known.flatMap((sale) => worthOf(sale) ?? []);
	const raw = worths.reduce((sum, worth) => sum + worth, 0n);
	const figure = { ...sales, unit: "ETH" as const };
	const unknown = { ...figure, value: null, raw: null };
	if (sales.value === null) return unknown;
	if (known.length === 0) return { ...figure, value: 0, raw };
	if (worths.length === 0) return { ...unknown, reasons: ["no_price"] };
	const span = sales.span && { ...sales.span, priced: worths.length / known.length };
	return { ...figure, value: ether(raw), raw, span };
}

/** Says whether a minute of any window up to now was read. */
function looked({ lanesFromMs, told, address }: View, nowMs: number): boolean {
	const isRead = lanesFromMs !== null && lanesFromMs < nowMs - 2 * MINUTE_MS;
	return isRead || (told.eventAnswers.length > 0 && address !== null);
}

/**
 * Says whether a source certainly told something after this time: a block was read, or an answer
 * came.
 */
function lookedAfter({ lanesUntilMs, lanesFromMs, told }: View, atMs: number): boolean {
	// A first reading covers the time until it began, however long its pages took.
	const [first] = told.eventAnswers;
	const answered = first !== undefined && first.atMs > atMs;
	const isRead =
		lanesUntilMs !== null && lanesUntilMs > Math.max(atMs, (lanesFromMs ?? 0) + 2 * MINUTE_MS);
	return answered || isRead;
}

function sourcesOf({ lanesFromMs, told }: View): string[] {
	return [
		...(lanesFromMs === null ? [] : ["chain"]),
		...(told.eventAnswers.length > 0 ? ["provider"] : []),
	];
}

export const RANGES = { "1h": 1, "24h": 24, "7d": 168, "30d": 720, all: null } as const;

/** Returns accepted sales of a range, which begins at a whole minute. */
export function inRange(facts: readonly Fact[], range: keyof typeof RANGES, nowMs: number): Fact[] {
	const hours = RANGES[range];
	const startMs = hours === null ? 0 : Math.floor(nowMs / MINUTE_MS - hours * 60) * MINUTE_MS;
	return factsSince(facts, "sale", startMs);
}
