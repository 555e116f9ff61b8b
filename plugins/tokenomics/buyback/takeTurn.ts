// Takes one turn of the buyback job: at most one run in each slot of ten minutes.

import { Fault } from "#core/fault.ts";
import type { Steps } from "#core/steps.ts";
import { sleep } from "#core/time.ts";
import { assessMarket, type Purchase } from "#plugins/tokenomics/buyback/assessMarket.ts";
import {
	type BuybackContracts,
	type BuybackDeps,
	type Refusal,
	refusal,
	SLOT_MS,
} from "#plugins/tokenomics/buyback/buybackConfig.ts";
import { BUYBACK } from "#plugins/tokenomics/buyback/buybackKind.ts";
import {
	findGone,
	foldRuns,
	followRuns,
	type Runs,
	spendingOf,
	waitForRun,
} from "#plugins/tokenomics/buyback/followRuns.ts";
import { readKeeper } from "#plugins/tokenomics/buyback/readKeeper.ts";
import type { BuybackRequest, TurnStep } from "#plugins/tokenomics/buyback/releaseKind.ts";
import {
	type Candidate,
	type LeftOver,
	readUnnamed,
	sizeRun,
	usdMicrosOf,
} from "#plugins/tokenomics/buyback/sizeRun.ts";
import { buybackLooks, buybackRuns } from "#plugins/tokenomics/sql/buybackRuns.ts";
import {
	type Denial,
	type Profile,
	readTradingSetting,
	type Wallet,
} from "#plugins/wallets/contract.ts";

export type TurnDeps = BuybackDeps & {
	steps: Steps<TurnStep>;
	/**
	 * The time within which a turn begins at a random moment, so that its trade cannot be foreseen.
	 */
	jitterMs: number;
	/** Returns an unpredictable number from 0 up to 1. */
	random(): number;
	/** Told how each turn ended, for the figures. */
	count(code: string): void;
};

/**
 * Holds the result of a turn. `had`: its slot had a run already, or another process works on it.
 */
export type Turn =
	| { kind: "began"; intentId: string; left: readonly LeftOver[] }
	| { kind: "refused"; refusal: Denial; left: readonly LeftOver[] }
	| { kind: "had" };

type Moment = { slot: number; nowMs: number; signal: AbortSignal };

type Found =
	| {
			kind: "found";
			candidate: Candidate;
			purchase: Purchase;
			/** The sum that earlier runs spent of the currency. */
			spentRaw: bigint;
			left: readonly LeftOver[];
	  }
	| { kind: "refused"; refusal: Refusal; left: readonly LeftOver[] };

/**
 * Takes one turn of the job: at most one run in ten minutes, however often it is called. It begins
 * at an unpredictable moment of its slot.
 */
export async function takeTurn(deps: TurnDeps, signal: AbortSignal): Promise<Turn> {
	await sleep(Math.floor(deps.random() * deps.jitterMs), signal);
	if (signal.aborted) return { kind: "had" };
	const nowMs = deps.clock.nowMs();
	const slot = Math.floor(nowMs / SLOT_MS);
	const turn = await decide(deps, { slot, nowMs, signal }).catch(async (error): Promise<Turn> => {
		if (signal.aborted) throw error;
		if (!(error instanceof Fault)) {
			// A mistake of ours: whoever looks has to see that nothing is bought, not only the log.
			await note(deps, { slot, nowMs, refusal: refusal("turn_failed"), left: [] });
			throw error;
		}
		deps.log.warn("a buyback could not be decided", { error });
		return { kind: "refused", refusal: faultRefusal(error), left: [] };
	});
	if (turn.kind === "had") return turn;
	const reason = turn.kind === "refused" ? turn.refusal : null;
	await note(deps, { slot, nowMs, refusal: reason, left: turn.left });
	if (turn.kind === "began") await deps.wallets.execution.advance([turn.intentId], signal);
	return turn;
}

async function decide(deps: TurnDeps, moment: Moment): Promise<Turn> {
	const { slot, nowMs, signal } = moment;
	if (!deps.isEnabled) return refused("disabled");
	const contracts = await contractsOf(deps);
	if ("code" in contracts) return { kind: "refused", refusal: contracts, left: [] };
	const runs = await followRuns(deps, { router: contracts.router, nowMs });
	if (runs.slots.has(slot)) return { kind: "had" };
	if (runs.open) {
		const keeper = () => keeperOf(deps, signal);
		const reason = await waitForRun(deps, runs.open, { nowMs, keeper, signal });
		return { kind: "refused", refusal: reason, left: [] };
	}
	const who = await deps.steps.run("buyback.turn", () => keeperOf(deps, signal));
	if ("code" in who) return { kind: "refused", refusal: who, left: [] };
	if (await isSwitchedOff(deps, who.wallet)) return refused("trading_disabled");
	const found = await deps.steps.run("buyback.turn", () =>
		findRun(deps, { contracts, ...who, runs, nowMs, signal }),
	);
	if (found.kind === "refused") return found;
	const { candidate, purchase, spentRaw, left } = found;
	const after = runs.newest;
	const begun = { ...who, contracts, slot, after, nowMs, candidate, purchase, spentRaw };
	const intentId = await begin(deps, begun);
	return intentId === null ? { kind: "had" } : { kind: "began", intentId, left };
}

function refused(code: Refusal["code"]): Turn {
	return { kind: "refused", refusal: refusal(code), left: [] };
}

async function contractsOf({ contractsNow, db }: TurnDeps): Promise<BuybackContracts | Refusal> {
	const now = await contractsNow(db);
	if (!now) return refusal("token_not_launched");
	const { token, router, burner } = now;
	return router && burner ? { token, router, burner } : refusal("contracts_missing");
}

/** Returns the deployment's own account, or why we may not sign for it. */
async function keeperOf(
	{ wallets, walletId, log }: TurnDeps,
	signal: AbortSignal,
): Promise<{ profile: Profile; wallet: Wallet } | Refusal> {
	if (walletId === null) return refusal("no_wallet", "BUYBACK_WALLET_ID is not set.");
	try {
		const profile = await wallets.deploymentProfile({ providerWalletId: walletId, signal });
		const wallet = profile.wallets.find(({ id }) => id === profile.canonicalWalletId);
		return wallet ? { profile, wallet } : refusal("no_wallet");
	} catch (error) {
		if (!(error instanceof Fault) || signal.aborted) throw error;
		log.warn("the keeper's wallet cannot be used", { error });
		return refusal("no_wallet", error.publicDetail);
	}
}

/** Returns whether a kill switch is on: looked at here as well, so that nothing is recorded. */
async function isSwitchedOff({ db, chain }: TurnDeps, wallet: Wallet): Promise<boolean> {
	const keys = ["all", `chain:${chain.id}`, "plugin:tokenomics", `wallet:${wallet.id}`];
	const values = await Promise.all(keys.map((key) => readTradingSetting(db, `kill:${key}`)));
	return values.includes(true);
}

/** Finds the first currency, of those worth most, that the market bears to be spent. */
async function findRun(
	deps: TurnDeps,
	given: {
		contracts: BuybackContracts;
		profile: Profile;
		wallet: Wallet;
		runs: Runs;
		nowMs: number;
		signal: AbortSignal;
	},
): Promise<Found> {
	const { contracts, profile, wallet, runs, nowMs, signal } = given;
	const { address } = wallet;
	const { currencies, chain, prices, bounds } = deps;
	const { standing } = runs;
	const gone = await findGone(deps, { standing, profileId: profile.id, signal });
	if ("code" in gone) return { kind: "refused", refusal: gone, left: [] };
	await foldRuns(deps, { standing, gone, nowMs });
	const { spent, dayUsdMicros } = spendingOf(runs, { router: contracts.router, gone, nowMs });
	const keeper = await readKeeper(deps, { contracts, keeper: address, currencies, signal });
	if ("code" in keeper) return { kind: "refused", refusal: keeper, left: [] };
	const unnamed = await readUnnamed(deps.db, {
		...{ chainId: chain.id, router: contracts.router, spent: currencies },
	});
	const sized = sizeRun({
		...{ keeper, bounds, dayUsdMicros },
		spentOf: (currency) => spent.get(currency) ?? 0n,
		rateOf: (currency) => prices.usdRate({ chainId: chain.id, currency }, nowMs),
	});
	const left = [...unnamed, ...sized.left];
	for (const candidate of sized.fit) {
		const { funds, spendRaw, unspentRaw } = candidate;
		const { currency: paidWith, symbol } = funds;
		const { token } = contracts;
		const asked = { paidWith, token, spendRaw, exact: false, signal };
		const purchase = await assessMarket(deps, asked);
		const unfit = "code" in purchase ? purchase : tooLittle(deps, { candidate, purchase });
		if (unfit) left.push({ currency: paidWith, symbol, raw: unspentRaw, refusal: unfit });
		else if (!("code" in purchase)) {
			const spentRaw = spent.get(paidWith) ?? 0n;
			return { kind: "found", candidate, purchase, spentRaw, left };
		}
	}
	return { kind: "refused", refusal: mostTelling(sized.fit.length, left), left };
}

function tooLittle(
	{ bounds }: TurnDeps,
	{ candidate, purchase }: { candidate: Candidate; purchase: Purchase },
): Refusal | null {
	const micros = usdMicrosOf(purchase.spendRaw, candidate.rate);
	return micros < bounds.runUsdMicrosMin ? refusal("pool_thin") : null;
}

/** Chooses a reason: the market's for what is worth most, else one that operators can change. */
function mostTelling(fit: number, left: readonly LeftOver[]): Refusal {
	const byMarket = fit > 0 ? left.at(-fit) : undefined;
	const codes = ["keeper_without_gas", "day_limit", "no_price"];
	const bySize = codes.map((code) => left.find((one) => one.refusal.code === code));
	return (byMarket ?? bySize.find((one) => one))?.refusal ?? refusal("nothing_to_spend");
}

/**
 * Takes the slot and records the intent, in one transaction: none is there without the other,
 * however many processes try and wherever one ends. Null where another run was begun meanwhile.
 */
async function begin(
	deps: TurnDeps,
	given: {
		profile: Profile;
		wallet: Wallet;
		contracts: BuybackContracts;
		slot: number;
		/** The newest run when it was counted what runs spent. */
		after: number | null;
		nowMs: number;
		candidate: Candidate;
		purchase: Purchase;
		/** The sum that earlier runs spent of the currency. */
		spentRaw: bigint;
	},
): Promise<string | null> {
	const { profile, wallet, contracts, slot, after, nowMs, candidate, purchase } = given;
	const { db, chain, wallets } = deps;
	const { funds, rate } = candidate;
	const { spendRaw } = purchase;
	const { currency, symbol } = funds;
	const decimals = rate.currencyDecimals;
	const request: BuybackRequest = {
		...{ slot, ...contracts, paidWith: currency, symbol, decimals, spendRaw: String(spendRaw) },
		releasedRaw: String(given.spentRaw + spendRaw),
	};
	const run = {
		...{ chainId: chain.id, slot, router: contracts.router, currency, symbol, decimals, spendRaw },
		...{ usdMicros: usdMicrosOf(spendRaw, rate), startedAt: new Date(nowMs), after },
	};
	return deps.steps.run("commit.buyback", () =>
		db.transaction(async (tx) => {
			if (!(await buybackRuns.take(tx, run))) return null;
			const [intent] = await wallets.execution.create(tx, [
				{ kind: BUYBACK, profile, wallet, chainId: chain.id, channel: "job", request },
			]);
			const intentId = intent?.id ?? null;
			if (intentId) await buybackRuns.nameIntent(tx, { chainId: chain.id, slot, intentId });
			return intentId;
		}),
	);
}

/** Counts a turn's result, and stores it for the public status. */
async function note(
	{ chain, db, steps, count }: TurnDeps,
	came: { slot: number; nowMs: number; refusal: Denial | null; left: readonly LeftOver[] },
): Promise<void> {
	const { slot, nowMs, refusal: reason } = came;
	count(reason?.code ?? "began");
	const look = {
		...{ chainId: chain.id, slot, at: new Date(nowMs) },
		...{ code: reason?.code ?? null, detail: reason?.detail ?? null },
		left: came.left.map(({ currency, symbol, raw, refusal: { code, detail } }) => ({
			...{ currency, symbol, raw: String(raw), code, detail },
		})),
	};
	await steps.run("commit.buyback_look", () => buybackLooks.write(db, look));
}

function faultRefusal({ code, publicDetail }: Fault): Denial {
	return code.startsWith("rpc_") ? refusal("chain_unavailable") : { code, detail: publicDetail };
}
