import type { Figure } from "#test/bench/Figure.ts";
import type { Recovery } from "#test/bench/measure/runRecoveries.ts";
import { median, spread } from "#test/bench/report/statistics.ts";

/** After `kill -9`, with blocks mined meanwhile: the slowest of a few turns. */
export const recoveryFigures: readonly Figure[] = [
	{
		name: "kill -9 of the service",
		unit: "s",
		goal: { kind: "at_most", value: 3 },
		async measure(lab) {
			const { service } = await lab.recoveries();
			return { value: slowest(service), note: `started again at once; ${described(service)}` };
		},
	},
	{
		name: "kill -9 of the postmaster",
		unit: "s",
		goal: { kind: "at_most", value: 6 },
		async measure(lab) {
			const { server } = await lab.recoveries();
			const restarts = server.filter(({ serviceEnded }) => serviceEnded).length;
			const who = restarts === 0 ? "the service recovers by itself" : `restarted ${restarts} times`;
			return { value: slowest(server), note: `${who}; ${described(server)}` };
		},
	},
];

function slowest(turns: readonly Recovery[]): number {
	return Math.max(...turns.map(({ seconds }) => seconds));
}

function described(turns: readonly Recovery[]): string {
	const ready = median(turns.map(({ readySeconds }) => readySeconds)).toFixed(2);
	return (
		`slowest of serving and caught up, nothing lost or doubled; ready after ${ready} s; ` +
		spread(turns.map(({ seconds }) => seconds))
	);
}
