// Reads an account's nonce queue, and picks nonces and replacement fees.

import { LRUCache } from "lru-cache";
import { hexToBytes } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import type { SqlValue, Tx } from "#core/db/Database.ts";
import { HOUR_MS, MINUTE_MS } from "#core/time.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { Plan, SubmissionState } from "#plugins/wallets/model.ts";
import { type Past, type PastRow, pastSql } from "#plugins/wallets/submission/strays.ts";
import type { Submission, SubmissionPurpose } from "#plugins/wallets/submission/submission.ts";

/** Holds a nonce that one of our transactions uses, and the state of that transaction. */
export type HeldNonce = { nonce: number; state: SubmissionState; purpose: SubmissionPurpose };

/** The ordered nonces of one wallet on one chain, as our own records have them. */
export type NonceQueue = {
	/** True while one of its transactions is being handed over. */
	isSending: boolean;
	/** Nonces from the account's count on that ours hold, ascending; two may hold one. */
	held: readonly HeldNonce[];
	/**
	 * All nonces below it are used for good by what we know. 0 where we know of none from the
	 * account's own count on: the node knows those below itself.
	 */
	finalCount: number;
	/** The nonce after the highest of ours; null where we never sent for it. */
	ownCount: number | null;
	/** Holds the transactions of its past that our records do not explain. */
	past: Past;
	/** Base units of the chain's coin that are promised to what is not mined yet: values and gas. */
	promisedRaw: bigint;
};

/** Holds a node's counts for an account: mined transactions, and those together with its pool. */
export type NonceCounts = { mined: number; pending: number };

export type NonceChoice =
	| { kind: "nonce"; nonce: number }
	/** Something below the next free nonce may or may not have left: nothing follows it. */
	| { kind: "in_doubt"; nonce: number }
	/** The node names transactions that we do not know of: they are read before anything follows. */
	| { kind: "unproven" };

/** Whose nonces: one wallet on one chain. */
export type Account = { chainId: number; from: Address };

/** Remembers accounts for which nodes count transactions that our own records do not explain. */
export type NonceClaims = {
	/** Returns whether a node counts transactions of an account that we do not know. */
	isClaimed(account: Account): boolean;
	note(account: Account): void;
	/** Our records and the node agree again. */
	forget(account: Account): void;
	/** Notes whether what an account sent could be read; where not, its payments wait. */
	notePast(account: Account, read: { isOpen: boolean; nowMs: number }): void;
	/** Returns since when an account's payments wait for that; null: not within the last minute. */
	pastOpenSince(account: Account, nowMs: number): number | null;
	/** Returns since when payments of accounts wait for that, of the last hour, in milliseconds. */
	openPasts(): readonly number[];
	/** Notes endpoints that counted what their blocks do not show, or what no other one counts. */
	noteFalse(endpoints: Iterable<string>, nowMs: number): void;
	/** Returns when each of them did so last, within the last hour, in milliseconds. */
	falseCounts(): readonly number[];
};

/** Holds the values that `columns` select. */
export type QueueRow = PastRow & {
	held: HeldTuple[] | null;
	sending: boolean;
	own: number | null;
	queued: string;
};

/** Holds the fees that a transaction offers for its gas. */
export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

type Tipping = Pick<Plan, "tipRaw">;

/** A held nonce as the statement returns it in JSON; `promised` is an amount in base units. */
type HeldTuple = [
	nonce: number,
	state: SubmissionState,
	purpose: SubmissionPurpose,
	promised: string,
	isFinal: boolean,
];
type HeldRow = HeldNonce & { promised: string };

const ACCOUNTS_MAX = 10_000;
const ENDPOINTS_MAX = 100;

/** The delay of the first lookup after sending: a transaction is not mined before. */
export const FIRST_LOOK_AFTER_MS = 1_000;
/**
 * The delay of the first lookup where this process searches each new block, and finds it there
 * sooner.
 */
export const FIRST_LOOK_BEHIND_HEADS_MS = 1_500;
/**
 * Asks the wallet provider too about a transaction that no node has shown this long after it was
 * sent.
 */
export const ASK_AGAIN_AFTER_MS = 15_000;
/**
 * Multiplies the limit of network fees for a cancellation: it has to offer more than a payment that
 * may have used the whole limit.
 */
export const FEE_LIMIT_TIMES = 2n;

/** Limits one account's transactions in flight: nodes keep no more in their pools. */
const HELD_MAX = 2_000;
/** As nodes are believed (`core/chain/chainNumbers`): a row with another nonce is in quarantine. */
const NONCE_MAX = 2 ** 48 - 1;

const usable = "nonce is not null and state not in ('queued', 'never', 'refused')";

/** Builds the SQL that reads an account's nonce queue, alone or as part of another statement. */
export const nonceQueueSql = {
	/**
	 * Returns the columns; their values are four parameters from `$first` on. Each part is answered
	 * from an index: `submission_nonce`, `submission_sending`, `submission_queued`. The nonces that
	 * are held can be many, so they are read only for rows for which `isAsked` is true.
	 */
	columns(first: number, isAsked = "true"): string {
		const [chain, sender, fee, from] = [0, 1, 2, 3].map((n) => `$${first + n}`);
		const account = `chain_id = ${chain} and sender = ${sender}`;
		return `exists (
				select from wallets.submission where ${account} and state = 'sending'
			) as sending, (
				select nonce + 1 from wallets.submission
				where ${account} and ${usable} and nonce <= ${NONCE_MAX}
				order by nonce desc limit 1
			) as own, coalesce((
				select sum((i.plan->>'valueRaw')::numeric + coalesce(s.gas_limit, 0)
					* (${fee}::numeric + coalesce((i.plan->>'tipRaw')::numeric, 0)))
				from wallets.submission s join wallets.intent i on i.id = s.intent_id
				where s.chain_id = ${chain} and s.sender = ${sender}
					and s.state = 'queued' and s.purpose = 'pay'
			), 0)::text as queued, ${pastSql.columns({ chain: `${chain}`, sender: `${sender}` })},
			case when ${isAsked} then (
				select json_agg(json_build_array(nonce, state, purpose, (
					coalesce((transaction->>'valueRaw')::numeric, 0) + coalesce(gas_limit, 0)
						* coalesce((transaction->>'maxFeePerGas')::numeric, 0)
				)::text, final_at is not null) order by nonce)
				from (
					select nonce, state, purpose, transaction, gas_limit, final_at
					from wallets.submission
					where ${account} and ${usable} and nonce between ${from} and ${NONCE_MAX}
					order by nonce limit ${HELD_MAX}
				) as held
			) end as held`;
	},

	values(
		{ chainId, from }: { chainId: number; from: Address },
		account: Pick<AccountState, "minedNonce" | "maxFeePerGas">,
	): SqlValue[] {
		return [chainId, hexToBytes(from), account.maxFeePerGas, account.minedNonce];
	},

	/** Reads a row; without one, a transaction may be being sent: nothing is sent beside it. */
	read(row: QueueRow | undefined): NonceQueue {
		const tuples = row?.held ?? [];
		const held = tuples.map(([nonce, state, purpose, promised]): HeldRow => {
			return { nonce, state, purpose, promised };
		});
		return {
			isSending: row?.sending ?? true,
			held: held.map(({ nonce, state, purpose }) => ({ nonce, state, purpose })),
			finalCount: finalCountOf(tuples),
			ownCount: row?.own ?? null,
			past: pastSql.read(row),
			promisedRaw: promisedOf(held) + BigInt(row?.queued ?? "0"),
		};
	},
};

/** Nodes want 10 % more than what a transaction replaces offers; an eighth is above that. */
const BUMP_NUMERATOR = 9n;
const BUMP_DENOMINATOR = 8n;

/**
 * Returns whether another payment of the wallet uses the nonce of a refused payment. Then that one
 * ends it once it is mined, and a cancellation would only replace the wrong one.
 */
export function isNonceTaken(
	{ state, nonce }: Pick<Submission, "state" | "nonce">,
	{ held }: Pick<NonceQueue, "held">,
): boolean {
	return state === "refused" && held.some((one) => one.nonce === nonce && one.purpose === "pay");
}

/**
 * Picks the nonce of a wallet's next transaction: the lowest that is free. So gaps below what was
 * sent are filled first.
 *
 * Where a node counts more than we sent, the count is followed as far as each of those transactions
 * was read (`explained`). Transactions that only wait in a pool are waited for. Trusting the node's
 * count alone would open a gap that blocks all later transactions. A wallet for which we never sent
 * starts from the node's count.
 */
export function chooseNonce(
	queue: Pick<NonceQueue, "held" | "finalCount" | "ownCount">,
	counts: NonceCounts,
	{ explained }: Pick<Past, "explained">,
): NonceChoice {
	const { held, finalCount, ownCount } = queue;
	if (ownCount === null) return { kind: "nonce", nonce: Math.max(counts.mined, counts.pending) };
	if (counts.mined > Math.max(ownCount, explained)) return { kind: "unproven" };
	// A node that counts less than is final is behind.
	const start = Math.max(counts.mined, finalCount);
	const taken = new Set(held.map(({ nonce }) => nonce));
	let nonce = start;
	while (taken.has(nonce)) nonce++;
	const doubt = held.find((one) => {
		const isInDoubt = one.state === "doubtful" || one.state === "dropped";
		return isInDoubt && one.nonce >= start && one.nonce < nonce;
	});
	if (doubt) return { kind: "in_doubt", nonce: doubt.nonce };
	return counts.pending > nonce ? { kind: "unproven" } : { kind: "nonce", nonce };
}

/** Remembers, in memory, whose counts our records do not explain: operators are shown them. */
export function createNonceClaims(): NonceClaims {
	const claims = new LRUCache<string, true>({ max: ACCOUNTS_MAX });
	const pasts = new LRUCache<string, { sinceMs: number; atMs: number }>({
		...{ max: ACCOUNTS_MAX, ttl: HOUR_MS },
	});
	const liars = new LRUCache<string, number>({ max: ENDPOINTS_MAX, ttl: HOUR_MS });
	const keyOf = ({ chainId, from }: Account) => `${chainId} ${from}`;
	return {
		isClaimed: (account) => claims.has(keyOf(account)),
		note: (account) => void claims.set(keyOf(account), true),
		forget: (account) => void claims.delete(keyOf(account)),
		notePast(account, { isOpen, nowMs }) {
			const key = keyOf(account);
			const before = pasts.get(key);
			// After a minute without a question the waiting counts anew: nothing was claimed meanwhile.
			const isSame = before !== undefined && nowMs - before.atMs <= MINUTE_MS;
			if (!isOpen) pasts.delete(key);
			else pasts.set(key, { sinceMs: isSame ? before.sinceMs : nowMs, atMs: nowMs });
		},
		pastOpenSince(account, nowMs) {
			const open = pasts.get(keyOf(account));
			return open && nowMs - open.atMs <= MINUTE_MS ? open.sinceMs : null;
		},
		openPasts: () => [...pasts.values()].map(({ sinceMs }) => sinceMs),
		noteFalse(endpoints, nowMs) {
			for (const name of endpoints) liars.set(name, nowMs);
		},
		falseCounts: () => [...liars.values()],
	};
}

/**
 * Returns an account with the fees that a plan offers: those that nodes suggest, and a higher tip
 * where the plan wants one. All fee limits, and the balance that the wallet needs, are computed
 * from these.
 */
export function offeredBy<State extends Fees>(account: State, { tipRaw = 0n }: Tipping): State {
	const moreRaw = tipRaw - account.maxPriorityFeePerGas;
	if (moreRaw <= 0n) return account;
	return {
		...account,
		maxPriorityFeePerGas: tipRaw,
		maxFeePerGas: account.maxFeePerGas + moreRaw,
	};
}

/**
 * Reads an account's nonce queue. The caller holds the lock of the profile's row, so no other
 * process changes it. It is one statement, because two would be prepared and sent separately.
 *
 * A nonce below the node's own count is mined, and so already in the balance, whether we have
 * settled it or not.
 */
export async function readNonceQueue(
	tx: Tx,
	of: Pick<Plan, "chainId" | "from">,
	account: Pick<AccountState, "minedNonce" | "maxFeePerGas">,
): Promise<NonceQueue> {
	const [row] = await tx.query<QueueRow>(
		`select ${nonceQueueSql.columns(1)}`,
		nonceQueueSql.values(of, account),
	);
	return nonceQueueSql.read(row);
}

/**
 * Fees at which nodes take a transaction in place of those with the same nonce: today's, and an
 * eighth above each of the others' where that is more.
 */
export function replacementFees(now: Fees, others: readonly Fees[]): Fees {
	const above = (raw: bigint) => (raw * BUMP_NUMERATOR) / BUMP_DENOMINATOR + 1n;
	const most = (fees: readonly bigint[], least: bigint) => {
		return fees.reduce((max, fee) => (above(fee) > max ? above(fee) : max), least);
	};
	const maxPriorityFeePerGas = most(
		others.map((one) => one.maxPriorityFeePerGas),
		now.maxPriorityFeePerGas,
	);
	const maxFeePerGas = most(
		others.map((one) => one.maxFeePerGas),
		now.maxFeePerGas,
	);
	// A tip above the whole price is no transaction.
	const whole = maxFeePerGas > maxPriorityFeePerGas ? maxFeePerGas : maxPriorityFeePerGas;
	return { maxFeePerGas: whole, maxPriorityFeePerGas };
}

/**
 * Returns the nonce after the highest one that is finally used, at or above the account's count;
 * else 0.
 */
function finalCountOf(held: readonly HeldTuple[]): number {
	const last = held.findLast(([, state, , , isFinal]) => {
		return isFinal && (state === "mined" || state === "reverted");
	});
	return last ? last[0] + 1 : 0;
}

/**
 * Returns the sum, in wei, that held transactions may still cost. Of two with one nonce only one is
 * mined: the dearer counts. One that we know as mined and the node does not count yet is still in
 * the balance that the node reports.
 */
function promisedOf(held: readonly HeldRow[]): bigint {
	const byNonce = new Map<number, bigint>();
	for (const { nonce, promised } of held) {
		const raw = BigInt(promised);
		if (raw > (byNonce.get(nonce) ?? -1n)) byNonce.set(nonce, raw);
	}
	return [...byNonce.values()].reduce((sum, raw) => sum + raw, 0n);
}
