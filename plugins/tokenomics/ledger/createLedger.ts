// Runs the ledger's job: follows the contracts, compares, and reads again what differs.

import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import type { Degradation } from "#core/http/createHttpApp.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";
import type { Job } from "#core/schedule.ts";
import { SECOND_MS } from "#core/time.ts";
import {
	askChain,
	burnsDiffer,
	type Expectation,
	expectationsOf,
} from "#plugins/tokenomics/ledger/compareLedger.ts";
import {
	burnersIn,
	type FollowDeps,
	followContracts,
	followedNow,
	rewindContract,
	rolesOf,
} from "#plugins/tokenomics/ledger/followContracts.ts";
import {
	COMPARE_EVERY_MS,
	COMPARE_OVERDUE_MS,
	LEDGER_BEHIND_MS,
	LEDGER_EVERY_MS,
	LEDGER_TIMEOUT_MS,
} from "#plugins/tokenomics/limits.ts";
import type { TokenContracts } from "#plugins/tokenomics/manifest/checkContracts.ts";
import { transfers } from "#plugins/tokenomics/sql/entries.ts";
import { type Followed, followed } from "#plugins/tokenomics/sql/followed.ts";

type LedgerDeps = FollowDeps & {
	log: Log;
	metrics: Metrics;
	/** Currencies of revenue that are compared before others. */
	currencies: readonly Address[];
	/** The contracts in force now; null: the token is not launched. */
	contracts(): Promise<TokenContracts | null>;
	/** An address to begin a sample of holders at. */
	randomAddress(): Address;
};

type Deps = Pick<LedgerDeps, "db" | "clock" | "contracts">;

type Alarmed = LedgerDeps & { alarm(row: Followed, what: string): void };

/** Limits the comparisons of a run: what differs is read again and compared once more. */
const COMPARISONS_MAX = 2;

/**
 * Keeps the treasury ledger: reads what is final on chain, and compares the sums with what the
 * contracts return, every hour. A difference is an alarm, and everything since the last agreement
 * is read again; where that did not help, everything is.
 */
export function createLedger(deps: LedgerDeps) {
	const differences = deps.metrics.counter({
		name: "token_ledger_differences_total",
		help: "Comparisons of the token's ledger with the chain that found a difference, by contract.",
		labels: ["contract"],
	});
	const alarm = (row: Followed, what: string) => {
		differences.inc({ contract: row.role });
		deps.log.error("the token's ledger differs from the chain", { contract: row.role, what });
	};
	const ledger = { ...deps, alarm };

	/**
	 * Reads all that is final into the ledger. False: final blocks left the chain, or no node shows
	 * them now.
	 */
	async function follow(contracts: TokenContracts, signal: AbortSignal): Promise<boolean> {
		for (;;) {
			signal.throwIfAborted();
			const step = await followContracts(deps, contracts, signal);
			if (step.kind === "caught_up") return true;
			if (step.kind === "more") continue;
			if (step.kind === "doubted") return false;
			const what = "final blocks left the chain";
			for (const row of step.contracts) await differ(ledger, row, { what, contracts });
			return false;
		}
	}

	async function compare(contracts: TokenContracts, signal: AbortSignal): Promise<boolean> {
		const asked = await expectAll(ledger, contracts);
		let isSame = true;
		for (const { row, expectations, own } of asked) {
			const { readTo: block, readHash: hash } = row;
			// Nothing was read of it yet: there is nothing to compare.
			if (hash === null) continue;
			const question = { expectations, block, hash, signal };
			const told = own === null ? await askChain(deps.rpc, question) : null;
			const what = told?.kind === "forked" ? "final blocks left the chain" : own;
			const difference = told?.kind === "differs" ? told.what : what;
			if (difference === null) await agree(ledger, row);
			else await differ(ledger, row, { what: difference, contracts });
			isSame &&= difference === null;
		}
		return isSame;
	}

	/** Takes in what is final, and compares it where that is due: what the job does. */
	async function run(signal: AbortSignal, { isDue = false } = {}): Promise<void> {
		for (let tries = 0; tries < COMPARISONS_MAX; tries += 1) {
			const contracts = await deps.contracts();
			if (!contracts || !(await follow(contracts, signal))) continue;
			const rows = await followedNow(deps.db, contracts);
			const isNow = isDue || tries > 0 || rows.some((row) => isCompareDue(row, deps.clock.nowMs()));
			if (!isNow || (await compare(contracts, signal))) return;
		}
	}

	const job: Job = {
		name: "tokenomics.ledger",
		schedule: { everyMs: LEDGER_EVERY_MS },
		lock: "cluster",
		timeoutMs: LEDGER_TIMEOUT_MS,
		run: ({ signal }) => run(signal),
	};
	return { job, run, degraded: createLedgerHealth(deps) };
}

/**
 * Returns a function that reports to operators what is wrong with the ledger. A contract that was
 * never read counts as behind since the first check.
 */
function createLedgerHealth({ db, clock, contracts }: Deps): () => Promise<Degradation[]> {
	const firstAskedMs = new Map<string, number>();

	function ageOf(name: string, at: Date | null, nowMs: number): number {
		if (at !== null) {
			firstAskedMs.delete(name);
			return nowMs - at.getTime();
		}
		const firstMs = firstAskedMs.get(name) ?? nowMs;
		firstAskedMs.set(name, firstMs);
		return nowMs - firstMs;
	}

	return async () => {
		const named = await contracts();
		if (!named) return [];
		const nowMs = clock.nowMs();
		const rows = await followedNow(db, named);
		const agesOf = (what: "readAt" | "agreedAt") =>
			[...rolesOf(named).keys()].map((address) => {
				const row = rows.find((one) => one.address === address);
				return ageOf(`${what} ${address}`, row?.[what] ?? null, nowMs);
			});
		const differing = rows.flatMap(({ differsSince }) => differsSince ?? []);
		const doubted = rows.filter((row) => row.differsSince === null);
		const rebuilding = doubted.flatMap(({ rebuildsSince }) => rebuildsSince ?? []);
		return [
			...degraded({
				code: "token_ledger_rebuilding",
				ages: rebuilding.map((since) => nowMs - since.getTime()),
				action:
					"Nothing, unless it lasts for an hour: then compare the nodes of the token's chain, which do " +
					"not show a block that was final, or show another one. Figures are null meanwhile.",
			}),
			...degraded({
				code: "token_ledger_differs",
				ages: differing.map((since) => nowMs - since.getTime()),
				action:
					"Compare the token's contracts with /v1/admin/treasury: it is read again from the last agreement.",
			}),
			...degraded({
				code: "token_ledger_behind",
				ages: agesOf("readAt").filter((age) => age > LEDGER_BEHIND_MS),
				action: "Look at the nodes of the token's chain: its events are not read any more.",
			}),
			...degraded({
				code: "token_ledger_unchecked",
				ages: agesOf("agreedAt").filter((age) => age > COMPARE_OVERDUE_MS),
				action:
					"Look at the nodes of the token's chain: they do not answer for blocks that are final.",
			}),
		];
	};
}

/**
 * Alerts operators, and moves the ledger of the contract back: to the last agreement at first, to
 * its beginning where that was done before. A token that a burner contradicts is moved back with
 * it.
 */
async function differ(
	{ db, clock, alarm }: Alarmed,
	row: Followed,
	{ what, contracts }: { what: string; contracts: TokenContracts },
): Promise<void> {
	alarm(row, what);
	const at = new Date(clock.nowMs());
	await db.transaction(async (tx) => {
		const now = await stillAt(tx, row);
		if (!now) return;
		const rows = await followed.lockAll(tx, row.chainId);
		const isToken = ({ role, address }: Followed) =>
			role === "token" && address === contracts.token;
		const others = row.role === "burner" ? rows.filter(isToken) : [];
		for (const one of [now, ...others]) {
			const isFirst = one.rereads === 0 && one.agreedTo >= one.fromBlock;
			const to = isFirst
				? { block: one.agreedTo, hash: one.agreedHash, at }
				: { block: one.fromBlock - 1, hash: null, at };
			await rewindContract(tx, one, { to, burners: burnersIn(rows) });
			await followed.differ(tx, one, { what, at });
		}
	});
}

/** Locks and reads a row; null where it was read back below what was compared. */
async function stillAt(tx: Tx, row: Followed): Promise<Followed | null> {
	const rows = await followed.lockAll(tx, row.chainId);
	const now = rows.find(({ address, role }) => address === row.address && role === row.role);
	return now && now.readTo >= row.readTo && now.rereads === row.rereads ? now : null;
}

/** Reads what each contract has to say at the block that it was read to, under one lock. */
function expectAll(
	{ db, randomAddress, currencies: named }: LedgerDeps,
	contracts: TokenContracts,
): Promise<{ row: Followed; expectations: Expectation[]; own: string | null }[]> {
	const { chainId, token } = contracts;
	const roles = rolesOf(contracts);
	return db.transaction(async (tx) => {
		const rows = await followed.lockAll(tx, chainId);
		const wanted = rows.filter(({ address, role }) => roles.get(address) === role);
		const isInStep = new Set(wanted.map(({ readTo }) => readTo)).size === 1;
		return await Promise.all(
			wanted.map(async (row) => {
				const expectations = await expectationsOf(tx, row, { sample: randomAddress(), named });
				const isBurner = row.role === "burner" && isInStep;
				const burner = row.address;
				const own = isBurner ? await burnsDiffer(tx, { chainId, token, burner }) : null;
				return { row, expectations, own };
			}),
		);
	});
}

async function agree({ db, clock, log }: Alarmed, row: Followed): Promise<void> {
	const { readTo: block, readHash: hash } = row;
	assert(hash !== null, "what was compared was read");
	await db.transaction(async (tx) => {
		if (!(await stillAt(tx, row))) return;
		await followed.agree(tx, row, { block, hash, at: new Date(clock.nowMs()) });
		if (row.role !== "token") return;
		await transfers.deleteUpTo(tx, { chainId: row.chainId, token: row.address }, block);
	});
	if (row.differsSince === null) return;
	log.info("the token's ledger agrees with the chain again", { contract: row.role, block });
}

/** Returns whether to compare: what differs although it was read again waits for an hour. */
function isCompareDue({ agreedAt, differsSince, rereads }: Followed, nowMs: number): boolean {
	if (differsSince !== null) {
		const runs = Math.floor(rereads / COMPARISONS_MAX);
		return nowMs - differsSince.getTime() >= runs * COMPARE_EVERY_MS;
	}
	return agreedAt === null || nowMs - agreedAt.getTime() >= COMPARE_EVERY_MS;
}

function degraded(found: { code: string; ages: readonly number[]; action: string }): Degradation[] {
	const { code, ages, action } = found;
	if (ages.length === 0) return [];
	const oldestAgeSeconds = Math.max(0, Math.floor(Math.max(...ages) / SECOND_MS));
	return [{ code, count: ages.length, oldestAgeSeconds, action }];
}
