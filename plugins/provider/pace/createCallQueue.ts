// Queues calls by purpose, and states each purpose's share of the limit.

import type { BudgetShare, BudgetTerms } from "#core/budget/Budget.ts";
import type { Fault } from "#core/fault.ts";
import { MINUTE_MS } from "#core/time.ts";
import type { ProviderCallOptions, ProviderPurpose } from "#plugins/provider/contract.ts";
import { providerFault } from "#plugins/provider/faults.ts";
import {
	CALL_DISTANCE_MS,
	CALLS_FOR_BUYERS,
	CALLS_FOR_CLIENTS,
	CALLS_FOR_FULFILMENTS,
	CALLS_OF_BACKGROUND_MAX,
	CALLS_OF_CLIENTS_MAX,
	CALLS_OF_ENDLESS_MAX,
	CALLS_OF_PLANS_MAX,
	CALLS_OF_SEARCHES_MAX,
	CALLS_OF_VIEWS_MAX,
	CALLS_PER_MINUTE_MAX,
	PAGE_CALLS_WAITING_MAX,
	PROVIDER_ID,
	QUEUE_CALLS_MAX,
} from "#plugins/provider/limits.ts";

/** Says who refused a call: the provider with its 429, or our own pace before it was sent. */
export type RefusedBy = "provider" | "pace";

export type Turn = { bucket: Bucket } & ProviderCallOptions;

export type Waiting = Turn & {
	/** The time that it has waited for the shared limit, and until when it need not ask again. */
	budgetWaitedMs: number;
	refusedUntilMs: number;
	begin(release: () => void): void;
	fail(error: unknown): void;
};

/** The calls of this process that wait for their turn, those for clients first. */
export type CallQueue = {
	/**
	 * Waits for a turn; resolves to the function given to `begin`. Leaves the queue when its signal
	 * aborts.
	 */
	join(turn: Turn): Promise<() => void>;
	/** Returns the next call among those that may begin. */
	next(may: (waiting: Waiting) => boolean): Waiting | undefined;
	waiting(): readonly Waiting[];
	/** Returns false if it had left already. */
	remove(waiting: Waiting): boolean;
	drop(waiting: Waiting, error: unknown): void;
};

/** Calls that the provider counts separately: one used-up bucket leaves the other as it is. */
export type Bucket = "read" | "fulfilment";

/** Most urgent first: the last ones give up their place in a full queue first. */
const PURPOSES = [
	"request",
	"plan",
	"view",
	"search",
	"background",
	"endless",
] as const satisfies Turn["purpose"][];

/** Purposes of clients, in the order of their turns. */
const CLIENTS = ["request", "plan", "view", "search"] as const;

const BACKGROUND_FIRST = ["background", "endless"] as const;
const ENDLESS_FIRST = ["endless", "background"] as const;

const CLIENT: BudgetShare = { of: "client", perWindow: CALLS_OF_CLIENTS_MAX };

const SHARES: Readonly<Record<ProviderPurpose, readonly BudgetShare[]>> = {
	request: [CLIENT],
	plan: [CLIENT, { of: "plan", perWindow: CALLS_OF_PLANS_MAX }],
	view: [CLIENT, { of: "view", perWindow: CALLS_OF_VIEWS_MAX }],
	search: [CLIENT, { of: "search", perWindow: CALLS_OF_SEARCHES_MAX }],
	background: [{ of: "background", perWindow: CALLS_OF_BACKGROUND_MAX }],
	endless: [{ of: "endless", perWindow: CALLS_OF_ENDLESS_MAX }],
};

/** The last calls of the minute that a purpose leaves to more urgent ones. */
const LEFT: Readonly<Record<ProviderPurpose, number>> = {
	request: 0,
	plan: CALLS_FOR_FULFILMENTS,
	view: CALLS_FOR_BUYERS,
	search: CALLS_FOR_BUYERS,
	background: CALLS_FOR_CLIENTS,
	endless: CALLS_FOR_CLIENTS,
};

export function createCallQueue(): CallQueue {
	const queue: Waiting[] = [];
	/** The order of the two purposes without a waiting client. */
	let turns: readonly [Turn["purpose"], Turn["purpose"]] = BACKGROUND_FIRST;

	function remove(waiting: Waiting): boolean {
		const index = queue.indexOf(waiting);
		if (index >= 0) queue.splice(index, 1);
		return index >= 0;
	}
	function drop(waiting: Waiting, error: unknown): void {
		if (remove(waiting)) waiting.fail(error);
	}
	/** Makes room in a full queue: drops the last call of a less urgent purpose, or throws. */
	function makeRoom(purpose: Turn["purpose"]): void {
		const isPage = (one: Turn["purpose"]) => one === "view" || one === "search";
		const pages = queue.filter((waiting) => isPage(waiting.purpose)).length;
		const isCrowd = isPage(purpose) && pages >= PAGE_CALLS_WAITING_MAX;
		if (queue.length < QUEUE_CALLS_MAX && !isCrowd) return;
		const error = tooOften(QUEUE_CALLS_MAX * CALL_DISTANCE_MS, {
			detail: "too many wait for their turn",
			refusedBy: "pace",
		});
		const lesser = PURPOSES.slice(PURPOSES.indexOf(purpose) + 1).toReversed();
		// A crowd of pages may take only the places of other pages and searches.
		for (const one of isCrowd ? lesser.filter(isPage) : lesser) {
			const last = queue.findLast((waiting) => waiting.purpose === one);
			if (!last) continue;
			drop(last, error);
			return;
		}
		throw error;
	}

	return {
		join(turn) {
			return new Promise((resolve, reject) => {
				const givenUp = () => providerFault.unavailable({ detail: "the call was given up" });
				if (turn.signal?.aborted) return reject(givenUp());
				makeRoom(turn.purpose);
				const onAbort = () => drop(waiting, givenUp());
				const settled = () => turn.signal?.removeEventListener("abort", onAbort);
				const waiting: Waiting = {
					...turn,
					budgetWaitedMs: 0,
					refusedUntilMs: Number.NEGATIVE_INFINITY,
					begin(release) {
						settled();
						resolve(release);
					},
					fail(error) {
						settled();
						reject(error);
					},
				};
				turn.signal?.addEventListener("abort", onAbort, { once: true });
				queue.push(waiting);
			});
		},
		next(may) {
			const firstOf = (purpose: Turn["purpose"]) =>
				queue.find((waiting) => waiting.purpose === purpose && may(waiting));
			for (const purpose of CLIENTS) {
				const asked = firstOf(purpose);
				if (asked) return asked;
			}
			const [one, other] = turns;
			const first = firstOf(one) ?? firstOf(other);
			if (first) turns = first.purpose === "background" ? ENDLESS_FIRST : BACKGROUND_FIRST;
			return first;
		},
		waiting: () => [...queue],
		remove,
		drop,
	};
}

/**
 * Returns the Fault of a refused call, with the time to wait; `detail` is for the log. `meta` says
 * what refused it: a pause after a 429 must not follow from our own limits.
 */
export function tooOften(
	retryAfterMs: number,
	{ detail, refusedBy }: { detail: string; refusedBy: RefusedBy },
): Fault {
	const seconds = Math.ceil(retryAfterMs / 1_000);
	return providerFault.rateLimited({
		public: `The marketplace provider is being asked too often. Try again in ${seconds} s.`,
		detail,
		meta: { refusedBy },
		members: { provider: PROVIDER_ID, retryAfterMs: Math.ceil(retryAfterMs) },
	});
}

/** Says whether no client waits for a call of this purpose. */
export function isBackground(purpose: ProviderPurpose): boolean {
	return purpose === "background" || purpose === "endless";
}

/**
 * Returns the budget terms of one call of this purpose: it is granted where the whole limit and
 * each of its shares have room. Whatever all others do, 30 calls a minute are left to the
 * background, 10 to buyers and the books of their plans (5 of them to buyers alone), and 10 to
 * pages and searches while no one buys.
 */
export function termsOf(purpose: ProviderPurpose): BudgetTerms {
	const perWindow = CALLS_PER_MINUTE_MAX - LEFT[purpose];
	return { amount: 1, perWindow, windowMs: MINUTE_MS, shares: SHARES[purpose] };
}
