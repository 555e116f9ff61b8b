import type { Address } from "#core/chain/Hex.ts";
import { DAY_MS } from "#core/time/units.ts";
import { FOLDED_MAX, RUN_KEPT_MS, RUN_OPEN_MS } from "#plugins/tokenomics/buyback/limits.ts";
import type { TurnDeps } from "#plugins/tokenomics/buyback/takeTurn.ts";
import { type BuybackRun, buybackRuns } from "#plugins/tokenomics/sql/buybackRuns.ts";
import type { Held, Intent } from "#plugins/wallets/contract.ts";

/** What the runs so far mean for the next one. */
export type Runs = {
	/** Slots of the last day that had a run. */
	slots: ReadonlySet<number>;
	/** The newest run's; null: there never was one. */
	newest: number | null;
	/** The run that is under way, or that nobody knows the end of; null: the next may begin. */
	open: { slot: number; status: Intent["status"] } | null;
	/** What runs spent or hold of the router's revenue, by currency. */
	spent: ReadonlyMap<Address, bigint>;
	/** What the runs of the last 24 hours spent or hold. */
	dayUsdMicros: bigint;
};

/** Nothing more is sent for an intent that stands there; a reorganised chain can change it. */
const OVER: ReadonlySet<Intent["status"]> = new Set([
	...(["confirmed", "failed", "rejected", "expired", "dry_run"] as const),
]);

/**
 * Looks up the runs of the last day, by what the spend ledger holds for each: a run is never
 * repeated and never guessed. One whose block left the chain is open again. Runs that are over are
 * settled, and older ones are taken into the sums.
 */
export async function followRuns(
	deps: TurnDeps,
	{ router, nowMs }: { router: Address; nowMs: number },
): Promise<Runs> {
	const { db, chain, wallets } = deps;
	const chainId = chain.id;
	return deps.steps.run("commit.buyback", () =>
		db.transaction(async (tx) => {
			const runs = await buybackRuns.unfolded(tx, chainId);
			const held = await wallets.execution.held(
				tx,
				runs.map(({ intentId }) => intentId),
			);
			const heldOf = new Map(held.map((one) => [one.intentId, one]));
			const standing = runs.map((run) => ({ run, held: heldOf.get(run.intentId) ?? GONE }));
			const over = standing.filter((one) => OVER.has(one.held.status));
			const unsettled = over.filter(({ run }) => run.settledAt === null);
			if (unsettled.length > 0) {
				const slots = unsettled.map(({ run }) => run.slot);
				await buybackRuns.settle(tx, { chainId, slots, at: new Date(nowMs) });
			}
			const before = nowMs - RUN_OPEN_MS;
			const old = over.filter(({ run }) => run.startedAt.getTime() < before);
			for (const one of old.slice(-FOLDED_MAX)) {
				await buybackRuns.fold(tx, { chainId, run: one.run, spentRaw: one.held.raw });
			}
			await buybackRuns.prune(tx, new Date(nowMs - RUN_KEPT_MS));
			const open = standing.find((one) => !OVER.has(one.held.status));
			const folded = new Set(old.slice(-FOLDED_MAX));
			const counted = standing.filter((one) => !folded.has(one));
			const sums = await buybackRuns.sums(tx, { chainId, router });
			const [newest] = await buybackRuns.newest(tx, { chainId, limit: 1 });
			return {
				newest: newest?.slot ?? null,
				slots: new Set(runs.map(({ slot }) => slot)),
				open: open ? { slot: open.run.slot, status: open.held.status } : null,
				spent: spentBy(sums, counted, router),
				dayUsdMicros: dayOf(standing, nowMs),
			};
		}),
	);
}

type Standing = { run: BuybackRun; held: Pick<Held, "status" | "raw"> };

/** An intent that is gone from the records can be anything: it is waited for. */
const GONE = { status: "uncertain", raw: 0n } as const;

function spentBy(
	sums: ReadonlyMap<Address, bigint>,
	standing: readonly Standing[],
	router: Address,
): Map<Address, bigint> {
	const spent = new Map(sums);
	for (const { run, held } of standing) {
		if (run.router !== router) continue;
		spent.set(run.currency, (spent.get(run.currency) ?? 0n) + held.raw);
	}
	return spent;
}

function dayOf(standing: readonly Standing[], nowMs: number): bigint {
	return standing
		.filter(({ run, held }) => held.raw > 0n && run.startedAt.getTime() > nowMs - DAY_MS)
		.reduce((sum, { run }) => sum + run.usdMicros, 0n);
}
