// Looks for an owner's planned payment among all that their wallet sent since the plan.

import { hexToBytes } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Queryable } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import { readSentSince, type SentTransaction } from "#plugins/wallets/chain/readSentSince.ts";
import { readTrueBegin } from "#plugins/wallets/chain/secondOpinion.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { Expected } from "#plugins/wallets/reconcile/settleMined.ts";
import { selfTransfer } from "#plugins/wallets/submission/submission.ts";

/** Says what the wallet sent instead of the payment, as far as its transactions show. */
export type Instead = "cancelled" | "replaced";

export type Search =
	| { kind: "found"; transactionHash: Hex }
	/** All of it was read, and nothing of it waits at a node: the payment was not sent so far. */
	| { kind: "absent"; instead: Instead | null }
	/** Some of it was not read, or a transaction waits: nothing is proved. */
	| { kind: "open" };

export type SearchAsked = {
	intentId: string;
	chainId: number;
	sender: Address;
	plan: Expected;
	rpc: Rpc;
	signal: AbortSignal;
};

/**
 * Holds the block from which a search continues; null where it is not known when it was planned.
 */
type Begin = {
	plannedBlock: number | null;
	searchedBlock: number | null;
	/**
	 * True if it was asked for so long ago that transactions which one of two endpoints alone counts
	 * are not waited for.
	 */
	isOld: boolean;
	/** It was planned between these times; null: there is no such intent. */
	createdAt: Date | null;
	changedAt: Date | null;
};

/**
 * Looks for the planned payment among what its sender's account sent since it was planned:
 * recipient, value and calldata are the plan's. A wallet that replaces or speeds up what it sent
 * names the first hash only, and one whose page was closed names none.
 *
 * One hash stands for one intent, so what stands for another is none of this one's. A search is
 * bounded; where it was cut short the next one goes on, below what a reorg can change. Where the
 * head at which it was planned was false, the next one begins where the plan was really made.
 */
export async function searchPlanned(deps: ExecutionDeps, asked: SearchAsked): Promise<Search> {
	const { intentId, sender: address, plan, rpc, signal } = asked;
	const begin = await readBegin(deps.db, intentId);
	if (begin.plannedBlock === null) return { kind: "open" };
	const fromBlock = Math.max(begin.plannedBlock, begin.searchedBlock ?? 0);
	const read = await deps.steps
		.run("rpc.nonce", () =>
			readSentSince(rpc, { address, fromBlock, endsClaims: begin.isOld, signal }),
		)
		.catch(async (error: unknown) => {
			const isBehind = error instanceof Fault && error.code === "chain_behind";
			if (isBehind) await correctBegin(deps, asked, begin);
			throw error;
		});
	const taken = await readTaken(deps.db, asked, read.sent);
	const others = read.sent.filter(({ hash }) => !taken.has(hash));
	const found = others.find((one) => isSame(one, plan));
	if (found) return { kind: "found", transactionHash: found.hash };
	if (!read.isWhole) {
		const safeBlock = read.headBlock - deps.settings.finalDepthBlocks;
		const searchedBlock = Math.min(read.searchedTo, safeBlock);
		if (read.searchedTo < read.headBlock) await noteSearched(deps, { intentId, searchedBlock });
		return { kind: "open" };
	}
	return { kind: "absent", instead: insteadOf(asked, { others, begin }) };
}

/** Says whether a transaction is what sends nothing from an account to itself. */
export function isCancellationOf(
	sender: Address,
	{ to, valueRaw, data }: Pick<SentTransaction, "to" | "valueRaw" | "data">,
): boolean {
	return isSame({ to, valueRaw, data }, selfTransfer({ chainId: 0, from: sender }));
}

async function readBegin(db: Queryable, intentId: string): Promise<Begin> {
	// A step that was signed before it was planned has no block of its own: the first step's counts.
	const [row] = await db.query<Begin>(
		`select coalesce(i.planned_block, first.planned_block) as "plannedBlock",
			i.searched_block as "searchedBlock",
			i.created_at < now() - interval '1 hour' as "isOld",
			i.created_at as "createdAt", i.changed_at as "changedAt"
		from wallets.intent i left join wallets.intent first on first.id = i.after_id
		where i.id = $1`,
		[intentId],
	);
	const none = { plannedBlock: null, searchedBlock: null, createdAt: null, changedAt: null };
	return row ?? { ...none, isOld: false };
}

/** Stores where the next search begins, if the head at which it was planned was false. */
async function correctBegin(
	deps: Pick<ExecutionDeps, "db" | "steps" | "log">,
	{ intentId, rpc, signal }: SearchAsked,
	{ plannedBlock, searchedBlock, createdAt, changedAt }: Begin,
): Promise<void> {
	if (searchedBlock !== null) {
		// A made-up head may be how far it came: what is searched twice is found once.
		const again = "update wallets.intent set searched_block = null where id = $1";
		await deps.steps.run("commit.look", () => deps.db.execute(again, [intentId]));
	}
	if (plannedBlock === null || createdAt === null || changedAt === null) return;
	const [notBeforeMs, notAfterMs] = [createdAt.getTime(), changedAt.getTime()];
	const trueBlock = await deps.steps.run("rpc.nonce", () =>
		readTrueBegin(rpc, { plannedBlock, notBeforeMs, notAfterMs, signal }),
	);
	if (trueBlock === null) return;
	deps.log.warn("an intent was planned at a head that never was", { intentId, plannedBlock });
	await deps.steps.run("commit.look", () =>
		deps.db.execute("update wallets.intent set planned_block = $2 where id = $1", [
			intentId,
			trueBlock,
		]),
	);
}

/**
 * Reads which hashes belong to something else of the same sender, along `submission_hash`. A hash
 * that was only reported as a cancellation does not count if it is a payment.
 */
async function readTaken(
	db: Queryable,
	{ intentId, chainId, sender }: SearchAsked,
	sent: readonly SentTransaction[],
): Promise<Set<string>> {
	if (sent.length === 0) return new Set();
	const rows = await db.query<{ hash: string }>(
		`select '0x' || encode(transaction_hash, 'hex') as hash from wallets.submission
		where chain_id = $1 and sender = $2 and transaction_hash = any($3::bytea[])
			and not (intent_id = $4 and purpose = 'pay')
			and not (purpose = 'cancel' and nonce is null and final_at is null)`,
		[chainId, hexToBytes(sender), sent.map(({ hash }) => hexToBytes(hash)), intentId],
	);
	return new Set(rows.map(({ hash }) => hash));
}

async function noteSearched(
	deps: Pick<ExecutionDeps, "db" | "steps">,
	{ intentId, searchedBlock }: { intentId: string; searchedBlock: number },
): Promise<void> {
	await deps.steps.run("commit.look", () =>
		deps.db.execute(
			`update wallets.intent set searched_block = $2
			where id = $1 and coalesce(searched_block, planned_block, 0) < $2`,
			[intentId, searchedBlock],
		),
	);
}

/**
 * Returns what was sent instead. The wallet may have cancelled another payment meanwhile: what went
 * to the same recipient took the place of this one. What was read in an earlier search took nonces
 * too, and was not kept.
 */
function insteadOf(
	{ sender, plan }: SearchAsked,
	{ others, begin }: { others: readonly SentTransaction[]; begin: Begin },
): Instead | null {
	if (others.some(({ to, data }) => to === plan.to && data === plan.data)) return "replaced";
	if (others.some((one) => isCancellationOf(sender, one))) return "cancelled";
	return others.length > 0 || begin.searchedBlock !== null ? "replaced" : null;
}

function isSame(
	one: Pick<SentTransaction, "to" | "valueRaw" | "data">,
	plan: Pick<Expected, "to" | "valueRaw" | "data">,
): boolean {
	return one.to === plan.to && one.valueRaw === plan.valueRaw && one.data === plan.data;
}
