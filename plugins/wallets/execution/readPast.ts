// Reads what a wallet sent on no record here, and holds plans against it before they are sent.

import { hexToBytes } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import {
	isHidden,
	readSentSince,
	SENT_SCAN_MAX,
	type SentSince,
} from "#plugins/wallets/chain/readSentSince.ts";
import {
	CLOCKS_APART_MS,
	isAllKnown,
	type Others,
	readBlockBefore,
	readTrueBegin,
} from "#plugins/wallets/chain/secondOpinion.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { PlannedIntent } from "#plugins/wallets/execution/readSituation.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import {
	correctRead,
	keepStrays,
	noteRead,
	noteReadAt,
	type Of,
	type PastBegin,
	readBegin,
} from "#plugins/wallets/submission/accountRead.ts";
import type { Account, NonceQueue } from "#plugins/wallets/submission/nonceQueue.ts";
import { findLike, isUnread, UNREADABLE } from "#plugins/wallets/submission/strays.ts";

/**
 * Says how the reading of an account's past ended. `open`: it continues, or has to be tried again.
 */
export type PastRead = "read" | "open" | "unreadable";

/**
 * Holds an intent that may be paid already, and the hash of that payment; `UNREADABLE`: it cannot
 * be found out.
 */
export type PastLook = { intent: Intent; hash: Hex };

type PastVerdict =
	| { kind: "clear" }
	| { kind: "unread"; unreadSince: Date | null }
	| { kind: "asked"; looks: readonly PastLook[] };

/** Holds what would be sent, and the result of reading its wallet's past. */
type Given = {
	planned: readonly PlannedIntent[];
	account: AccountState;
	/** Left out: that was not tried. */
	pastRead?: PastRead;
	/** As `readAgreed` says; left out: it was not asked, so nothing is noted as read by it. */
	agreed?: Past;
};

type PastDeps = Pick<
	ExecutionDeps,
	"db" | "clock" | "steps" | "settings" | "log" | "rpcOf" | "nonceClaims"
>;
type PastAsked = { account: Account; unreadSince: Date | null; signal: AbortSignal };
type PastAsking = { account: Account; rpc: Rpc; signal: AbortSignal; others: Others };

/** Holds up to which nonce and block an account's past is known. */
export type Past = Pick<AccountState, "minedNonce" | "headBlock">;

/**
 * Ends the wait for transactions that only one endpoint counts. If no endpoint's blocks show them,
 * the owner is asked about them then.
 */
const CLAIM_WAIT_MS = 30_000;
/** Limits the blocks that are read whole, one lookup after the other. */
const SCANS_MAX = 16;
/** Looks one after the other, before what asked has to wait for the next time. */
const LOOKS_AT_ONCE = 4;
const READ_TIMEOUT_MS = 15_000;

/**
 * Reads unrecorded transactions of an account, and stores those that are not ours by hash or nonce.
 * It makes a few bounded lookups; what is left continues the next time. A node that fails proves
 * nothing: `open`. Where no node has the state of that time any more, and there are too many blocks
 * to read one by one, it cannot be found out: `unreadable`. Operators are alerted of `open`.
 */
export async function readPast(deps: PastDeps, asked: PastAsked): Promise<PastRead> {
	const outcome = await lookThrough(deps, asked);
	const nowMs = deps.clock.nowMs();
	deps.nonceClaims.notePast(asked.account, { isOpen: outcome === "open", nowMs });
	return outcome;
}

async function lookThrough(deps: PastDeps, asked: PastAsked): Promise<PastRead> {
	const { account, unreadSince } = asked;
	const chain = deps.rpcOf(account.chainId);
	// A chain that is not served any more cannot say what was sent on it.
	if (!chain) return "open";
	const rpc: Rpc = {
		...chain,
		distrust(kind, heard = new Set()) {
			if (kind === "false_count") deps.nonceClaims.noteFalse(heard, deps.clock.nowMs());
			chain.distrust(kind, heard);
		},
	};
	const signal = AbortSignal.any([asked.signal, AbortSignal.timeout(READ_TIMEOUT_MS)]);
	const nowMs = deps.clock.nowMs();
	const openSinceMs = deps.nonceClaims.pastOpenSince(account, nowMs) ?? nowMs;
	const endsClaims = nowMs - openSinceMs >= CLAIM_WAIT_MS;
	const asking = { account, rpc, signal, others: { areSilent: false } };
	try {
		if (await isKnown(deps, asking)) return "read";
		for (let look = 1; ; look++) {
			const outcome = await lookOnce(deps, { ...asking, unreadSince, endsClaims });
			if (outcome !== "open" || look === LOOKS_AT_ONCE) return outcome;
		}
	} catch (error) {
		if (!(error instanceof Fault) && !signal.aborted) throw error;
		deps.log.warn("what a wallet sent is on no record, and cannot be read now", {
			...{ ...account, error },
		});
		return "open";
	}
}

/**
 * Compares plans with what the wallet sent without a record here: a restored backup does not know
 * later payments. A payment that may have been made already is sent only if its owner answers that
 * it is another one; the intent carries that answer.
 */
export function judgePast(
	deps: Pick<ExecutionDeps, "kindOf">,
	given: Given & {
		queue: Pick<NonceQueue, "past" | "ownCount">;
		/** True if the owner's own wallet sends it: only the owner knows what it sent. */
		isOwners: boolean;
	},
): PastVerdict {
	const { planned, account, pastRead, queue, isOwners } = given;
	const { past, ownCount } = queue;
	const explained = Math.max(ownCount ?? 0, past.explained);
	const isUnexplained = ownCount !== null && account.minedNonce > explained;
	const isOpen = isUnread({ ...past, ownCount }, account.minedNonce);
	// Said where nobody could say what was sent: its owner knows that.
	const isSaid = planned.every(({ intent }) => intent.looksPaid === UNREADABLE);
	const isAsked = pastRead === "unreadable" || (pastRead === "open" && isOwners);
	if (isOpen && !isSaid && !isAsked) return { kind: "unread", unreadSince: past.unreadSince };
	const looks = planned.flatMap(({ intent, plan }): PastLook[] => {
		const { kind, looksPaid } = intent;
		const { repeats = "alike" } = deps.kindOf(kind) ?? {};
		const like = findLike({ plan, looksPaid }, past.strays, repeats);
		if (like) return [{ intent, hash: like.hash }];
		// What is harmless twice still needs a nonce that somebody can name.
		const isUnknown = isOpen && (repeats !== "harmless" || isUnexplained);
		return isUnknown && looksPaid !== UNREADABLE ? [{ intent, hash: UNREADABLE }] : [];
	});
	return looks.length > 0 ? { kind: "asked", looks } : { kind: "clear" };
}

/**
 * Records that an intent that was asked about and continues is another payment, by its owner's
 * answer. The answer ends the question about the transaction that was shown and all similar ones
 * before it, for all payments of the wallet. Where it could not be found out what was sent, it ends
 * the question about all that was sent before the intent was requested.
 */
export async function noteAnswers(
	tx: Tx,
	{ planned, agreed }: Pick<Given, "planned" | "agreed">,
): Promise<void> {
	const asked = planned.filter(({ intent }) => intent.looksPaid);
	const from = planned[0]?.plan;
	if (asked.length === 0 || !from) return;
	const of: Of = [from.chainId, hexToBytes(from.from)];
	await tx.execute(
		`update wallets.stray as like_it set is_answered = true from wallets.stray as asked
		where asked.chain_id = $1 and asked.sender = $2 and asked.hash = any($3::bytea[])
			and like_it.chain_id = $1 and like_it.sender = $2 and like_it.nonce <= asked.nonce
			and like_it.recipient is not distinct from asked.recipient
			and like_it.selector = asked.selector`,
		[...of, asked.map(({ intent }) => hexToBytes(intent.looksPaid ?? UNREADABLE))],
	);
	const unread = asked.filter(({ intent }) => intent.looksPaid === UNREADABLE);
	if (unread.length === 0 || !agreed) return;
	const { minedNonce: count, headBlock: block } = agreed;
	await noteRead(tx, { of, block, count });
	const since = Math.min(...unread.map(({ intent }) => intent.createdAtMs));
	await noteReadAt(tx, of, new Date(since));
}

/** Returns whether an owner has said of a past that nobody can read that it holds no payment. */
export function isSaidUnread(planned: readonly PlannedIntent[]): boolean {
	return planned.some(({ intent }) => intent.looksPaid === UNREADABLE);
}

/**
 * Forgets an account's unrecorded transactions, and counts them as known: a person has checked
 * them. Count and head are what `readAgreed` says.
 */
export async function believePast(
	tx: Tx,
	{ of: account, minedNonce, headBlock }: { of: Account } & Past,
): Promise<void> {
	const of: Of = [account.chainId, hexToBytes(account.from)];
	await tx.execute("delete from wallets.stray where chain_id = $1 and sender = $2", of);
	await noteRead(tx, { of, block: headBlock, count: minedNonce });
	await tx.execute(
		`update wallets.account_read set at = greatest(at, now())
		where chain_id = $1 and sender = $2`,
		of,
	);
}

/**
 * Looks at the counts first: where our records explain all that is mined or waits, as after any
 * ordinary start, there is nothing to read, and that is noted. Of a restored database all is read.
 */
async function isKnown(
	deps: Pick<ExecutionDeps, "db" | "steps">,
	{ account, rpc, signal, others }: PastAsking,
): Promise<boolean> {
	const { ownCount, explained, isRestored, at } = await readBegin(deps.db, account);
	if (isRestored) return false;
	const known = Math.max(ownCount ?? 0, explained ?? 0);
	const isAll = await deps.steps.run("rpc.nonce", () =>
		isAllKnown(rpc, { address: account.from, known, signal, others }),
	);
	if (!isAll) return false;
	const of: Of = [account.chainId, hexToBytes(account.from)];
	await deps.steps.run("commit.look", () =>
		deps.db.transaction(async (tx) => {
			await noteRead(tx, { of, block: 0, count: known });
			await noteReadAt(tx, of, at);
		}),
	);
	return true;
}

/** Continues reading where the last lookup ended, as far as one lookup goes. */
async function lookOnce(
	deps: Pick<ExecutionDeps, "db" | "steps" | "settings" | "log">,
	given: PastAsking & { unreadSince: Date | null; endsClaims: boolean },
): Promise<PastRead> {
	const { account, unreadSince, endsClaims, rpc, ...asking } = given;
	const begin = await readBegin(deps.db, account);
	const { ownCount, explained } = begin;
	const known = ownCount === null ? {} : { known: Math.max(ownCount, explained ?? 0) };
	const reading = deps.steps.run("rpc.nonce", async () => {
		const since = unreadSince && unreadSince.getTime() - CLOCKS_APART_MS;
		const sinceBlock = since === null ? 0 : await readBlockBefore(rpc, { atMs: since, ...asking });
		const ownBlock = unreadSince === null ? (begin.ownBlock ?? 0) : 0;
		const fromBlock = Math.max(sinceBlock, begin.readBlock ?? 0, ownBlock);
		const { from: address } = account;
		return await readSentSince(rpc, { ...{ address, fromBlock, endsClaims }, ...known, ...asking });
	});
	const found = await reading.catch(async (error: unknown) => {
		const isBehind = error instanceof Fault && error.code === "chain_behind";
		if (isBehind) await correctBegin(deps, { account, rpc, signal: asking.signal, begin });
		throw error;
	});
	// Blocks that hide what is counted: where no endpoint shows it, nobody can say what was sent.
	if (isHidden(found, known) && endsClaims) return "unreadable";
	const blocksLeft = found.headBlock - found.searchedTo;
	const isTooLong = found.isScanned && blocksLeft > SCANS_MAX * SENT_SCAN_MAX;
	await deps.steps.run("commit.look", () =>
		deps.db.transaction((tx) => keep(deps, tx, { account, found, at: begin.at })),
	);
	if (found.isWhole) return "read";
	deps.log.warn("what a wallet sent is on no record, and not all of it is read yet", {
		...{ ...account, searchedTo: found.searchedTo, headBlock: found.headBlock, isTooLong },
	});
	return isTooLong ? "unreadable" : "open";
}

/**
 * Corrects blocks from which a reading begins, where no chain has come so far: a head that was made
 * up was noted with them. What is read twice is noted once.
 */
async function correctBegin(
	deps: Pick<ExecutionDeps, "db" | "steps" | "log">,
	{ account, rpc, signal, begin }: Omit<PastAsking, "others"> & { begin: PastBegin },
): Promise<void> {
	const trueOf = async (plannedBlock: number | null, at: Date | null): Promise<number | null> => {
		if (plannedBlock === null || at === null) return null;
		const times = { notBeforeMs: at.getTime(), notAfterMs: at.getTime() };
		return await readTrueBegin(rpc, { plannedBlock, ...times, signal });
	};
	const { ownBlock, readBlock, readAt } = begin;
	const [own, read] = await deps.steps.run("rpc.nonce", () =>
		Promise.all([
			trueOf(ownBlock, begin.ownAt),
			// A reading that goes on may as well begin again.
			readBlock !== null && readAt === null ? 0 : trueOf(readBlock, readAt),
		]),
	);
	if (own === null && read === null) return;
	deps.log.warn("a wallet's past is read again from before, as its chain is behind that", {
		...account,
		...begin,
	});
	await deps.steps.run("commit.look", () => {
		const of: Of = [account.chainId, hexToBytes(account.from)];
		return deps.db.transaction((tx) => correctRead(tx, { of, begin, read, own }));
	});
}

/** Stores what was read; blocks that a reorg may still remove are read again the next time. */
async function keep(
	{ settings }: Pick<ExecutionDeps, "settings">,
	tx: Tx,
	{ account, found, at }: { account: Account; found: SentSince; at: Date },
): Promise<void> {
	const { sent, searchedTo, headBlock, isWhole } = found;
	const of: Of = [account.chainId, hexToBytes(account.from)];
	await keepStrays(tx, { of, sent, block: searchedTo });
	// What endpoints do not agree on is read again from where it began.
	const isOn = isWhole || searchedTo < headBlock;
	const block = isOn ? Math.max(0, Math.min(searchedTo, headBlock - settings.finalDepthBlocks)) : 0;
	const count = isWhole ? found.count : (sent.at(-1)?.nonce ?? -1) + 1;
	await noteRead(tx, { of, block, count });
	if (!isWhole) return;
	await noteReadAt(tx, of, at);
}
