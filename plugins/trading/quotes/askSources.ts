import { Fault } from "#core/fault/Fault.ts";
import type { QuoteAsk, QuoteSource, SourceRoute } from "#plugins/trading/quotes/QuoteSource.ts";

/** The answer of one source, and when it was asked; or why there was none. */
export type SourceAnswer =
	| { kind: "route"; source: string; route: SourceRoute; askedAtMs: number }
	| { kind: "none"; source: string; code: string; detail: string; askedAtMs: number };

/**
 * Asks all sources at the same time and returns their answers in the same order. A source that is
 * not done by the deadline counts as having no answer.
 */
export async function askSources(
	sources: readonly QuoteSource[],
	given: { ask: QuoteAsk; nowMs: number; signal: AbortSignal; deadlineMs: number },
): Promise<SourceAnswer[]> {
	const { ask, nowMs: askedAtMs, signal, deadlineMs } = given;
	const deadline = AbortSignal.timeout(deadlineMs);
	const both = AbortSignal.any([signal, deadline]);
	return Promise.all(
		sources.map(async (source): Promise<SourceAnswer> => {
			const { name } = source;
			try {
				const route = await orAborted(source.ask(ask, both), both);
				return { kind: "route", source: name, route, askedAtMs };
			} catch (error) {
				signal.throwIfAborted();
				const none = { kind: "none", source: name, askedAtMs } as const;
				if (deadline.aborted) {
					return { ...none, code: "source_timeout", detail: "It did not answer in time." };
				}
				if (!(error instanceof Fault)) throw error;
				return { ...none, code: error.code, detail: error.publicDetail };
			}
		}),
	);
}

/** Rejects when the signal aborts, even if the source ignores its signal. */
function orAborted<Result>(answer: Promise<Result>, signal: AbortSignal): Promise<Result> {
	const { promise, resolve, reject } = Promise.withResolvers<Result>();
	const giveUp = () => reject(signal.reason);
	signal.addEventListener("abort", giveUp, { once: true });
	answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
	return promise;
}
