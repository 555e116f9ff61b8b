import type { Fault } from "#core/fault/Fault.ts";
import type {
	Provider,
	ProviderCallOptions,
	ProviderPush,
	ProviderStream,
	ProviderStreamState,
} from "#plugins/provider/contract.ts";
import { providerFault } from "#plugins/provider/faults.ts";

export type ProviderMethod = Exclude<keyof Provider, "id" | "isOn" | "isConnected" | "stream">;
export type ProviderAnswers = { [Method in ProviderMethod]: Provider[Method] };
/** One call; `args` without the options. */
export type ProviderCall = {
	method: ProviderMethod;
	args: readonly unknown[];
	options: ProviderCallOptions & Record<string, unknown>;
	purpose: ProviderCallOptions["purpose"];
};
type Gap = { slugs: readonly string[]; sinceMs: number };

export type FakeProvider = {
	/** The provider that a plugin gets. */
	provider: Provider;
	/** Every call so far, oldest first, including failed ones. */
	calls: ProviderCall[];
	callsOf(method: ProviderMethod): ProviderCall[];
	/** The answer of each method. Replace one to change it; by default they answer null or []. */
	answers: ProviderAnswers;
	/** Makes the method fail with this error; `null` ends that. */
	fail(method: ProviderMethod, fault: Error | null): void;
	/** Makes every method fail with this error; `null` ends that. */
	failAll(fault: Error | null): void;
	/** Faults as the real client makes them. */
	faults: {
		rateLimited(retryAfterMs?: number): Fault;
		unavailable(): Fault;
		unreadable(): Fault;
		refused(): Fault;
	};
	connected: boolean | null;
	/** The stream, driven by the test; each call returns when every listener is done. */
	stream: {
		state: ProviderStreamState;
		followed: readonly string[];
		push(...pushes: ProviderPush[]): Promise<void>;
		gap(gap: Gap): Promise<void>;
	};
};

/**
 * Makes the marketplace provider in memory: a test sets answers and faults, reads the calls with
 * their purposes, and fires pushes and gaps.
 *
 * @example
 * const fake = createFakeProvider();
 * fake.answers.slugOf = async () => "cats";
 * fake.fail("stats", fake.faults.rateLimited(2_000));
 * await fake.stream.gap({ slugs: ["cats"], sinceMs: 0 });
 */
export function createFakeProvider({ isOn = true }: { isOn?: boolean } = {}): FakeProvider {
	const calls: ProviderCall[] = [];
	const failing = new Map<ProviderMethod, Error>();
	const pushed: ((pushes: readonly ProviderPush[]) => Promise<void>)[] = [];
	const gapped: ((gap: Gap) => Promise<void>)[] = [];
	let failingAll: Error | null = null;
	const answers = nothing();

	const record =
		(method: ProviderMethod) =>
		async (...args: unknown[]) => {
			const options = args.at(-1) as ProviderCall["options"];
			calls.push({ method, args: args.slice(0, -1), options, purpose: options.purpose });
			if (!isOn) throw providerFault.off();
			const fault = failingAll ?? failing.get(method);
			if (fault) throw fault;
			return (answers[method] as (...args: unknown[]) => Promise<unknown>)(...args);
		};

	const stream: ProviderStream = {
		state: () => fake.stream.state,
		follow: (slugs) => {
			fake.stream.followed = [...slugs];
		},
		onPushes: (listener) => void pushed.push(listener),
		onGap: (listener) => void gapped.push(listener),
	};
	const recorded = Object.fromEntries(
		(Object.keys(answers) as ProviderMethod[]).map((method) => [method, record(method)]),
	) as unknown as ProviderAnswers;
	const fake: FakeProvider = {
		provider: { id: "opensea", isOn, isConnected: () => fake.connected, stream, ...recorded },
		calls,
		callsOf: (method) => calls.filter((call) => call.method === method),
		answers,
		fail(method, fault) {
			if (fault) failing.set(method, fault);
			else failing.delete(method);
		},
		failAll(fault) {
			failingAll = fault;
		},
		faults: {
			rateLimited: (retryAfterMs = 1_000) =>
				providerFault.rateLimited({
					meta: { refusedBy: "provider" },
					members: { provider: "opensea", retryAfterMs },
				}),
			unavailable: () => providerFault.unavailable(),
			unreadable: () => providerFault.unreadable(),
			refused: () => providerFault.refused(),
		},
		connected: null,
		stream: {
			state: "off",
			followed: [],
			async push(...pushes) {
				for (const listener of pushed) await listener(pushes);
			},
			async gap(gap) {
				for (const listener of gapped) await listener(gap);
			},
		},
	};
	return fake;
}

/** Returns the answers of a provider that knows nothing. */
function nothing(): ProviderAnswers {
	const noPage = async () => ({ items: [], cursor: null });
	const none = async () => null;
	return {
		newest: noPage,
		trending: noPage,
		top: noPage,
		search: async () => [],
		slugOf: none,
		collection: none,
		stats: none,
		traits: none,
		traitFloors: none,
		events: noPage,
		listings: noPage,
		bestListings: noPage,
		bestListing: none,
		offers: noPage,
		order: none,
		nft: none,
		nfts: noPage,
		drops: noPage,
		drop: none,
		listingFulfilment: none,
	};
}
