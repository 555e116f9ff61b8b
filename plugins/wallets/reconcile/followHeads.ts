// Searches each new block for what was sent on its chain.

import { type Hex, hexOf } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import { watchHeads } from "#core/chain/heads/watchHeads.ts";
import { readBlocks } from "#core/chain/reads/readBlocks.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Queryable } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import type { LeaseKeeper } from "#core/lease.ts";
import type { Log } from "#core/log.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import { sleep, wakeable } from "#core/time.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { lookAtDue } from "#plugins/wallets/reconcile/lookAtMany.ts";
import {
	FOLLOW_EVERY_MS,
	FOLLOWED_IDLE_MS,
	FOLLOWED_SENT_MS,
	HEAD_BLOCKS_MAX,
	HEAD_POLL_BESIDE_SOCKET_MS,
	HEAD_POLL_MS,
	HEAD_TIMEOUT_MS,
	HEADS_APART_MS,
	REMEMBERED_BLOCKS,
	REMEMBERED_HASHES_MAX,
	SEARCH_AGAIN_MS,
	SENT_ROWS_MAX,
	wakeLooks,
} from "#plugins/wallets/reconcile/looks.ts";
import { readSubmissions } from "#plugins/wallets/submission/submission.ts";

/** Transactions of the newest blocks of a chain, each to be met once. */
export type RecentHashes = {
	add(hashes: readonly string[]): void;
	/** Returns true once for each hash: that caller looks it up. */
	take(hash: string): boolean;
};

/** Searches new blocks of one chain for sent transactions, and looks up those that it finds. */
export type HeadSearch = (head: Head | null, signal: AbortSignal) => Promise<void>;

export type FollowHeadsOptions = {
	deps: ExecutionDeps;
	chains: readonly ChainAccess[];
	leases: Pick<LeaseKeeper, "hold" | "release">;
	/** Aborts when the service ends. */
	ending: AbortSignal;
	watch?: typeof watchHeads;
};

export type FollowHeadsJob = Job & {
	/** Done once nothing is followed any more. */
	ended(): Promise<void>;
};

type SentHash = { id: string; hash: Hex };

type Followed = { until: AbortController; neededAtMs: number };

/** Limits the wait for a new block; a new head ends the wait. */
const FOR_EVER_MS = 2 ** 31 - 1;

/**
 * Searches each new head of a chain until the signal aborts, one search at a time: what comes
 * meanwhile is one head, the highest. Two searches of heads never begin closer than `apartMs`, so
 * that a chain of many blocks a second costs no more than any other. After each there is one search
 * without a head.
 */
export async function followHeads(options: {
	/** Hands over heads until the signal aborts. */
	watch(onHead: (head: Head) => void, signal: AbortSignal): void;
	search(head: Head | null, signal: AbortSignal): Promise<void>;
	log: Log;
	apartMs: number;
	againMs: number;
	signal: AbortSignal;
}): Promise<void> {
	const { watch, log, apartMs, againMs, signal } = options;
	const bell = wakeable();
	let next: Head | null = null;
	watch((head) => {
		if (next && next.number > head.number) return;
		next = head;
		bell.ring();
	}, signal);

	let searched = "";
	while (!signal.aborted) {
		await bell.wait(FOR_EVER_MS, signal);
		const head = takeNext();
		if (signal.aborted) return;
		// Each socket says it, and each poll says it again.
		if (!head || head.hash === searched) continue;
		searched = head.hash;
		await Promise.all([search(head), sleep(againMs, signal)]);
		await Promise.all([search(null), sleep(apartMs - againMs, signal)]);
	}

	function takeNext(): Head | null {
		const head = next;
		next = null;
		return head;
	}

	async function search(head: Head | null): Promise<void> {
		try {
			const within = AbortSignal.any([signal, AbortSignal.timeout(HEAD_TIMEOUT_MS)]);
			await options.search(head, within);
		} catch (error) {
			// By the clock all of it is looked at as well.
			if (!signal.aborted) log.warn("the newest blocks could not be searched", { error });
		}
	}
}

/**
 * Follows the heads of chains on which something is sent, so that what is mined is settled with its
 * block and not by the clock. One process of all follows a chain; a chain on which nothing of ours
 * is open is neither subscribed to nor polled.
 */
export function followHeadsJob(options: FollowHeadsOptions): FollowHeadsJob {
	const { deps, chains, leases, ending } = options;
	const followed = new Map<number, Followed>();
	const running = new Set<Promise<void>>();

	return {
		ended: async () => void (await Promise.all(running)),
		name: "wallets.follow-heads",
		schedule: { everyMs: FOLLOW_EVERY_MS },
		// Each process sees to its own, and a lease decides between them.
		lock: "process",
		timeoutMs: HEAD_TIMEOUT_MS,
		async run({ signal }) {
			const nowMs = deps.clock.nowMs();
			const needed = await readFollowed(deps.db, {
				chainIds: chains.map(({ chain }) => chain.id),
				since: new Date(nowMs - FOLLOWED_SENT_MS),
			});
			for (const access of chains) {
				if (signal.aborted || ending.aborted) return;
				await see(access, { isNeeded: needed.has(access.chain.id), nowMs });
			}
		},
	};

	async function see(
		access: ChainAccess,
		{ isNeeded, nowMs }: { isNeeded: boolean; nowMs: number },
	): Promise<void> {
		const { id } = access.chain;
		const now = followed.get(id);
		if (now && isNeeded) now.neededAtMs = nowMs;
		const isWanted = isNeeded || (now && nowMs - now.neededAtMs < FOLLOWED_IDLE_MS);
		if (!isWanted) {
			if (now) await end(id, now);
			return;
		}
		const lease = await leases.hold(leaseOf(id));
		if (!lease && now) await end(id, now);
		if (lease && !now) begin(access, nowMs);
	}

	function begin(access: ChainAccess, nowMs: number): void {
		const { id } = access.chain;
		const rpc = deps.rpcOf(id);
		if (!rpc) return;
		const until = new AbortController();
		followed.set(id, { until, neededAtMs: nowMs });
		deps.looks.followed.add(id);
		const run = followHeads({
			watch: (onHead, signal) => watchChain(options, { access, onHead, signal }),
			search: createHeadSearch(deps, { chainId: id, rpc }),
			log: deps.log.with({ chain: access.chain.slug }),
			apartMs: HEADS_APART_MS,
			againMs: SEARCH_AGAIN_MS,
			signal: AbortSignal.any([until.signal, ending]),
		});
		running.add(run);
		void run.finally(() => running.delete(run));
	}

	async function end(id: number, { until }: Followed): Promise<void> {
		until.abort();
		followed.delete(id);
		deps.looks.followed.delete(id);
		await leases.release(leaseOf(id));
	}
}

/**
 * Reads the blocks that came since the last search, and looks at what is sent and stands in them:
 * a question for each block, however many wait, and two for each that is mined.
 *
 * It says only where to look. What is believed of a transaction is decided by the look itself, so a
 * false head or block costs one look at most; what it hides is found by the clock. Without a head
 * the newest blocks are searched once more: a hash may be written down after its block came.
 */
export function createHeadSearch(
	deps: ExecutionDeps,
	{ chainId, rpc }: { chainId: number; rpc: Rpc },
): HeadSearch {
	const recent = createRecentHashes({
		blocksMax: REMEMBERED_BLOCKS,
		hashesMax: REMEMBERED_HASHES_MAX,
	});
	let newest: Head | null = null;
	let readTo: Head | null = null;

	return async (head, signal) => {
		newest = head ?? newest;
		const sent = await readSent(deps.db, { chainId });
		if (sent.length === 0 || !newest) return;
		await readTill(newest, signal);
		const ids = sent.filter(({ hash }) => recent.take(hash)).map(({ id }) => id);
		if (ids.length === 0) return;
		const found = await readSubmissions(deps.db, "where s.id = any($1::uuid[])", [ids]);
		await lookAtDue(deps, { due: found.items, postpones: false, signal });
	};

	async function readTill(head: Head, signal: AbortSignal): Promise<void> {
		if (head.hash === readTo?.hash) return;
		// A block in place of one that was read is read as well.
		const after = Math.min(readTo?.number ?? 0, head.number - 1);
		const from = Math.max(after + 1, head.number - HEAD_BLOCKS_MAX + 1, 0);
		const numbers = Array.from({ length: head.number - from + 1 }, (_, place) => from + place);
		const blocks = await deps.steps.run("rpc.receipt", () =>
			readBlocks(rpc, { numbers, minBlock: head.number, signal }),
		);
		for (const block of blocks.values()) {
			if (!(block instanceof Fault)) recent.add(block.transactions);
		}
		// It is read again with the next head.
		if (blocks.get(head.number) instanceof Fault) return;
		const isSkipped = readTo !== null && from > readTo.number + 1;
		readTo = head;
		// What stands in blocks that nobody reads is looked for by its hash.
		if (isSkipped) await wakeLooks(deps, { chainId, sinceMs: null });
	}
}

/**
 * Remembers the transaction hashes of the newest `blocksMax` blocks, `hashesMax` of them at most;
 * the oldest are dropped. A forged block can only push out old hashes, and no payment is lost by
 * it: what was sent is also looked up by the clock.
 */
export function createRecentHashes({
	blocksMax,
	hashesMax,
}: {
	blocksMax: number;
	hashesMax: number;
}): RecentHashes {
	/** Holds hashes by block, in the order in which the blocks came. */
	const blocks: Set<string>[] = [];

	return {
		add(hashes) {
			blocks.push(new Set(hashes));
			const count = () => blocks.reduce((sum, { size }) => sum + size, 0);
			while (blocks.length > 1 && (blocks.length > blocksMax || count() > hashesMax)) {
				blocks.shift();
			}
		},
		take(hash) {
			let isThere = false;
			for (const hashes of blocks) isThere = hashes.delete(hash) || isThere;
			return isThere;
		},
	};
}

/**
 * Chains of a list on which something was sent that is not seen mined yet, and not for very long:
 * what waits for hours is looked at by the clock alone. Along the index `submission_sent`.
 */
async function readFollowed(
	db: Queryable,
	{ chainIds, since }: { chainIds: readonly number[]; since: Date },
): Promise<Set<number>> {
	const rows = await db.query<{ id: number }>(
		`select id from unnest($1::int8[]) as chain (id) where exists (
			select from wallets.submission
			where chain_id = chain.id and state = 'sent' and coalesce(sent_at, created_at) > $2
		)`,
		[chainIds, since],
	);
	return new Set(rows.map(({ id }) => id));
}

function leaseOf(chainId: number): string {
	return `wallets.heads.${chainId}`;
}

function watchChain(
	{ deps, watch = watchHeads }: FollowHeadsOptions,
	given: { access: ChainAccess; onHead(head: Head): void; signal: AbortSignal },
): void {
	const { access, onHead, signal } = given;
	const { clock, log } = deps;
	const pollMs = access.headUrls.length > 0 ? HEAD_POLL_BESIDE_SOCKET_MS : HEAD_POLL_MS;
	const rpc = access.rpcFor("intents");
	watch({ ...access, rpc, pollMs, clock, log: log.with({ for: "settlement" }), onHead, signal });
}

/**
 * Reads what is sent on a chain and not seen mined yet, by its hash; of very many the newest, as
 * these are mined next. Along the index `submission_sent`.
 */
async function readSent(db: Queryable, { chainId }: { chainId: number }): Promise<SentHash[]> {
	const rows = await db.query<{ id: string; hash: Uint8Array }>(
		`select id, transaction_hash as hash from wallets.submission
		where chain_id = $1 and state = 'sent' and transaction_hash is not null
		order by created_at desc limit $2`,
		[chainId, SENT_ROWS_MAX],
	);
	return rows.map(({ id, hash }) => ({ id, hash: hexOf(hash) }));
}
