// Reads the provider's lists by the clock, and registers what they show.

import type { Chain } from "#core/chain/Chain.ts";
import { Fault } from "#core/fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import { sleep } from "#core/time.ts";
import {
	DISCOVER_EVERY_MS,
	DISCOVER_TIMEOUT_MS,
	type DiscoveryContext,
	FILLED_PER_TICK_MAX,
	fillStats,
	readProviderList,
} from "#plugins/market-index/discovery/providerLists.ts";
import {
	LIST_MODES,
	type ListMode,
	resolveListed,
	stalestFirst,
	storeList,
} from "#plugins/market-index/discovery/sql.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { registerListed } from "#plugins/market-index/register/registerCollections.ts";

/** Says until when rate limits are waited for. */
type Patience = { untilMs: number; signal: AbortSignal; wait: typeof sleep };

/** The shortest wait for a rate limit, so that a tick ends whatever time the provider names. */
const LIMIT_WAIT_MIN_MS = 500;

/**
 * Makes a job that reads the provider's lists each minute, so that no request has to: it registers
 * every listed contract, and reads floor and owners of the first rows that lack them.
 *
 * A list that fails leaves the one before, which is served for a quarter of an hour. A limit that
 * ends within the minute is waited out: syncs use up the provider's limit, and a tick that gave up
 * at once could meet that same moment every minute.
 */
export function discoveryJob(
	context: DiscoveryContext,
	chains: readonly Chain[],
	wait: typeof sleep = sleep,
): Job {
	const { core, provider } = context;
	return {
		name: "market-index.discovery",
		schedule: { everyMs: DISCOVER_EVERY_MS },
		lock: "cluster",
		timeoutMs: DISCOVER_TIMEOUT_MS,
		async run({ signal }) {
			if (!provider.isOn) return;
			// All lists come before all figures: when time is short only figures are missing.
			const lists: { chain: Chain; mode: ListMode }[] = [];
			for (const chain of chains) for (const mode of LIST_MODES) lists.push({ chain, mode });
			const patience: Patience = {
				untilMs: core.clock.nowMs() + DISCOVER_TIMEOUT_MS,
				signal,
				wait,
			};
			const due = await stalestFirst(core.db, lists);
			const read = await inTurn(context, { items: due, patience }, (list) =>
				refresh(context, list, signal),
			);
			if (!read.isWhole) return;
			await inTurn(context, { items: read.made, patience }, (rows) =>
				fillStats(context, rows, { purpose: "background", signal, limit: FILLED_PER_TICK_MAX }),
			);
		},
	};
}

/**
 * Returns the chains that `NFT_DISCOVERY_CHAINS` names besides those indexed: their lists come from
 * the provider, and the index has only its data on them.
 */
export function discoveredChains(
	core: Pick<Core, "chains"> & { indexed: readonly Pick<Core["indexed"][number], "chain">[] },
	names: readonly string[],
): readonly Chain[] {
	const indexed = new Set(core.indexed.map(({ chain }) => chain.id));
	const named = new Map<number, Chain>();
	for (const name of names) {
		const chain = core.chains.bySlug(name);
		if (!chain) {
			const known = core.chains.all.map(({ slug }) => slug).join(", ");
			throw marketFault.discoveryChainUnknown({
				public: `NFT_DISCOVERY_CHAINS names "${name}", which is not defined. Defined are: ${known}.`,
			});
		}
		if (!indexed.has(chain.id)) named.set(chain.id, chain);
	}
	return [...named.values()];
}

/**
 * Runs items one after the other; a long limit ends the run, another fault of the provider only its
 * own item.
 */
async function inTurn<Item, Made>(
	{ core }: DiscoveryContext,
	{ items, patience }: { items: readonly Item[]; patience: Patience },
	run: (item: Item) => Promise<Made>,
): Promise<{ made: Made[]; isWhole: boolean }> {
	const made: Made[] = [];
	const left = [...items];
	for (let item = left.shift(); item !== undefined; ) {
		try {
			made.push(await run(item));
		} catch (error) {
			if (!(error instanceof Fault)) throw error;
			if (patience.signal.aborted) return { made, isWhole: false };
			const waitMs = limitMs(error);
			if (core.clock.nowMs() + waitMs < patience.untilMs) {
				await patience.wait(waitMs, patience.signal);
				continue;
			}
			core.log.debug("the provider's lists were not read to the end", { code: error.code });
			if (error.code === "rate_limited") return { made, isWhole: false };
		}
		item = left.shift();
	}
	return { made, isWhole: true };
}

/** Returns how long a limit lasts, in ms; infinite where it does not say, or for another fault. */
function limitMs({ code, members }: Fault): number {
	const told = code === "rate_limited" ? members["retryAfterMs"] : null;
	return typeof told === "number" ? Math.max(told, LIMIT_WAIT_MIN_MS) : Number.POSITIVE_INFINITY;
}

async function refresh(
	context: DiscoveryContext,
	{ chain, mode }: { chain: Chain; mode: ListMode },
	signal: AbortSignal,
) {
	const { core, provider } = context;
	const key = { chainId: chain.id, mode };
	const rows = await readProviderList(provider, key, { purpose: "background", signal });
	const answered = context.answered.map(({ id }) => id);
	await registerListed(core, answered, rows);
	const refreshedAtMs = core.clock.nowMs();
	await storeList(core.db, { ...key, by: "worker" }, { rows, refreshedAtMs });
	const resolved = await resolveListed(core.db, rows);
	await context.discovered(resolved.flatMap(({ own }) => (own && !own.excluded ? own.id : [])));
	// Figures of a slug with several contracts belong to none of them.
	return resolved.flatMap(({ own, listed }) =>
		own && !own.excluded && !listed.isShared ? { id: own.id, slug: listed.slug } : [],
	);
}
