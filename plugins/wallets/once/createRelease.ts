import type { OnceRequest } from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";

type Named = Pick<OnceRequest, "principal" | "route" | "idempotencyKey">;
type Taken = { profileId: string; route: string; key: string };

/** Keys that are still to be given back; beyond it they run out by their age. */
const OWED_MAX = 10_000;

/**
 * Gives keys back. An answer that failed, or could not be written down, is nobody's: the next one
 * with the key goes on with the same intents.
 *
 * Where the database is away this fails too, and the row goes on to name a request that is long
 * gone. Such keys are remembered, and given back with the requests that follow, so that another
 * process need not wait until they are too old to be under way.
 */
export function createRelease(deps: Pick<ExecutionDeps, "db" | "session" | "steps">) {
	const owed = new Map<string, Taken>();

	function owe(taken: Taken): void {
		if (owed.size < OWED_MAX) owed.set(nameOf(taken), taken);
	}

	async function release(taken: Taken): Promise<void> {
		const { profileId, route, key } = taken;
		try {
			await deps.steps.run("commit.answer", () =>
				deps.db.execute(
					`update wallets.idempotent_answer set session = null
					where profile_id = $1 and route = $2 and key = $3 and session = $4 and status is null`,
					[profileId, route, key, deps.session],
				),
			);
		} catch {
			owe(taken);
		}
	}

	return {
		/** Of a request that failed; one without a key has nothing to give back. */
		async now(request: Named): Promise<void> {
			const taken = takenBy(request);
			if (taken) await release(taken);
		},
		/** Of a request whose key may be taken or not: the commit's answer was lost. */
		later(request: Named): void {
			const taken = takenBy(request);
			if (taken) owe(taken);
		},
		/** Whether this process has ended with a key, whatever the row says. To one who asks, once. */
		claim(request: Named): boolean {
			const taken = takenBy(request);
			return taken !== null && owed.delete(nameOf(taken));
		},
		/** Gives back what could not be given back before. */
		async owed(): Promise<void> {
			for (const [name, taken] of [...owed]) {
				if (owed.delete(name)) await release(taken);
				// It is away still: whoever comes next tries again.
				if (owed.has(name)) return;
			}
		},
	};
}

export type Release = ReturnType<typeof createRelease>;

function takenBy({ principal, route, idempotencyKey: key }: Named): Taken | null {
	return key === null ? null : { profileId: principal.profile.id, route, key };
}

function nameOf({ profileId, route, key }: Taken): string {
	return JSON.stringify([profileId, route, key]);
}
