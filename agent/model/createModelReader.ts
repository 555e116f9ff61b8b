import { z } from "zod";
import type { Asked } from "#agent/contract.ts";
import type { Grammar, Reading } from "#agent/grammar/Grammar.ts";
import { instructionsFor } from "#agent/model/instructionsFor.ts";
import { keepsQualifiers, type QualifierRules } from "#agent/model/keepsQualifiers.ts";
import { quotesAuthor } from "#agent/model/quotesAuthor.ts";
import type { Budget } from "#core/budget/Budget.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { Fault } from "#core/fault/Fault.ts";
import { createMemoryLimiter } from "#core/limiter/createMemoryLimiter.ts";
import type { Log } from "#core/log/Log.ts";
import type { Counter } from "#core/metrics/createMetrics.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "#core/time/units.ts";

/** Reads a text that the grammar does not; null where it cannot, may not or is not sure. */
export type ReadByModel = (asked: Asked) => Promise<Reading | null>;

/** Asks a language model; answers what it wrote and the tokens that took. Throws when it fails. */
export type CallModel = (request: {
	instructions: string;
	text: string;
	tokensMax: number;
	signal: AbortSignal;
}) => Promise<{ written: unknown; tokens: number }>;

export type ModelReaderDeps = {
	grammar: Grammar;
	rules: QualifierRules;
	clock: Clock;
	call: CallModel;
	budget: Budget;
	log: Log;
	readings: Counter<"outcome">;
	timeoutMs: number;
	/** What the model may take in any 24 hours, in tokens, by all processes together. */
	dailyTokensMax: number;
};

/** What a model may answer: one strict command, or that it found none. */
const answerSchema = z.strictObject({ command: z.string().max(300).nullable() });

/** Of an answer: a command is short, and some models think aloud before it. */
const ANSWER_TOKENS_MAX = 1_024;
/** What the grammar refuses as too long never gets here. */
const TEXT_LENGTH_MAX = 2_000;
/** A token is rarely shorter than this; texts of other scripts are no commands. */
const CHARS_PER_TOKEN = 3;
/** A day's tokens come hour by hour: whoever takes all leaves none for an hour, not a day. */
const WINDOWS_PER_DAY = DAY_MS / HOUR_MS;
/** The budget remembers each unit it gave, so a unit is a thousandth of the hour's tokens. */
const UNITS_PER_WINDOW = 1_000;
const BUDGET_NAME = "agent model";
/** So many guests at least it takes to use up an hour's tokens of all guests, in one process. */
const GUESTS_AT_LEAST = 5;

/**
 * Makes the reader of last resort. The model writes a strict command, and nothing else: the same
 * grammar reads that, and each value in it must stand in the author's own text. The request holds
 * the grammar's description and this one text: no history, no tool's answer, nobody else's words.
 */
export function createModelReader(deps: ModelReaderDeps): ReadByModel {
	const instructions = instructionsFor(deps.grammar);
	const hasShare = guestShares(tokensFor(instructions, TEXT_LENGTH_MAX), deps);
	return async (asked) => {
		const read: Outcome = hasShare(asked)
			? await readText(asked, instructions, deps)
			: { outcome: "over_share" };
		deps.readings.inc({ outcome: read.outcome });
		return read.reading ?? null;
	};
}

type Outcome = {
	outcome:
		| "read"
		| "none"
		| "over_budget"
		| "over_share"
		| "failed"
		| "unread"
		| "not_quoted"
		| "not_whole";
	reading?: Reading;
};

async function readText(
	asked: Asked,
	instructions: string,
	deps: ModelReaderDeps,
): Promise<Outcome> {
	const { grammar, log, timeoutMs } = deps;
	const { text } = asked;
	const reserved = tokensFor(instructions, text.length);
	if (!(await take(reserved, asked, deps))) return { outcome: "over_budget" };
	let command: string | null;
	try {
		const late = AbortSignal.timeout(timeoutMs);
		const signal = AbortSignal.any([asked.signal, late]);
		const request = { instructions, text, tokensMax: ANSWER_TOKENS_MAX, signal };
		const { written, tokens } = await orAborted(() => deps.call(request), signal);
		// What it took beyond what was asked for is paid as well, as far as there is any left.
		if (tokens > reserved) await take(tokens - reserved, asked, deps, true);
		command = answerSchema.parse(written).command;
	} catch (error) {
		// Not the error itself: the library's holds the whole request, and that is somebody's words.
		log.warn("the language model gave no usable answer", { reason: reasonOf(error) });
		return { outcome: "failed" };
	}
	if (command === null) return { outcome: "none" };
	const parsed = grammar.parse(command);
	if (parsed.kind === "unread") return { outcome: "unread" };
	if (!quotesAuthor(parsed.reading, text)) return { outcome: "not_quoted" };
	if (!keepsQualifiers(parsed.reading, text, deps.rules)) return { outcome: "not_whole" };
	return { outcome: "read", reading: parsed.reading };
}

function tokensFor(instructions: string, textLength: number): number {
	return Math.ceil((instructions.length + textLength) / CHARS_PER_TOKEN) + ANSWER_TOKENS_MAX;
}

/**
 * Makes what says whether somebody may ask the model now. Each guest has a fifth of what all guests
 * have in an hour, in whole calls and one at least; whoever is signed in has the hour's budget.
 */
function guestShares(
	tokensPerCall: number,
	{ dailyTokensMax, clock }: ModelReaderDeps,
): (asked: Asked) => boolean {
	const ofGuests = dailyTokensMax / WINDOWS_PER_DAY / 2;
	const calls = Math.floor(ofGuests / GUESTS_AT_LEAST / tokensPerCall);
	const limiter = createMemoryLimiter({
		requestsMax: Math.max(1, calls),
		windowSeconds: HOUR_MS / SECOND_MS,
		clock,
	});
	return ({ caller, guest = "" }) => caller.profileId !== null || limiter.takeNow(guest).allowed;
}

function reasonOf(error: unknown): string {
	if (error instanceof Fault) return error.message;
	return error instanceof Error ? `${error.name}: ${error.message}` : "not an error";
}

/** Takes tokens of the hour's; where not all are left, none, or with `isOwed` those that are. */
async function take(tokens: number, asked: Asked, deps: ModelReaderDeps, isOwed = false) {
	const hourlyMax = Math.floor(deps.dailyTokensMax / WINDOWS_PER_DAY);
	const perUnit = Math.max(1, Math.floor(hourlyMax / UNITS_PER_WINDOW));
	const perWindow = Math.min(UNITS_PER_WINDOW, hourlyMax);
	const isGuest = asked.caller.profileId === null;
	// Whoever is not signed in has half: strangers cannot silence the others.
	const guests = Math.floor(perWindow / 2);
	const most = isGuest ? guests : perWindow;
	const amount = Math.ceil(tokens / perUnit);
	// An hour's tokens that do not hold one call: no model.
	if (most === 0 || (amount > most && !isOwed)) return false;
	const shares = isGuest ? [{ of: "guests", perWindow: guests }] : [];
	const terms = { perWindow, windowMs: HOUR_MS, shares };
	try {
		const answer = await deps.budget.take(BUDGET_NAME, {
			amount: Math.min(amount, most),
			...terms,
		});
		if (answer.granted || !isOwed || answer.remaining === 0) return answer.granted;
		await deps.budget.take(BUDGET_NAME, { amount: answer.remaining, ...terms });
		return false;
	} catch (error) {
		deps.log.warn("the model's budget could not be asked", { error });
		return false;
	}
}

/** Settles with the signal, also where the one who works does not listen to it. */
async function orAborted<Result>(
	work: () => Promise<Result>,
	signal: AbortSignal,
): Promise<Result> {
	signal.throwIfAborted();
	const { promise, reject } = Promise.withResolvers<never>();
	const give = () => reject(signal.reason);
	signal.addEventListener("abort", give, { once: true });
	try {
		return await Promise.race([work(), promise]);
	} finally {
		signal.removeEventListener("abort", give);
	}
}
