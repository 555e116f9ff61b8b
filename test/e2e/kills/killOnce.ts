import { driveRun } from "#test/e2e/kills/driveRun.ts";
import { forgetfulNode } from "#test/e2e/kills/forgetfulNode.ts";
import { impatientOwner } from "#test/e2e/kills/impatientOwner.ts";
import { judgeRun } from "#test/e2e/kills/judgeRun.ts";
import type { KillPoint } from "#test/e2e/kills/KillOrder.ts";
import type { KillScenario } from "#test/e2e/kills/KillScenario.ts";
import type { KillLane } from "#test/e2e/kills/openKillLane.ts";

export type Killed = {
	/** How often the service died. */
	deaths: number;
	problems: string[];
	/** Edges that the last life reached. */
	reached: Record<string, number>;
};

/**
 * Plays a scenario to its end, through one death at each of the points in turn, and judges the
 * result. At a point that the scenario does not reach no process dies.
 */
export async function killOnce(
	lane: KillLane,
	given: { scenario: KillScenario; points: readonly KillPoint[]; holdsMining: boolean },
): Promise<Killed> {
	const { scenario, points, holdsMining } = given;
	const { custody, db, wallet } = lane;
	const run = await scenario.prepare(lane);
	await db.execute("update wallets.profile set require_trade_confirmation = $1 where id = $2", [
		scenario.asksOwner,
		wallet.profileId,
	]);
	for (const fault of scenario.faults) custody.fault(fault);
	const { isDropped, isCancelled } = scenario;
	const isAlone = isDropped || isCancelled;
	const release = await holdFor(lane, { isAlone, isHeld: holdsMining });
	await setRebroadcast(lane, isDropped);
	const forgets = isDropped ? forgetfulNode(lane) : null;
	const cancels = isCancelled ? impatientOwner(lane, run) : null;
	const driven = { ...run, key: crypto.randomUUID(), release, forgets, cancels };
	try {
		let deaths = 0;
		for (;;) {
			await lane.arm(points[deaths] ?? null);
			const done = await driveRun(lane, driven).catch(async (error: unknown) => {
				if (!(await lane.hasDied())) throw error;
				return null;
			});
			if (!done) {
				deaths++;
				await lane.revive();
				continue;
			}
			await lane.arm(null);
			custody.clearFaults();
			const problems = await judgeRun(lane, run);
			const { answer, reached } = done;
			if (answer.status !== run.status) problems.push(`answered ${answer.status}: ${answer.text}`);
			const { path, body } = run;
			const again = await lane.ask(path, { body, key: driven.key });
			const isSame = again.status === answer.status && again.text === answer.text;
			if (!isSame) problems.push("the same request with the same key has another answer");
			// Earlier payments count as final, so that they are not looked up while the next run dies:
			// each run reaches its own steps only.
			await db.execute("update wallets.submission set final_at = now() where final_at is null");
			return { deaths, problems, reached };
		}
	} finally {
		release();
		custody.clearFaults();
	}
}

/** Sets the operators' control by which dropped transactions are broadcast again. */
async function setRebroadcast({ db }: KillLane, isOn: boolean): Promise<void> {
	await db.execute(
		`insert into wallets.control values ('rebroadcast', $1::jsonb, 'operator:test', now())
		on conflict (key) do update set value = excluded.value`,
		[String(isOn)],
	);
}

async function holdFor(
	{ world }: KillLane,
	{ isAlone, isHeld }: { isAlone: boolean; isHeld: boolean },
): Promise<() => void> {
	if (isAlone) return await world.holdMiningAlone();
	return isHeld ? world.holdMining() : () => {};
}
