import type { Scope } from "#test/bench/createScope.ts";
import { startAnvil } from "#test/harness/anvil.ts";
import { ETHER, openBuyLab } from "#test/harness/openBuyLab.ts";
import { openPlansLab } from "#test/harness/openPlansLab.ts";
import { deploySeaport } from "#test/harness/seaport.ts";
import { createTestDatabase } from "#test/harness/testDatabase.ts";

/** For each reveal: from its ranks until the wallet provider has its first fill. */
export type PlanFills = { delaysMs: readonly number[]; providerMs: readonly number[] };

const REVEALS = 60;
const WARM_UP = 5;
/** The marketplace's time for each of two answers, which is subtracted. */
const ANSWER_MS = 5;

/**
 * Evaluates a plan as a burst does that has just ranked a collection, on a real node with the real
 * marketplace, and times its first fill: until the wallet provider has it. The marketplace
 * provider's time for its answers is subtracted.
 */
export async function runPlanFills({ scope }: { scope: Scope }): Promise<PlanFills> {
	const database = await createTestDatabase();
	const drop = scope.defer(database.drop);
	const anvil = await startAnvil();
	const stop = scope.defer(anvil.stop);
	const seaport = await deploySeaport(anvil);
	const delaysMs: number[] = [];
	const providerMs: number[] = [];
	for (let turn = 0; turn < WARM_UP + REVEALS; turn++) {
		const plans = await openPlansLab(openBuyLab({ db: database.db, anvil, seaport }));
		const by = await plans.buyer();
		for (let rank = 1; rank <= 3; rank++) await plans.sell({ ether: ETHER / 10n, rank });
		const plan = await plans.armed(by, { maxItems: 1 });
		const { answers } = plans.lab.fake;
		let tookMs = 0;
		const timed =
			<Asked extends unknown[], Answer>(answer: (...asked: Asked) => Promise<Answer>) =>
			async (...asked: Asked): Promise<Answer> => {
				const beganMs = performance.now();
				await Bun.sleep(ANSWER_MS);
				return answer(...asked).finally(() => {
					tookMs += performance.now() - beganMs;
				});
			};
		answers.order = timed(answers.order);
		answers.listingFulfilment = timed(answers.listingFulfilment);
		let handedOverMs = Number.NaN;
		plans.lab.state.beforeSend = async () => {
			handedOverMs = performance.now();
		};
		const rankedMs = performance.now();
		await plans.covered();
		const { fills } = await plan.read();
		if (fills.length !== 1 || fills[0].status !== "submitted") {
			throw new Error(`the plan did not buy: ${JSON.stringify(fills)}`);
		}
		if (turn < WARM_UP) continue;
		delaysMs.push(handedOverMs - rankedMs - tookMs);
		providerMs.push(tookMs);
	}
	await stop();
	await drop();
	return { delaysMs, providerMs };
}
