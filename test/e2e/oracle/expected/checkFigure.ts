import { type Check, type Expected, isNear } from "#test/e2e/oracle/differences.ts";
import type { Figure } from "#test/e2e/oracle/expected/Figure.ts";
import type { Fact } from "#test/e2e/oracle/Known.ts";

/** How often each figure was a number, and how often null for each reason. */
export type Tally = Map<string, number>;

const MINUTE_MS = 60_000;
/** The time until an answer is stored: the test advances the clock while one may be under way. */
const TOLD_MS = 10 * MINUTE_MS;

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

const nameOf = ({ kind, transaction, tokenId, contract }: Fact) =>
	`${kind} ${transaction} ${contract} ${tokenId}`;
