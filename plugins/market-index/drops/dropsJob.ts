// Reads announced mints from the provider by the clock.

import { Fault } from "#core/fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import { MINUTE_MS } from "#core/time.ts";
import { type StoredDrop, storedDrop, upsertDrops } from "#plugins/market-index/drops/drops.ts";
import type { Provider, ProviderDrop } from "#plugins/provider/contract.ts";

type DropsCore = Pick<Core, "db" | "clock" | "log" | "budget" | "indexed">;

/** The interval of reading drops. */
const DROPS_EVERY_MS = 300_000;

/** The pause of all drop calls after a 429 on one of them. */
const DROPS_PAUSE_MS = 300_000;
const DROP_CONCURRENCY = 2;

/** The most drop calls of all processes together in a minute: a third of the provider's 120. */
const DROP_CALLS_PER_MINUTE = 40;

/** Pages of each list in a run. */
const DROP_PAGES_MAX = 3;

/** Drops that are read one by one in a run. */
const DROP_DETAILS_MAX = 30;

const TYPES = ["featured", "upcoming", "recently_minted"] as const;

/** The budget of drop calls, which all processes share. */
const BUDGET = "provider-drops";

/**
 * Makes a job that reads the provider's drops, and the stages of those whose list left them out.
 *
 * Drop calls have a budget of their own besides the provider's limit. The first 429 ends the run
 * and pauses the budget from the refusal on: the next process waits for the rest of the five
 * minutes, however late in a run the refusal came.
 */
export function dropsJob(core: DropsCore, provider: Provider): Job {
	return {
		name: "market-index.drops",
		schedule: { everyMs: DROPS_EVERY_MS },
		lock: "cluster",
		timeoutMs: DROPS_EVERY_MS,
		async run({ signal }) {
			if (!provider.isOn) return;
			try {
				await readDrops(core, provider, signal);
			} catch (error) {
				if (!(error instanceof Fault) || signal.aborted) throw error;
				core.log.debug("drops were not read to the end", { code: error.code });
			}
		},
	};
}

async function readDrops(core: DropsCore, provider: Provider, signal: AbortSignal): Promise<void> {
	const lists = core.indexed.flatMap(({ chain }) =>
		TYPES.map((type) => ({ type, chainId: chain.id })),
	);
	const seen = new Map<string, ProviderDrop>();
	await inParallel(lists, signal, async (list) => {
		for (const drop of await readList(core, provider, { ...list, signal })) {
			// A list of one chain that names another chain's drop is not believed.
			if (drop.chainId === list.chainId) seen.set(`${drop.chainId}:${drop.contract}`, drop);
		}
	});
	const nowMs = core.clock.nowMs();
	const found = [...seen.values()].map(storedDrop);
	await core.db.transaction((tx) => upsertDrops(tx, found, { nowMs, withDetail: false }));
	await inParallel(found.filter(wantsDetail).slice(0, DROP_DETAILS_MAX), signal, async (drop) => {
		if (!(await mayCall(core))) return;
		const options = { purpose: "background", signal } as const;
		const detail = await pausing(core, () => provider.drop(drop.collectionSlug, options));
		if (detail?.contract !== drop.contract || detail.chainId !== drop.chainId) return;
		const told = [storedDrop(detail)];
		await core.db.transaction((tx) => upsertDrops(tx, told, { nowMs, withDetail: true }));
	});
}

/** Runs a few items at a time; the first failure ends all, after those under way. */
async function inParallel<Item>(
	items: readonly Item[],
	signal: AbortSignal,
	run: (item: Item) => Promise<void>,
): Promise<void> {
	const waiting = items.values();
	let failed = false;
	const worker = async () => {
		for (const item of waiting) {
			if (failed || signal.aborted) return;
			try {
				await run(item);
			} catch (error) {
				failed = true;
				throw error;
			}
		}
	};
	const ends = await Promise.allSettled(Array.from({ length: DROP_CONCURRENCY }, worker));
	for (const end of ends) if (end.status === "rejected") throw end.reason;
}

async function readList(
	core: DropsCore,
	provider: Provider,
	list: { type: (typeof TYPES)[number]; chainId: number; signal: AbortSignal },
): Promise<ProviderDrop[]> {
	const drops: ProviderDrop[] = [];
	let cursor: string | undefined;
	for (let page = 0; page < DROP_PAGES_MAX; page++) {
		if (!(await mayCall(core))) break;
		const told = { ...list, purpose: "background" as const, limit: 100 };
		const asked = cursor === undefined ? told : { ...told, cursor };
		const read = await pausing(core, () => provider.drops(asked));
		drops.push(...read.items);
		// A page may be empty and still have a next one: its rows were filtered out afterwards.
		if (read.cursor === null) break;
		cursor = read.cursor;
	}
	return drops;
}

async function mayCall(core: DropsCore): Promise<boolean> {
	const terms = { amount: 1, perWindow: DROP_CALLS_PER_MINUTE, windowMs: MINUTE_MS };
	return (await core.budget.take(BUDGET, terms)).granted;
}

/** Begins the pause as soon as the provider refuses, before the rest of the run ends. */
async function pausing<Answer>(core: DropsCore, call: () => Promise<Answer>): Promise<Answer> {
	try {
		return await call();
	} catch (error) {
		const isRefused = error instanceof Fault && error.meta["refusedBy"] === "provider";
		if (isRefused) await core.budget.pause(BUDGET, DROPS_PAUSE_MS);
		throw error;
	}
}

function wantsDetail(drop: StoredDrop): boolean {
	return drop.isMinting || drop.nextStage !== null || drop.maxSupply === null;
}
