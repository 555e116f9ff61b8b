import type { Commits } from "#core/db/commits/Commits.ts";
import { commitFault } from "#core/db/commits/faults.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import { isRefused } from "#core/db/isRefused.ts";
import { isSqlState } from "#core/db/isSqlState.ts";

/** Transactions that share one commit, and such commits under way at once. */
export const SHARED_MAX = 32;

export const COMMITS_AT_ONCE = 2;

/** One that waits for a row for so long waits by itself: the others must not wait with it. */
const SHARED_LOCK_TIMEOUT_MS = 250;

/** Transactions that wait their turn: of all, and of one owner, who must not fill the line. */
export const COMMITS_WAITING_MAX = 5_000;

export const OWNER_COMMITS_WAITING_MAX = 100;

type Waiting = {
	owner: string;
	act(tx: Tx): Promise<unknown>;
	/** Told once it is committed, or is not going to be. */
	settle(committed: Promise<unknown>): void;
};

/** What a shared transaction came to: `rolled back` is a proof that nothing was committed. */
type Shared = { kind: "ended"; committed: Promise<unknown> } | { kind: "rolled back" };

/**
 * Takes what waits while the commits before it are under way, and commits it together: a commit
 * costs a write to the disk and several wake-ups, however much is in it. Nobody waits for company.
 */
export function createCommits(db: Pick<Database, "transaction">): Commits {
	const waiting: Waiting[] = [];
	const waitingOf = new Map<string, number>();
	const busy = new Set<string>();
	let underWay = 0;

	function begin(): void {
		while (underWay < COMMITS_AT_ONCE) {
			const group = takeGroup(waiting, busy);
			if (group.length === 0) return;
			for (const { owner } of group) leaveLine(waitingOf, owner);
			underWay++;
			void commitTogether(db, group).then((shared) => {
				underWay--;
				for (const one of group) void end(one, shared);
				begin();
			});
		}
	}

	/** What was rolled back runs by itself, and holds nobody else up any more. */
	async function end(one: Waiting, shared: Shared): Promise<void> {
		const committed = shared.kind === "ended" ? shared.committed : db.transaction(one.act);
		one.settle(committed);
		await committed.catch(() => {});
		busy.delete(one.owner);
		begin();
	}

	return {
		together<Result>(owner: string, act: (tx: Tx) => Promise<Result>) {
			const ofOwner = waitingOf.get(owner) ?? 0;
			if (waiting.length >= COMMITS_WAITING_MAX || ofOwner >= OWNER_COMMITS_WAITING_MAX) {
				return Promise.reject(commitFault.commitsWaiting());
			}
			waitingOf.set(owner, ofOwner + 1);
			const { promise, resolve, reject } = Promise.withResolvers<Result>();
			let result: Result;
			waiting.push({
				owner,
				act: async (tx) => {
					result = await act(tx);
				},
				settle: (committed) => void committed.then(() => resolve(result), reject),
			});
			begin();
			return promise;
		},
	};
}

function leaveLine(waitingOf: Map<string, number>, owner: string): void {
	const left = (waitingOf.get(owner) ?? 0) - 1;
	if (left > 0) waitingOf.set(owner, left);
	else waitingOf.delete(owner);
}

/** Who waits for longest first: one of each owner, none of an owner who has something under way. */
function takeGroup(waiting: Waiting[], busy: Set<string>): Waiting[] {
	const group: Waiting[] = [];
	for (let place = 0; place < waiting.length && group.length < SHARED_MAX; ) {
		const one = waiting[place];
		if (!one || busy.has(one.owner)) {
			place++;
			continue;
		}
		busy.add(one.owner);
		group.push(one);
		waiting.splice(place, 1);
	}
	// In one order in all processes, so that they do not lock each other out.
	return group.sort((one, other) => (one.owner < other.owner ? -1 : 1));
}

async function commitTogether(
	db: Pick<Database, "transaction">,
	group: readonly Waiting[],
): Promise<Shared> {
	let isRolledBack = false;
	// What fails alone fails; only what waited for a row gets the time to wait for it.
	const rollBack = (error: unknown) => {
		isRolledBack = group.length > 1 || isSqlState(error, "lock_not_available");
	};
	const share = async (tx: Tx): Promise<void> => {
		const watched = watchSteps(tx, rollBack);
		// All have ended before it is rolled back: none goes on in a transaction that is gone.
		const outcomes = await Promise.allSettled(group.map(({ act }) => act(watched)));
		const failed = outcomes.find((outcome) => outcome.status === "rejected");
		if (!failed) return;
		rollBack(failed.reason);
		throw failed.reason;
	};
	const committed = db.transaction(share, { lockTimeoutMs: SHARED_LOCK_TIMEOUT_MS });
	await committed.catch(() => {});
	// A commit that was asked for and not answered may have been done: that is nobody's to repeat.
	return isRolledBack ? { kind: "rolled back" } : { kind: "ended", committed };
}

/**
 * A last step that the server refused proves the same as an act that failed: the commit behind it
 * was none. One without an answer proves nothing.
 */
function watchSteps(tx: Tx, onRefused: (error: unknown) => void): Tx {
	return {
		...tx,
		beforeCommit(run, options) {
			const watched = async (): Promise<void> => {
				try {
					await run();
				} catch (error) {
					if (isRefused(error)) onRefused(error);
					throw error;
				}
			};
			tx.beforeCommit(watched, options);
		},
	};
}
