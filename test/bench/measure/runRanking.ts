import { z } from "zod";
import type { Scope } from "#test/bench/createScope.ts";
import { runScript } from "#test/bench/measure/runScript.ts";
import { median } from "#test/bench/report/statistics.ts";

export type Ranking = {
	service: RankingTimes;
	bare: RankingTimes;
	/** Of the process that ranks, its runtime and the tokens included. */
	peakMb: number;
	idleMb: number;
	turns: number;
};

export type RankingTimes = { p50Ms: number; leastMs: number; worstMs: number };

/** Processes of each, one after the other. */
const ROUNDS = 3;

const told = z.object({
	timesMs: z.array(z.number().positive()).min(1),
	idleMb: z.number().positive(),
	peakMb: z.number().positive(),
});

/** Ranks a collection as it comes from the database, beside a bare script, in turn. */
export async function runRanking({ scope }: { scope: Scope }): Promise<Ranking> {
	const script = "measure/rankingTurns.ts";
	const service: z.output<typeof told>[] = [];
	const bare: z.output<typeof told>[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		service.push(await runScript(scope, { script, args: ["service"], told }));
		bare.push(await runScript(scope, { script, args: ["bare"], told }));
	}
	return {
		service: timesOf(service.flatMap(({ timesMs }) => timesMs)),
		bare: timesOf(bare.flatMap(({ timesMs }) => timesMs)),
		peakMb: Math.max(...service.map(({ peakMb }) => peakMb)),
		idleMb: Math.max(...service.map(({ idleMb }) => idleMb)),
		turns: service.flatMap(({ timesMs }) => timesMs).length,
	};
}

function timesOf(timesMs: readonly number[]): RankingTimes {
	return { p50Ms: median(timesMs), leastMs: Math.min(...timesMs), worstMs: Math.max(...timesMs) };
}
