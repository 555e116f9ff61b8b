import type { Head } from "#core/chain/heads/Head.ts";
import { watchHeads } from "#core/chain/heads/watchHeads.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { LeaseKeeper } from "#core/lease/createLeaseKeeper.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule/Job.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { createHeadSearch } from "#plugins/wallets/reconcile/createHeadSearch.ts";
import { followHeads } from "#plugins/wallets/reconcile/followHeads.ts";
import {
	FOLLOW_EVERY_MS,
	FOLLOWED_IDLE_MS,
	FOLLOWED_SENT_MS,
	HEAD_POLL_BESIDE_SOCKET_MS,
	HEAD_POLL_MS,
	HEAD_TIMEOUT_MS,
	HEADS_APART_MS,
	SEARCH_AGAIN_MS,
} from "#plugins/wallets/reconcile/limits.ts";

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

type Followed = { until: AbortController; neededAtMs: number };

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
