import type { Database } from "#core/db/Database.ts";
import { sleep } from "#core/time/sleep.ts";
import type { World } from "#test/sim/createWorld.ts";
import { whatIsOwed } from "#test/sim/oracle/whatIsOwed.ts";

const LOOK_EVERY_MS = 20;

/**
 * What is still owed when time is up; null as soon as nothing is. The time begins anew whenever
 * something else is owed than before, up to twice of it: a busy machine is slow, and a stuck
 * lane stands still.
 */
export async function converge(
	db: Database,
	{ chain, chainId }: World,
	withinMs: number,
): Promise<string | null> {
	const last = performance.now() + 2 * withinMs;
	let until = performance.now() + withinMs;
	let before: string | null = null;
	for (;;) {
		const owed = await whatIsOwed(db, chainId, chain.branch().blocks.at(-1));
		const now = performance.now();
		if (owed !== before) until = Math.min(now + withinMs, last);
		if (owed === null || now > until) return owed;
		before = owed;
		await sleep(LOOK_EVERY_MS);
	}
}
