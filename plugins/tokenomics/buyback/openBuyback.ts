// Wires buybacks, and reads how they go.

import { randomInt } from "node:crypto";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Degradation } from "#core/http/createHttpApp.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import { createSteps } from "#core/steps.ts";
import { SECOND_MS, sleep } from "#core/time.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import {
	type BuybackConfig,
	boundsOf,
	RUN_TIMEOUT_MS,
	refusals,
	refuseImpossible,
	SLOT_MS,
} from "#plugins/tokenomics/buyback/buybackConfig.ts";
import { buybackKind } from "#plugins/tokenomics/buyback/buybackKind.ts";
import {
	createPoolRecord,
	POOLS_EVERY_MS,
	watchPools,
} from "#plugins/tokenomics/buyback/readPools.ts";
import { releaseKind } from "#plugins/tokenomics/buyback/releaseKind.ts";
import { type TurnDeps, takeTurn } from "#plugins/tokenomics/buyback/takeTurn.ts";
import type { Contracts } from "#plugins/tokenomics/manifest/checkContracts.ts";
import {
	type BuybackLook,
	type BuybackRun,
	buybackLooks,
	buybackRuns,
} from "#plugins/tokenomics/sql/buybackRuns.ts";
import type { Held, Wallets } from "#plugins/wallets/contract.ts";

/** `vanished`: its purchase was final, and is not on the chain any more. */
type LastRun = BuybackRun &
	Pick<Held, "errorCode"> & { status: Held["status"] | typeof VANISHED; heldRaw: bigint };

/** Holds the public state of buying back: nothing of it is secret. */
export type BuybackStatus = {
	isEnabled: boolean;
	/** The reason why the newest turn or its run spent nothing; null: it buys, or has bought. */
	code: string | null;
	detail: string | null;
	/** The newest turn of the job; null: none was taken yet. */
	lookedAt: Date | null;
	/** The time when the next one may begin. */
	nextAt: Date | null;
	lastRun: LastRun | null;
	/** Revenue that was left where it is. */
	left: BuybackLook["left"];
};

type Buyback = {
	jobs: Job[];
	/** Takes a turn at once, and one when pools are known; waits for neither. */
	start(): void;
	/** Resolves when no turn is under way any more; the ending signal cancels it. */
	ended(): Promise<void>;
	/** Null: the deployment reaches no chain that the token could be on. */
	status(): Promise<BuybackStatus | null>;
	/** Returns the reasons for a stop that only operators can end. */
	degraded(): Promise<Degradation[]>;
};

type Deps = { db: Queryable; execution: Pick<Wallets["execution"], "held">; chainId: number };

const VANISHED = "vanished";
/** The code of an intent whose transaction the chain has taken back. */
export const DROPPED = "dropped_by_reorg";

const RANDOM_STEPS = 2 ** 32;

/** Registers what a buyback sends, and returns the job that begins them. */
export function openBuyback(options: {
	core: Core;
	config: BuybackConfig;
	wallets: Wallets;
	prices: Prices;
	contracts: Contracts;
	/** Aborts when the service ends. */
	ending: AbortSignal;
}): Buyback {
	const { core, config, wallets, prices, contracts, ending } = options;
	refuseImpossible(config);
	const { home } = contracts;
	if (!home) {
		const none = { jobs: [], start() {}, ended: async () => {} };
		return { ...none, status: async () => null, degraded: async () => [] };
	}
	const { chain } = home;
	const { clock, log, db } = core;
	const turns = core.metrics.counter({
		name: "buyback_turns_total",
		help: "Turns of the buyback job, by what they came to: began, or why nothing was spent.",
		labels: ["code"],
	});
	const rpc: Rpc = home.rpcFor("intents");
	const deps: TurnDeps = {
		...{ clock, log, db, rpc, chain, wallets, prices },
		quoter: config.BUYBACK_V3_QUOTER,
		currencies: config.BUYBACK_CURRENCIES,
		bounds: boundsOf(config),
		record: createPoolRecord(config.BUYBACK_TWAP_SECONDS * SECOND_MS),
		isEnabled: config.BUYBACK_ENABLED,
		walletId: config.BUYBACK_WALLET_ID ?? null,
		goneTransactions: new Set(config.BUYBACK_GONE_TRANSACTIONS),
		contractsNow: (queryable) => contracts.addressesOf(chain.id, queryable),
		steps: createSteps(core.observeSteps),
		jitterMs: config.BUYBACK_JITTER_SECONDS * SECOND_MS,
		random: () => randomInt(RANDOM_STEPS) / RANDOM_STEPS,
		count: (code) => turns.inc({ code }),
	};
	wallets.execution.register(releaseKind(deps));
	wallets.execution.register(buybackKind(deps));
	const run = async ({ signal }: { signal: AbortSignal }) => {
		await takeTurn(deps, AbortSignal.any([signal, ending]));
	};
	const job: Job = {
		name: "tokenomics.buyback",
		schedule: { cron: "0 */10 * * * *" },
		lock: "cluster",
		timeoutMs: RUN_TIMEOUT_MS,
		run,
	};
	// Each process that may plan a purchase has a record of its own.
	const watch: Job = {
		name: "tokenomics.buyback_pools",
		schedule: { everyMs: POOLS_EVERY_MS },
		lock: "process",
		timeoutMs: POOLS_EVERY_MS,
		run: ({ signal }) => watchPools(deps, AbortSignal.any([signal, ending])),
	};
	const turn = () => {
		return run({ signal: AbortSignal.timeout(RUN_TIMEOUT_MS) }).catch((error) => {
			if (!ending.aborted) log.error("a buyback turn of the start failed", { error });
		});
	};
	/** Takes a turn at once, and one when the pools were watched for long enough. */
	async function begin(): Promise<void> {
		await turn();
		await sleep(config.BUYBACK_TWAP_SECONDS * SECOND_MS + 2 * POOLS_EVERY_MS, ending);
		if (!ending.aborted) await turn();
	}
	let first = Promise.resolve();
	return {
		// Without the switch there are no turns; a run that was recorded earlier is denied at planning.
		jobs: deps.isEnabled ? [job, watch] : [],
		start() {
			if (core.role === "api" || !deps.isEnabled) return;
			first = begin();
		},
		ended: () => first,
		status: () => readStatus({ db, execution: wallets.execution, chainId: chain.id }, config),
		degraded: () => readAlarm(deps),
	};
}

/** Returns the alarm of a purchase that the newest turn did not find on the chain any more. */
export async function readAlarm({
	db,
	clock,
	chain,
	isEnabled,
}: Pick<TurnDeps, "db" | "clock" | "chain" | "isEnabled">): Promise<Degradation[]> {
	const look = isEnabled ? await buybackLooks.read(db, chain.id) : null;
	if (look?.code !== "previous_vanished") return [];
	const ageMs = Math.max(0, clock.nowMs() - look.at.getTime());
	return [
		{
			...{ code: "token_buyback_vanished", count: 1 },
			oldestAgeSeconds: Math.floor(ageMs / SECOND_MS),
			action:
				"Nothing, if the purchase is mined again. Else have the keeper's account use its nonce, and " +
				`name it in BUYBACK_GONE_TRANSACTIONS; nothing is bought before that. ${look.detail ?? ""}`,
		},
	];
}

/** Reads how buying back goes: three short reads, by primary keys. */
export async function readStatus(
	{ db, execution, chainId }: Deps,
	config: Pick<BuybackConfig, "BUYBACK_ENABLED" | "BUYBACK_GONE_TRANSACTIONS">,
): Promise<BuybackStatus> {
	const { BUYBACK_ENABLED: isEnabled } = config;
	const [look, [run]] = await Promise.all([
		buybackLooks.read(db, chainId),
		buybackRuns.newest(db, { chainId, limit: 1 }),
	]);
	const [held] = run ? await execution.held(db, [run.intentId]) : [];
	const lastRun = run && held ? standingOf(run, { held, look, config }) : null;
	// A turn that began a run: what became of that says more.
	const isOfRun = look?.code === null && lastRun?.slot === look.slot;
	return {
		isEnabled,
		code: isEnabled ? (isOfRun ? lastRun.errorCode : (look?.code ?? null)) : "disabled",
		detail: isEnabled ? (look?.detail ?? null) : refusals.disabled,
		lookedAt: look?.at ?? null,
		nextAt: look && isEnabled ? new Date((look.slot + 1) * SLOT_MS) : null,
		lastRun,
		left: look?.left ?? [],
	};
}

/**
 * Returns where a run stands. Nobody looks at a final transaction again, so its intent stays
 * confirmed: that it is gone is what the newest turn found, or what an operator named.
 */
function standingOf(
	run: BuybackRun,
	{
		held,
		look,
		config,
	}: {
		held: Held;
		look: BuybackLook | null;
		config: Pick<BuybackConfig, "BUYBACK_GONE_TRANSACTIONS">;
	},
): LastRun {
	const { status, errorCode, raw: heldRaw, transactionHash } = held;
	const isNamed = config.BUYBACK_GONE_TRANSACTIONS.some((hash) => hash === transactionHash);
	const isMissed =
		look?.code === "previous_vanished" &&
		transactionHash !== null &&
		(look.detail?.includes(transactionHash) ?? false);
	if (!(isNamed || isMissed)) return { ...run, status, errorCode, heldRaw };
	return { ...run, status: VANISHED, errorCode: DROPPED, heldRaw: isNamed ? 0n : heldRaw };
}
